/* operators_state.h -- what the files of the operators share.  Not for
 * others. */
#pragma once

#include "analyse/operators.h"

/* A session's account, which is made on the way. */
struct operator_account *operators_account(struct operators *o,
        uint32_t session);

/* An inference that was looked into. */
struct looked {
    uint64_t number;
    uint32_t session;
    uint64_t start_ns, end_ns;
    bool timed;      /* and not described */
    bool disturbed;  /* far slower than the others: left out */
    size_t plain_at; /* how many of the session's came apart before it */
    double local_ns; /* what those around it took; 0: there are too few */
};

/* operators_inferences.c; starts zeroed, with `out`. */
struct inferences {
    struct operators *out;
    struct looked *looked; /* by number, ascending; to be freed */
    size_t looked_count, looked_cap;
    struct plain *plain; /* of session 1, 2, ... */
    size_t plain_count;
    uint64_t count;
};

/* Takes the next one of the run; `to` is a struct inferences. */
void inferences_take(void *to, const struct inference *i);
/* When all were taken: fills the accounts' medians, and marks those that were
 * disturbed. */
void inferences_judge(struct inferences *r);
/* The one of that number, if it was looked into; else NULL. */
const struct looked *inferences_find(const struct inferences *r,
        uint64_t number);

/* The kernels of one inference that was looked into. */
struct kernels {
    uint32_t session;
    bool timed;          /* of one that was not described */
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
