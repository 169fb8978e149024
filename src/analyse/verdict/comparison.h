/* comparison.h -- two runs beside each other: what is not alike, and what
 * changed.
 *
 * The median of the latency has an interval, from how the durations of each run
 * spread.  It is about these two runs: what differs from one start of a program
 * to the next is not in it, and only more runs could tell.  So nothing is
 * judged. */
#pragma once

#include "analyse/summary.h"
#include "analyse/verdict/difference.h"

enum comparison_figure {
    COMPARISON_MEDIAN, /* of the latency, ns */
    COMPARISON_MEAN,
    COMPARISON_P95,
    COMPARISON_P99,
    COMPARISON_RATE,       /* inferences a second */
    COMPARISON_MEMORY,     /* resident at most, bytes */
    COMPARISON_JOULES,     /* of an inference, all that was drawn */
    COMPARISON_PER_SAMPLE, /* of a batch, mean, ns */
    COMPARISON_TTFT,       /* ns */
    COMPARISON_TPOT,
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

/* What two sweeps tried; NULL: one of them did not. */
struct comparison_point {
    const struct sweep_point *before, *after;
};

struct comparison {
    struct comparison_change figure[COMPARISON_FIGURES];
    bool has_interval;
    double low, high; /* of the medians' ratio, with 95 % confidence */
    struct comparison_operator *operators; /* the greatest change first */
    size_t operator_count;
    struct comparison_point *points; /* of sweeps; their times are not pooled */
    size_t point_count;
    bool points_are_levels;   /* else batches */
    const char *no_operators; /* why they are not compared; NULL: they are */
    struct difference differences[DIFFERENCES];
};

/* Borrows from both, which have to live as long. */
void comparison_make(struct comparison *out, const struct summary *before,
        const struct summary *after);
void comparison_release(struct comparison *c);

/* What a point is the point of: "4", "basic". */
const char *comparison_point_name(char out[16], const struct comparison *c,
        size_t point);

/* Between which values the ratio of a point's medians lies, by the medians of
 * its rounds; false: there is no such ratio, or only one round. */
bool comparison_point_interval(const struct comparison *c, size_t point,
        double *low, double *high);

/* May the two values be put in a ratio?  Not where the work was another. */
bool comparison_holds(const struct comparison *c,
        enum comparison_figure figure);
