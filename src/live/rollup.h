/* rollup.h -- thins out readings for those who keep them.
 *
 * Of all readings it tells every change, and of a value that stays the same one
 * reading a second: nothing is lost by it, and a quiet program takes little
 * room.  Of energy and power the last reading before each change is told as
 * well, because it shows when they changed.  Every second of every series is
 * told as a rollup. */
#pragma once

#include "model/subscriber.h"

struct rollups;

/* Gets `readings`; tells `to`, which has both functions, `changes` and, when a
 * second is over or the run ends, `rollup`. */
struct rollups *rollups_new(const struct subscriber *to);
void rollups_free(struct rollups *r);

struct subscriber rollups_subscriber(struct rollups *r);
