/* placement.h -- where a session's operators ran, and where they were meant to:
 * ONNX Runtime puts what a provider cannot do on the CPU, and says nothing. */
#pragma once

#include "analyse/operators/operators.h"

#include <stddef.h>

#define PLACEMENT_PROVIDERS 16

struct placement {
    struct placement_provider {
        const char *name; /* belongs to the operators */
        uint64_t operators;
        double kernels_ns;            /* of nodes that nothing else ran in */
    } providers[PLACEMENT_PROVIDERS]; /* by time, greatest first */
    size_t count;
    double kernels_ns; /* of all */
    double copies_ns;  /* of that: between host and device */
    /* Asked for before the CPU, and yet on it. */
    bool fell_back;
    uint64_t fallback_operators;
    double fallback_ns;
};

/* Of one session; `asked` is its providers as a JSON array, or NULL.  False: no
 * operator of it is known. */
bool placement_find(struct placement *out, const struct operators *o,
        uint32_t session, const char *asked);
