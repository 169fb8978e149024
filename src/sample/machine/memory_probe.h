/* memory_probe.h -- how long a load takes that has to wait for the one before,
 * at random over more memory than the nearest caches hold.
 *
 * What neighbours do to the caches and to memory slows programs by a third and
 * shows in no counter of a guest; here it shows. */
#pragma once

#include <stdint.h>

#define MEMORY_PROBE_LINES 32768 /* of 64 bytes: 2 MiB */

struct memory_probe {
    struct {
        uint32_t next;
        uint32_t unused[15];
    } lines[MEMORY_PROBE_LINES];
    uint32_t end; /* where the last probe came to */
};

/* Makes one cycle of all lines, in an order that no prefetcher guesses; the
 * same each time. */
void memory_probe_init(struct memory_probe *p);

/* Goes along the cycle: two thousand loads, always the same, so that they are
 * in the caches unless somebody pushed them out since.  Seconds of one of them;
 * what interrupts us for a while does not count. */
double memory_probe_load_s(struct memory_probe *p);
