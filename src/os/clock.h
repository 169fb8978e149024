/* clock.h -- the one clock every timestamp comes from, and its distance to the
 * calendar. */
#pragma once

#include <stdint.h>

/* Nanoseconds since some fixed moment, the same for all processes of the
 * machine.  Never goes back.  Cannot fail. */
uint64_t mono_ns(void);

/* Nanoseconds since 1970, UTC.  May jump; only for showing dates. */
uint64_t wall_ns(void);

/* CPU time that this process has used, in nanoseconds. */
uint64_t own_cpu_ns(void);

/* CPU time that the calling thread has used, in nanoseconds. */
uint64_t thread_cpu_ns(void);
