/* align.h -- how far two clocks are apart, from what both saw.
 *
 * A meter's watts follow the machine's load.  Both are laid over each other at
 * every offset up to a limit, and where they correlate best, the clocks agree.
 * A load that never changes tells nothing: the correlation is then low. */
#pragma once

#include "energy/series.h"

#include <stdbool.h>

/* Good enough to move a clock by. */
#define ALIGN_CORRELATION_LEAST 0.6

struct align {
    int64_t offset_ns;  /* to be added to the times of `moved` */
    double correlation; /* there, -1 to 1 */
    bool found;         /* it is good enough, and not at the limit */
};

/* Both are values over time (watts, busy threads, ...), in order; the unit does
 * not matter.  `moved` is shifted by at most `limit_ns` either way. */
struct align align_find(const struct series_reading *fixed, size_t fixed_count,
        const struct series_reading *moved, size_t moved_count,
        uint64_t limit_ns);
