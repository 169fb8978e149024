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

#include "base/buf.h"

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

/* The value in the middle, or the mean of the two there; 0 when it is empty. */
double hist_median(const struct hist *h);

/* A bucket that is not empty. */
struct hist_range {
    uint64_t least, greatest; /* values that it is for */
    uint64_t count;
};

/* Takes the next such bucket: `at` starts at 0 and belongs to the walk.  False:
 * there are no more. */
bool hist_next(const struct hist *h, unsigned *at, struct hist_range *out);

/* --- in little memory, and as text ---------------------------------------- */

/* The same buckets, of which only those between the least and the greatest
 * value take memory.  Starts zeroed. */
struct hist_part {
    uint32_t *bucket; /* a count that is too large stays at UINT32_MAX */
    uint16_t first, used;
};

void hist_part_add(struct hist_part *p, uint64_t value);
void hist_part_release(struct hist_part *p);
/* As hist_quantile(), to the middle of a bucket; 0 when it is empty. */
uint64_t hist_part_quantile(const struct hist_part *p, double q);
/* As hist_median(), of those. */
double hist_part_median(const struct hist_part *p);

/* Adds "[1208,4,1224,17]": of each bucket that is not empty its least value,
 * and how many are in it. */
void hist_part_write(const struct hist_part *p, struct buf *out);

/* Adds to a histogram what was written so.  Least, greatest and sum are then
 * those of the buckets' middles: who knows better sets them.  -EINVAL: it was
 * not; what came before is added. */
int hist_read(struct hist *into, struct str text);
/* The same for what takes little memory. */
int hist_part_read(struct hist_part *into, struct str text);
