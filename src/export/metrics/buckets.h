/* buckets.h -- how often each value occurred, counted exactly between bounds
 * that people know: 1, 2.5, 5, 10 milliseconds.
 *
 * Metrics of kind histogram leave in this form (Prometheus, OTLP).  Values come
 * as whole numbers: nanoseconds for metrics in seconds, else the metric's own
 * unit. */
#pragma once

#include "model/metric.h"

#define BUCKET_BOUNDS_MAX 32

/* The upper ends, each belonging to its bucket. */
struct bucket_bounds {
    uint64_t at[BUCKET_BOUNDS_MAX]; /* ascending */
    size_t count;
    double per_unit; /* so many make one of the metric's unit: 1e9 or 1 */
};

/* Those of a metric: as OpenTelemetry's conventions have them, where they do,
 * else by the metric's unit. */
const struct bucket_bounds *bucket_bounds_of(enum metric_id metric);

struct buckets {
    const struct bucket_bounds *bounds;
    uint64_t count;
    uint64_t min, max;                      /* 0 while it is empty */
    double sum;                             /* exact below 2^53 */
    uint64_t counts[BUCKET_BOUNDS_MAX + 1]; /* the last: above all bounds */
};

/* Empty. */
void buckets_init(struct buckets *b, enum metric_id metric);

/* The value occurred so many times. */
void buckets_add(struct buckets *b, uint64_t value, uint64_t times);

/* In the metric's unit. */
double buckets_bound(const struct buckets *b, size_t i);
double buckets_sum(const struct buckets *b);
