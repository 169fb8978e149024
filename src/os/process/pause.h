/* pause.h -- waits for a moment. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns at the moment, or up to a microsecond after it; at once when it has
 * passed.  The last stretch is spent awake, because a sleeping thread wakes up
 * tens of microseconds late. */
void pause_until(uint64_t mono_moment_ns);

/* Sleeps until the moment, and takes no CPU time.  Returns up to tens of
 * microseconds after it; at once when it has passed.  False: a signal came
 * first. */
bool sleep_until(uint64_t mono_moment_ns);

/* From now on this thread is woken as punctually as the system can. */
void sleep_sharply(void);
