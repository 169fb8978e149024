/* trade_off.h -- which way to run a model: what each gives, and what it takes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct trade_off {
    double latency_ns; /* of an inference; less is better */
    double per_s;      /* samples a second; more is better */
    double joules;     /* of a sample; less is better.  NAN: not known */
};

/* Sets best[i] where no other is as good in everything and better in one: the
 * Pareto set.  Joules count where all of them know theirs. */
void trade_off_best(bool *best, const struct trade_off *all, size_t count);

/* The one with most samples a second within the bound of latency; `count`:
 * none is. */
size_t trade_off_within(const struct trade_off *all, size_t count,
        double bound_ns);

/* The one that a sample takes least energy in; `count`: it is not known. */
size_t trade_off_thrifty(const struct trade_off *all, size_t count);
