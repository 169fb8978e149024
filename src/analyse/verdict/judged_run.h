/* judged_run.h -- what a run is judged by: one value of each figure.
 *
 * The run is the unit.  Its headline is the undisturbed time, the tenth
 * percentile: that is what differs least between runs of the same thing.  What
 * happens to a few inferences, or to a second mode of them, does not show
 * there, so the others stand beside it. */
#pragma once

#include "analyse/verdict/interval.h"

#include <stdint.h>

enum judged_figure {
    JUDGED_P10, /* ns, as all times */
    JUDGED_P50,
    JUDGED_P95,
    JUDGED_P99,
    JUDGED_PERCENTILES,
    JUDGED_MEAN = JUDGED_PERCENTILES,
    JUDGED_RATE,   /* inferences a second */
    JUDGED_TTFT,   /* time to the first token */
    JUDGED_TPOT,   /* time of each further one */
    JUDGED_MEMORY, /* resident at most, bytes */
    JUDGED_GROWTH, /* of what is resident, from early in the run to late */
    JUDGED_JOULES, /* of an inference */
    JUDGED_TOKEN_JOULES,
    JUDGED_FIGURES,
};

/* One line for each. */
struct judged_kind {
    const char *name; /* "p10", "peak_rss": in documents and budgets */
    const char *label;
    const char *unit;    /* of documents: "us", "bytes", ... */
    double per_unit;     /* of ours in one of those */
    double least;        /* the smallest change that matters: 0.02 is 2 % */
    bool more_is_better; /* a rate */
    size_t least_in_run; /* inferences, for the figure to be known */
    double share;        /* of a percentile */
};

extern const struct judged_kind judged_kinds[JUDGED_FIGURES];

/* Percentiles at which distributions are compared. */
#define JUDGED_SHIFTS 9
extern const double judged_shifts[JUDGED_SHIFTS]; /* 0.01 to 0.99 */

struct judged_run {
    double value[JUDGED_FIGURES]; /* NAN: not known */
    double shift_ns[JUDGED_SHIFTS];
    /* Logarithms of the percentiles, with how sure they are in this run. */
    struct interval_quantile at[JUDGED_PERCENTILES];
    bool sure[JUDGED_PERCENTILES]; /* there are enough for that */
    size_t count;                  /* inferences that were used, */
    double span_s;                 /* and how long they took together */
    double shift; /* of the level within the run, logarithm; 0: none seen */
    uint64_t started_ns;
    double memory_ns; /* a load from memory, as probed then; NAN: not known */
};

/* Fills in what the durations tell, in the order in which they came; the other
 * figures are NAN. */
void judged_run_measure(struct judged_run *out, const uint64_t *durations_ns,
        size_t count);

/* How many first inferences are not like the later ones: where five of them,
 * and the next five, are no slower than most fives of the second half.  Within
 * 10 and a third of all; 0 where there are too few to tell. */
size_t judged_run_warmup(const uint64_t *durations_ns, size_t count);

/* The change of the level where it changed most, if that is more than chance
 * and at least 3 %, of logarithms in order; 0: none. */
double judged_run_shift(const double *ln_ns, size_t count);
