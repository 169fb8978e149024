/* tick_line.h -- makes nanoseconds of ticks (os/ticks.h).
 *
 * It is told now and then what both clocks say.  From each moment that is kept
 * a straight line goes on to the next one; the kernel bends its clock a little
 * all the time, to agree with the world, so one line is not enough.  A moment
 * once past is always told alike, whenever it is asked for. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TICK_KNOTS                                            \
    1024 /* the older half is forgotten when they are used up \
          */

struct tick_line {
    struct tick_knot {
        uint64_t ticks, ns;
        double ns_per_tick; /* from here on */
    } knots[TICK_KNOTS];
    size_t count;
};

/* What both clocks say at one moment, later than the one before. */
void tick_line_add(struct tick_line *l, uint64_t ticks, uint64_t ns);

/* Below two moments there is no line: 0. */
double tick_line_ns_per_tick(const struct tick_line *l);
uint64_t tick_line_ns(const struct tick_line *l, uint64_t ticks);
/* Of a duration, at today's rate. */
uint64_t tick_line_span_ns(const struct tick_line *l, uint64_t ticks);
