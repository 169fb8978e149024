/* wraps.h -- the sets of functions that wraps.c is compiled into. */
#pragma once

#include "hook/hook.h"

#define WRAPS_PASTE(number) hook_wraps_##number
#define WRAPS_OF(number)    WRAPS_PASTE(number)

extern const ort_function hook_wraps_0[WRAPS], hook_wraps_1[WRAPS],
        hook_wraps_2[WRAPS], hook_wraps_3[WRAPS], hook_wraps_4[WRAPS],
        hook_wraps_5[WRAPS], hook_wraps_6[WRAPS], hook_wraps_7[WRAPS];
