/* operators_state.h -- what the files of the operators share.  Not for
 * others. */
#pragma once

#include "analyse/operators.h"

/* A session's account, which is made on the way. */
struct operator_account *operators_account(struct operators *o,
        uint32_t session);

/* The kernels of one inference that was looked into. */
struct kernels {
    uint32_t session;
    double speed;        /* of the machine then, by the usual one */
    double flow_ns;      /* what the others took themselves */
    double seen_ns;      /* of nodes that were bracketed */
    double described_ns; /* of the others, with the describing, */
    uint64_t described;  /* and how many those are */
};

/* operators_flow.c: what each run that others ran in took itself, the others 0;
 * inner runs come first.  False: it cannot be told. */
bool operators_flow(double *own_ns, const struct operator_run *runs,
        size_t count);

/* operators_sum.c: from what was read to what is told.  Sorts `kernels`. */
void operators_sum_up(struct operators *o, struct kernels *kernels,
        size_t count);
