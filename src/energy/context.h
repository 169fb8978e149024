/* context.h -- how the energy of a token grows with what lies before it.
 *
 * Decodes are put together by the length of their past: 0, 1, 2 to 3, 4 to 7
 * and so on. */
#pragma once

#include "energy/run_energy.h"

#define CONTEXT_STEPS 33

struct context_step {
    uint32_t past_min, past_max; /* that were seen */
    uint64_t tokens;             /* 0: none of that length */
    double gross_j, net_j;       /* of all of them; net as in figures.h */
    double past_sum;             /* of all tokens */
    uint64_t busy_ns;            /* of all inferences */
    uint64_t inferences;
};

/* False: no decode told its past, or no energy is known. */
bool context_find(struct context_step out[CONTEXT_STEPS],
        const struct run_energy *r);
