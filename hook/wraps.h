/* wraps.h -- the sets of functions that wraps.c is compiled into. */
#pragma once

#include "hook/hook.h"

#define WRAPS_PASTE(number) hook_wraps_##number
#define WRAPS_OF(number)    WRAPS_PASTE(number)

extern const ort_function hook_wraps_0[WRAPS], hook_wraps_1[WRAPS],
        hook_wraps_2[WRAPS], hook_wraps_3[WRAPS], hook_wraps_4[WRAPS],
        hook_wraps_5[WRAPS], hook_wraps_6[WRAPS], hook_wraps_7[WRAPS];

/* What stands in for the making and dropping of text streams, for each. */
extern const ort_function *const hook_stream_wraps[LIBRARIES];

#define STREAMS_PASTE(number) hook_streams_##number
#define STREAMS_OF(number)    STREAMS_PASTE(number)

extern const ort_function hook_streams_0[2], hook_streams_1[2],
        hook_streams_2[2], hook_streams_3[2], hook_streams_4[2],
        hook_streams_5[2], hook_streams_6[2], hook_streams_7[2];
