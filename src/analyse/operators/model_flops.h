/* model_flops.h -- what an inference of a run computes, from its models' files:
 * floating-point operations as study.h counts them. */
#pragma once

#include "analyse/summary.h"
#include "base/error.h"

/* Of an inference of one session; fails as below. */
int model_flops_of_session(double *out, const struct summary *s,
        const struct summary_session *x, struct error *e);

/* The mean of all inferences, each counted by its session's model.  -ENODATA,
 * or what opening a file failed with, and why in `e`: a model came from memory,
 * its file cannot be read, or it leaves open sizes that the cost of a node
 * depends on. */
int model_flops(double *out, const struct summary *s, struct error *e);
