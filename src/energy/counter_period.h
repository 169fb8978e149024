/* counter_period.h -- how often counters of energy move, found out by reading
 * them as fast as possible for a moment.
 *
 * A counter that moves every millisecond and is read ten times a second looks
 * as if it had moved when it was read.  Knowing that it did so at most a
 * millisecond before places its energy better. */
#pragma once

#include "sample/subjects.h"

#include <stddef.h>
#include <stdint.h>

struct sampler;

struct counter_period_plan {
    const struct sampler *const *table; /* of which those of energy are read */
    const char *root;                   /* "" or a recorded tree */
    uint64_t most_ns;                   /* the moment: at most so long, */
    uint64_t step_ns;                   /* reading so often */
    uint64_t (*now_ns)(void);
    void (*until)(uint64_t moment_ns); /* waits */
};

/* 60 ms, every 250 us, of this machine. */
extern const struct counter_period_plan counter_period_usual;

/* A counter, and how long it rests between two updates. */
struct counter_period {
    char name[64], source[32];
    uint64_t period_ns;
};

#define COUNTER_PERIODS_MAX 32

/* Those that were seen to move often enough; the others are slower than the
 * moment, or faster than we can read.  Ends early when all are known, and at
 * once when there are none.  Returns how many. */
size_t counter_periods(struct counter_period out[COUNTER_PERIODS_MAX],
        const struct counter_period_plan *plan);
