/* replay.h -- a stored run, told to subscribers as it was told when it was
 * recorded (model/subscriber.h). */
#pragma once

#include "base/error.h"
#include "model/subscriber.h"
#include "store/store.h"

/* Tells all of them the run, from `begin` to `close`: what happened seldom
 * first, by kind, then inferences, operator runs, sections, marks, tokens,
 * readings (`changes`) and rollups, each kind in the order in which it was
 * recorded.  A table is read once, for all, and not at all if nobody wants it.
 *
 * `end` and `close` come only where everything could be read.  Nobody may write
 * to the run meanwhile, nor add to it at its end: run_end.note is NULL. */
int store_replay(struct store *s, int64_t run, const struct subscribers *to,
        struct error *e);

/* The same for one. */
int store_replay_to(struct store *s, int64_t run, const struct subscriber *to,
        struct error *e);
