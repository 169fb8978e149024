/* energy_flops.h -- FLOPs of a run, for its energy: to share it by them, and
 * for FLOPS by the watt. */
#pragma once

#include "analyse/summary.h"
#include "store/store.h"

/* The summary's energy, shared anew by this key.  -ENODATA: that is not known
 * of the run, and why. */
int energy_share_by(struct summary *s, struct store *store, enum energy_by by,
        struct error *e);

/* What an inference computes. */
struct energy_flops {
    double each;        /* 0: not known, */
    struct error why;   /* and why */
    const char *source; /* "given", "model file", "operators that ran" */
};

/* As somebody says (0: nobody), else as the models' files tell, else from the
 * operators that were looked into. */
void energy_flops_find(struct energy_flops *out, double given,
        const struct summary *s, struct store *store);
