/* throttle.h -- when a machine was held back.
 *
 * Some sensors say so: a flag that is 1 meanwhile, or a counter of time spent
 * so.  Where none does, the clock or the latency may: a stretch of a second or
 * more in which the clock lay more than 10 % below what it was before, or
 * inferences took more than 15 % longer, while the machine worked as before.
 * That is an inference, not a measurement, and is told apart. */
#pragma once

#include "energy/series.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THROTTLE_STEP_NS 250000000ull /* drift is judged by means over this */

enum throttle_sign {
    THROTTLE_FLAG,    /* a sensor said so */
    THROTTLE_CLOCK,   /* the clock fell */
    THROTTLE_LATENCY, /* the same work took longer */
};

struct throttle_interval {
    uint64_t start_ns, end_ns;
    enum throttle_sign sign;
    double depth; /* how far below the usual, as a share; of a flag 0 */
};

struct throttling {
    struct throttle_interval *items; /* in the order of their start, for each
                                      * sign */
    size_t count, cap;
};

void throttling_release(struct throttling *t);

/* Readings of 0 and 1 (or shares of time). */
void throttle_from_flag(struct throttling *t, const struct series_reading *r,
        size_t count);
/* Readings of seconds so far. */
void throttle_from_counter(struct throttling *t, const struct series_reading *r,
        size_t count);
/* Hertz while there was work; readings without work are left out by whoever
 * calls, as a clock that rests is not held back. */
void throttle_from_clock(struct throttling *t, const struct series_reading *r,
        size_t count);
/* Seconds that each inference of one kind took. */
void throttle_from_latency(struct throttling *t, const struct series_reading *r,
        size_t count);

/* Puts what overlaps or touches into one, for each sign, in the order of their
 * start: for timelines. */
void throttling_merge(struct throttling *t);

/* "sensor", "clock", "latency". */
const char *throttle_sign_name(enum throttle_sign sign);
/* How deep, in whole percents; 0: a flag tells no depth. */
unsigned throttle_percent(const struct throttle_interval *x);

/* Time that is covered by at least one interval. */
uint64_t throttling_ns(const struct throttling *t);
