/* meter_feed.h -- an external meter while a program runs: its lines, as they
 * come, become readings of watts.
 *
 * Times are the meter's own, put on our clock as if both clocks agreed; how far
 * they are apart is found later, from the load (align.h). */
#pragma once

#include "base/error.h"
#include "model/reading.h"

#include <stdint.h>

struct meter_feed;

typedef void meter_feed_take(void *context, const struct reading *r);

/* `subject` is the meter's.  Readings have times of mono_ns(), which was
 * `mono_ns` when the calendar showed `wall_ns`. */
struct meter_feed_plan {
    const char *name; /* as in inflow.h */
    uint32_t subject;
    uint64_t wall_ns, mono_ns;
    meter_feed_take *take;
    void *context;
};

int meter_feed_open(struct meter_feed **out, const struct meter_feed_plan *plan,
        struct error *e);

/* Takes what is there, and does not wait for more. */
void meter_feed_poll(struct meter_feed *f);

/* What came: lines that could be read, and others; and, unless it is 0, why
 * reading ended, a negative errno value. */
uint64_t meter_feed_samples(const struct meter_feed *f);
uint64_t meter_feed_bad(const struct meter_feed *f);
int meter_feed_error(const struct meter_feed *f);

/* NULL is welcome. */
void meter_feed_close(struct meter_feed *f);
