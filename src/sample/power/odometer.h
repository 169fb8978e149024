/* odometer.h -- the running total of a counter that wraps.
 *
 * Starts zeroed; the owner sets `wrap`.  The total begins with the counter's
 * first value, so it is the counter itself until it wraps for the first time.
 * It has to be read at least once between two wraps. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct odometer {
    uint64_t wrap; /* the highest value, after which it is 0; 0: never */
    uint64_t last;
    uint64_t total;
    bool primed;
};

static inline uint64_t odometer_total(struct odometer *o, uint64_t value)
{
    /* A step back without a wrap is a reset: what was counted since then is
     * the value itself. */
    bool back = o->primed && value < o->last;
    uint64_t base = o->primed && !back ? o->last : 0;

    o->total += value - base;
    if (back && o->last <= o->wrap)
        o->total += o->wrap - o->last;
    o->last = value;
    o->primed = true;
    return o->total;
}
