/* history.h -- readings, kept in memory that never grows.
 *
 * Of each series, which is a metric of a subject, the last 10,000 readings or
 * more are kept as they were, and the last 24 hours as one rollup for each
 * second: least, mean, greatest.  All memory is taken when it is opened.  When
 * it is full, the oldest goes first, whosesoever it is; history_figures() tells
 * from when on its answer holds.
 *
 * Times may stand still or jump ahead.  A reading that is older than the last
 * one of its series is left out and counted.  For one thread. */
#pragma once

#include "model/subscriber.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_RAW     10000 /* readings of a series, at least */
#define HISTORY_SECONDS 86400 /* of rollups */

struct history;

/* `bytes` is all it will ever use: some 2 MB a series for 24 hours, and 200 kB
 * for the first hour. */
struct history *history_new(size_t bytes);
void history_free(struct history *h);

/* All that was taken, at most what history_new() was given. */
size_t history_bytes(const struct history *h);

void history_add(struct history *h, const struct reading *r);
/* Adds all readings that it is told. */
struct subscriber history_subscriber(struct history *h);

/* Readings that were left out, for their time was before the last. */
uint64_t history_late(const struct history *h);
/* Series that were forgotten to make room for new ones. */
uint64_t history_forgotten(const struct history *h);

struct history_figures {
    uint64_t count;
    double min, max, mean;
    double stddev;             /* of a sample; 0 where count is 1 */
    double p50, p90, p95, p99; /* nearest rank */
    /* The readings themselves do not reach back so far: percentiles are those
     * of the means of the seconds. */
    bool of_seconds;
    uint64_t from_ns, to_ns; /* of the first and the last that counted; from
                              * rollups, to the second */
};

/* Of all readings since `from_ns` that are still known.  False: there are
 * none. */
bool history_figures(struct history_figures *out, const struct history *h,
        uint32_t subject, enum metric_id metric, uint64_t from_ns);

struct history_point {
    uint64_t time_ns; /* the second's beginning, or the reading's own time */
    double min, mean, max;
    uint32_t count;
};

/* The newest `cap` readings or seconds, oldest first.  Returns how many. */
size_t history_readings(struct history_point *out, size_t cap,
        const struct history *h, uint32_t subject, enum metric_id metric);
size_t history_seconds(struct history_point *out, size_t cap,
        const struct history *h, uint32_t subject, enum metric_id metric);
