/* hist.h -- how often each duration occurred, in fixed memory.
 *
 * Log-linear buckets over the whole range of uint64_t: below 128 one to each
 * value, above 64 to each power of two.  The bucket of a value between 2^e and
 * 2^(e+1) is therefore 2^e / 64 wide, and a quantile answers with its middle:
 * less than 1/128 (0.79 %) of the true value off.  HIST_RELATIVE_ERROR, which
 * reports quote, states 1 % with room to spare.
 *
 * Count, least and greatest are exact; so is the sum while it is below 2^53
 * (104 days of nanoseconds), and above that it is rounded like any double.
 * Histograms of parts merge to the histogram of the whole, without further
 * loss.  Starts zeroed.  Nothing here allocates. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HIST_RELATIVE_ERROR 0.01
#define HIST_SUB_BITS       6
#define HIST_BUCKETS        ((64 - HIST_SUB_BITS + 1) << HIST_SUB_BITS)

struct hist {
    uint64_t count;
    uint64_t min; /* 0 while it is empty, like max */
    uint64_t max;
    double sum;
    uint64_t bucket[HIST_BUCKETS];
};

void hist_add(struct hist *h, uint64_t value);

/* Adds all of `from` to `into`. */
void hist_merge(struct hist *into, const struct hist *from);

/* The value below or at which a share `q` (0 to 1) of the values lie: the
 * nearest rank, never outside [min, max]; 0 gives min and 1 gives max, exactly.
 * 0 when the histogram is empty: ask `count` first. */
uint64_t hist_quantile(const struct hist *h, double q);

/* A bucket that is not empty. */
struct hist_range {
    uint64_t least, greatest; /* values that it is for */
    uint64_t count;
};

/* Takes the next such bucket: `at` starts at 0 and belongs to the walk.  False:
 * there are no more. */
bool hist_next(const struct hist *h, unsigned *at, struct hist_range *out);
