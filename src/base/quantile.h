/* quantile.h -- percentiles, by the one definition that all figures have.
 *
 * The nearest rank: the smallest value that a share `q` of all does not exceed.
 * That of a half is the median: the value in the middle, or the mean of the two
 * there.  hist.h has the same for what is only counted. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Of values in order, the smallest first; there is one at least. */
double quantile_u64(const uint64_t *sorted, size_t count, double q);
double quantile_real(const double *sorted, size_t count, double q);

/* Which values that is: the mean of the two that these ranks have, which count
 * from 0 and are mostly the same. */
struct quantile_ranks {
    uint64_t lower, upper;
};

struct quantile_ranks quantile_ranks(uint64_t count, double q);
