/* operator_flops.h -- what each operator of a run computed, from the shapes
 * that it ran with; and what an inference of each session does, as the model's
 * file tells.  For sharing energy by FLOPs. */
#pragma once

#include "analyse/summary.h"

/* By id, the first is 1; NAN: it cannot be told. */
struct operator_flops {
    struct phase_flops *operators; /* of one run */
    size_t operator_count;
    double *sessions; /* of one inference */
    size_t session_count;
};

/* Sets the FLOPs of the operators that a session's table has; those of `s` are
 * not looked at. */
void operator_flops_fill(struct operators *all, const struct summary *s,
        const struct summary_session *x);

void operator_flops_find(struct operator_flops *out, const struct summary *s);
void operator_flops_release(struct operator_flops *f);
