/* against_baseline.h -- a run and the baseline of the same program. */
#pragma once

#include "analyse/verdict/judgement.h"

struct against_baseline {
    char *name; /* of the baseline; NULL: there is none */
    struct judgement judgement;
};

/* Runs of the same command on the same host that have the name of a baseline
 * are before, the run is after.  Where several names do, the one that holds the
 * newest such run; never one that holds this run. */
int against_baseline_read(struct against_baseline *out, struct store *s,
        const struct run *run, struct error *e);
void against_baseline_release(struct against_baseline *a);
