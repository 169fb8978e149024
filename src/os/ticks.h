/* ticks.h -- the processor's own counter of time: read in a third of the time
 * that mono_ns() takes, and by whom nothing may cost.  Somebody with more time
 * makes nanoseconds of it (collect/tick_line.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Only where ticks_are_steady(). */
static inline uint64_t ticks_now(void)
{
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

/* Whether there is a counter that runs alike on all cores for all time.  The
 * kernel watches it and knows; where it keeps time by anything else, or does
 * not tell, this is false. */
bool ticks_are_steady(void);

/* The same moment by both clocks.  False: we were interrupted at it, each time
 * that we tried. */
bool ticks_and_ns(uint64_t *ticks, uint64_t *mono);
