/* baseline.h -- what a machine draws while it does nothing, measured.
 *
 * Fed with watts once in a while, it waits until the machine has settled (the
 * last stretch draws as much as the one before), then measures until the mean
 * is certain to 1 %, and no less than a minimum.  A machine on which somebody
 * works is not idle: then there is no answer.  Time is whatever is fed. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum baseline_state {
    BASELINE_SETTLING,
    BASELINE_MEASURING,
    BASELINE_DONE,
    BASELINE_BUSY,     /* somebody works on it */
    BASELINE_UNSTEADY, /* it did not come to rest in time */
};

struct baseline_rules {
    uint64_t stretch_ns; /* that is compared with the one before: 5 s */
    uint64_t least_ns;   /* of measuring: 10 s */
    uint64_t most_ns;    /* of all: 120 s */
    double settled;      /* relative difference of two stretches: 0.05 */
    double certain;      /* relative standard error of the mean: 0.01 */
    double busy_most;    /* share of the CPU time in use: 0.10 */
};

extern const struct baseline_rules baseline_usual;

struct baseline {
    const struct baseline_rules *rules;
    enum baseline_state state;
    double watts;        /* so far; the answer when it is done */
    double error_watts;  /* standard error */
    double busy;         /* share of the CPU time, mean */
    uint64_t settled_ns; /* how long it took to settle */
    size_t samples;

    /* For itself. */
    uint64_t begin_ns, stretch_begin_ns, last_ns;
    double sum, squares, weight, busy_sum, all_busy, all_count;
    double last_mean;
    size_t stretches;
};

void baseline_begin(struct baseline *b, const struct baseline_rules *rules,
        uint64_t now_ns);

/* The mean watts since the last call, and the share of the CPU time that was in
 * use since then.  Returns the state, which does not change once it is one of
 * the last three. */
enum baseline_state baseline_feed(struct baseline *b, uint64_t now_ns,
        double watts, double busy);
