/* throttle_watch.h -- when the machine was held back in a run: found on the way
 * through what the store has of it, in memory that grows with its seconds and
 * not with its inferences.
 *
 *     struct throttle_watch *w = throttle_watch_new();
 *
 *     ... throttle_watch_reading(w, r) for each reading, and so on ...
 *     throttle_watch_finish(w, &throttling); */
#pragma once

#include "energy/throttle.h"
#include "model/reading.h"
#include "model/run.h"

struct throttle_watch;

struct throttle_watch *throttle_watch_new(void);
/* NULL is welcome. */
void throttle_watch_free(struct throttle_watch *w);

/* Each in the order of the store; what does not bear on it is passed over. */
void throttle_watch_reading(struct throttle_watch *w, const struct reading *r);
void throttle_watch_rollup(struct throttle_watch *w, const struct rollup *r);
void throttle_watch_span(struct throttle_watch *w, const struct span *s);

/* What sensors say, what the clock shows, and where inferences of one session
 * and phase took longer.  `out` starts zeroed; throttling_release(). */
void throttle_watch_finish(const struct throttle_watch *w,
        struct throttling *out);
