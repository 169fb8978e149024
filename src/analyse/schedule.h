/* schedule.h -- requests that come at a steady rate, whether or not the one
 * before has been answered: an open loop.
 *
 * Request n is meant to start at start_ns + n / rate.  Its latency counts from
 * there: a request that had to wait, because those before it took long, has
 * waited, and a stall is seen by every request that fell into it.  (Counting
 * from the actual start would leave just the bad times out: "coordinated
 * omission".)  Pure arithmetic. */
#pragma once

#include <stdint.h>

struct request_schedule {
    uint64_t start_ns;
    double per_s; /* more than 0 */
};

/* When request n, from 0, is meant to start.  Each is rounded for itself, so
 * that nothing drifts. */
uint64_t schedule_moment(const struct request_schedule *s, uint64_t n);

/* How many requests are meant to start in the first `duration_ns`. */
uint64_t schedule_count(const struct request_schedule *s, uint64_t duration_ns);
