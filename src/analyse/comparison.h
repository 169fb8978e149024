/* comparison.h -- two runs beside each other: what changed, and what of that is
 * more than chance.
 *
 * The median of the latency has an interval, from how the durations of each run
 * spread.  It is about these two runs: what differs from one start of a program
 * to the next is not in it, and only more runs could tell. */
#pragma once

#include "analyse/summary.h"

enum comparison_figure {
    COMPARISON_MEDIAN, /* of the latency, ns */
    COMPARISON_MEAN,
    COMPARISON_P95,
    COMPARISON_P99,
    COMPARISON_RATE,   /* inferences a second */
    COMPARISON_MEMORY, /* resident at most, bytes */
    COMPARISON_JOULES, /* of an inference, all that was drawn */
    COMPARISON_FIGURES,
};

/* NaN: not known. */
struct comparison_change {
    double before, after;
};

/* An operator's mean time in an inference; NaN: it did not run. */
struct comparison_operator {
    const char *model; /* these texts are the summaries' */
    const char *name, *op_type;
    struct comparison_change ns;
};

enum comparison_verdict {
    COMPARISON_UNDECIDED, /* the interval holds no change, or is not known */
    COMPARISON_SLOWER,
    COMPARISON_FASTER,
};

struct comparison {
    struct comparison_change figure[COMPARISON_FIGURES];
    bool has_interval;
    double low, high; /* of the medians' ratio, with 95 % confidence */
    enum comparison_verdict verdict;
    struct comparison_operator *operators; /* the greatest change first */
    size_t operator_count;
    bool other_host, other_runtime, other_models; /* what was not alike */
};

/* Borrows from both, which have to live as long. */
void comparison_make(struct comparison *out, const struct summary *before,
        const struct summary *after);
void comparison_release(struct comparison *c);

const char *comparison_verdict_name(enum comparison_verdict verdict);
