/* operator_flops.h -- what each operator of a run computed, from the shapes
 * that it ran with; and what an inference of each session does, as the model's
 * file tells.  For sharing energy by FLOPs. */
#pragma once

#include "analyse/summary.h"

/* By id, the first is 1; NAN: it cannot be told. */
struct operator_flops {
    double *operators; /* of one run */
    size_t operator_count;
    double *sessions; /* of one inference */
    size_t session_count;
};

void operator_flops_find(struct operator_flops *out, const struct summary *s);
void operator_flops_release(struct operator_flops *f);
