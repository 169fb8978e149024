/* pause.h -- waits for a moment. */
#pragma once

#include <stdint.h>

/* Returns at the moment, or up to a microsecond after it; at once when it has
 * passed.  The last stretch is spent awake, because a sleeping thread wakes up
 * tens of microseconds late. */
void pause_until(uint64_t mono_moment_ns);
