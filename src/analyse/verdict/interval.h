/* interval.h -- how far a figure can be relied on.
 *
 * Values are natural logarithms of what was measured, so that a difference is a
 * ratio.  Everything here is arithmetic, and tried on recorded noise: the
 * replicate is the run, never the inference, because runs of one program differ
 * by far more than the inferences within one of them tell. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct interval {
    double middle, low, high;
};

/* Between the two neighbours; `share` is from 0 to 1.  There is a value. */
double interval_sorted_at(const double *sorted, size_t count, double share);
double interval_median(const double *values, size_t count);

/* --- one run -------------------------------------------------------------- */

/* Of fewer inferences a run's percentile has no interval. */
#define INTERVAL_LEAST 200

/* A percentile, and between which others it lies with 99 %: consecutive
 * inferences are alike, so that n of them tell as much as `effective`
 * independent ones. */
struct interval_quantile {
    struct interval at;
    double error; /* the standard error */
    double effective;
};

/* `in_order` as they came, `sorted` the same by size.  False: there are too few
 * for this percentile. */
bool interval_quantile(struct interval_quantile *out, const double *in_order,
        const double *sorted, size_t count, double share);

/* --- runs of two sides ---------------------------------------------------- */

/* How often chance alone may put the middle beyond one end: where the runs of
 * both sides were made in turns, and where they were not, so that whatever else
 * changed meanwhile is in it. */
#define INTERVAL_MIXED 0.005
#define INTERVAL_APART 0.0005

/* The largest c with P(U <= c) <= `chance`, for the statistic U of Mann and
 * Whitney, by counting all orders; -1: there is none, so there are too few. */
int interval_rank_limit(size_t before, size_t after, double chance);

/* After less before: the median of all differences, between the ranks that
 * chance allows.  False: there are too few runs. */
bool interval_ranks(struct interval *out, const double *before,
        size_t before_count, const double *after, size_t after_count,
        double chance);

/* Of one run each, where `range` is from the least to the greatest of that
 * figure in at least INTERVAL_HISTORY other runs of the program on this host.
 * Some programs have, in one run of a hundred or of ten, a neighbour that slows
 * all of it.  Where a share q of runs is so, no history of n has one and the
 * run judged is one in (1 - q)^n q of all cases: at most 0.7 % with 50; with
 * the 20 that recordings of one host asked for, 1.8 %. */
#define INTERVAL_HISTORY 50
struct interval interval_of_two(const struct interval_quantile *before,
        const struct interval_quantile *after, double range);

/* --- Student -------------------------------------------------------------- */

/* P(|T| > t) with so many degrees of freedom, which need not be whole. */
double interval_student(double t, double freedom);

/* The t that chance passes so often, on one side. */
double interval_student_limit(double chance, double freedom);

/* Welch's test of whether two means differ: the chance of as great a
 * difference where they do not; 1 where fewer than two values are on a side. */
double interval_welch(const double *before, size_t before_count,
        const double *after, size_t after_count);

/* Benjamini and Hochberg: of `count` chances, which may be called found so that
 * a share `rate` of what is found is chance, at most.  Sets found[i]. */
void interval_discoveries(bool *found, const double *chances, size_t count,
        double rate);
