/* schedule.h -- when what is due, with few wake-ups.
 *
 * Everything has a rate of its own and absolute deadlines: a late tick does not
 * shift those after it, and deadlines that were slept through are counted,
 * never made up for.  Whatever is slower than the fastest is due at that tick
 * of the fastest that is nearest to its deadline, so that nobody wakes up for
 * it alone, and its mean rate is its own.  Arithmetic only. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_MAX 64
#define SCHEDULE_OFF UINT64_MAX

struct schedule {
    uint64_t next_ns[SCHEDULE_MAX]; /* SCHEDULE_OFF: it is never due */
    uint64_t period_ns[SCHEDULE_MAX];
    size_t count;
    size_t fastest; /* of those that are ever due */
};

/* One more, which is never due yet.  Returns its number. */
size_t schedule_add(struct schedule *s);

/* Its first deadline, and its rate from now on. */
void schedule_start(struct schedule *s, size_t i, double hz, uint64_t first_ns);

/* Another rate.  A deadline that is further away than the new period comes
 * sooner; one that is near stays. */
void schedule_change(struct schedule *s, size_t i, double hz, uint64_t now_ns);

/* When to wake up next; SCHEDULE_OFF: never. */
uint64_t schedule_next_ns(const struct schedule *s);

/* Up to which deadline is due at `now_ns`, so that none needs a wake-up of its
 * own. */
uint64_t schedule_horizon_ns(const struct schedule *s, uint64_t now_ns);

/* To its next deadline that is still to come.  Returns how many passed by
 * without being met. */
uint64_t schedule_advance(struct schedule *s, size_t i, uint64_t now_ns);
