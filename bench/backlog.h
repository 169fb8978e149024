/* backlog.h -- keeps this process from running away from its collector, so that
 * what is timed is a record being kept, and not one being dropped.
 *
 * Looks into the ring that the hook made in the folder ORTMETER_DIR, as the
 * collector does (wire/record.h).  What fails ends the program. */
#pragma once

#include "wire/ring.h"

/* After the hook has entered. */
struct ring backlog_open(void);

/* Returns when at least half of the ring is free. */
void backlog_wait(const struct ring *r);
