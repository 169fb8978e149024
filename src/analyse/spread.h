/* spread.h -- how durations spread: mean, percentiles, jitter.
 *
 * Up to SPREAD_EXACT values are kept and all figures are exact; beyond that
 * the percentiles come from a histogram whose relative error is stated. */
#pragma once

#include "base/hist.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPREAD_EXACT 262144

/* Of fewer values, p90 would be the greatest, and p95 and p99 with it. */
#define SPREAD_PERCENTILES_LEAST 10
/* And so would p99.9, or near to it. */
#define SPREAD_P99_9_LEAST 1000

/* Starts zeroed. */
struct spread {
    uint64_t *kept; /* in the order of coming, while `count` allows */
    size_t cap;
    struct hist *hist; /* when there are more */
    uint64_t count;
    uint64_t min, max;
    double mean, squares; /* Welford's running mean and sum of squares */
    double steps;         /* sum of |x(n) - x(n-1)| */
    uint64_t last;
};

struct spread_figures {
    uint64_t count;
    double mean, median, min, max;
    double stddev;        /* of a sample; needs two values */
    double jitter;        /* mean difference of one value to the next */
    uint64_t pairs;       /* so many differences; 0: there is no jitter */
    double p50;           /* the median */
    double p90, p95, p99; /* NaN, like the next: there are too few */
    double p99_9;
    double relative_error; /* of the percentiles; 0: exact */
};

void spread_add(struct spread *s, uint64_t value);

/* False: there are no values.  Sorts what is kept: nothing is added after. */
bool spread_figures(struct spread *s, struct spread_figures *out);

void spread_release(struct spread *s);
