/* fake_calls.h -- what the files of the fake runtime share (fake_ops.h). */
#pragma once

#include "fake_ops.h"

struct ort_status {
    int code;
};

struct ort_device {
    const char *name;
    struct ort_ep_factory *factory;
};

/* Zeroed memory.  What is not given back is counted by kind in `fake`, where it
 * matters, and is no leak. */
void *fake_new(size_t bytes);
void fake_delete(void *p);

struct ort_status *fake_status(int code);
/* The status of a call: NULL, unless that is the one that is to fail. */
struct ort_status *fake_failing(const char *call);

/* What goes into which slot; ends with no function. */
struct fake_call {
    uint32_t slot;
    ort_function function;
};

#define FAKE_CALL(name, function)               \
    {                                           \
        ORT_SLOT_##name, (ort_function)function \
    }

extern const struct fake_call fake_option_calls[], fake_provider_calls[],
        fake_run_calls[];
/* Of OrtEpApi. */
extern const struct fake_call fake_event_calls[], fake_device_calls[];

/* Where the runtime finds the making and dropping of text streams. */
extern ort_function fake_streams[2];
