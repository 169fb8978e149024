/* activity.h -- what follows from a run's events while it goes on, as readings:
 * how many inferences of a session run at once, how long any of them did, how
 * many were traced; and how much CPU time others than the program take.
 *
 * Sessions become subjects at their first inference.  An inference is known
 * when it has ended, so what is told of a moment is told later: by as much as
 * the session's longest inference took, 250 ms at least. */
#pragma once

#include "live/loop.h"

struct activity;

/* It tells its readings to the loop, as a feed of it; both live as long.
 * `start_ns` is the run's start, of mono_ns(). */
struct activity *activity_new(struct loop *l, uint64_t start_ns);
void activity_free(struct activity *a);

/* Gets `session`, `session_end`, `inference`, `readings`; and `end`, when it
 * has something to tell: so it comes before all that keep readings. */
struct subscriber activity_subscriber(struct activity *a);
