#include "base/quantile.h"

#include <float.h>
#include <math.h>

struct quantile_ranks quantile_ranks(uint64_t count, double q)
{
    /* 0.07 * 100 is a little more than 7, and rank 8 is not what is meant. */
    double rank = ceil(q * (double)count * (1 - 2 * DBL_EPSILON));
    uint64_t at = rank < 1 ? 0 : (uint64_t)rank - 1;

    at = at < count ? at : count - 1;
    if (q < 0.5 || q > 0.5 || count % 2)
        return (struct quantile_ranks){ at, at };
    return (struct quantile_ranks){ count / 2 - 1, count / 2 };
}

double quantile_u64(const uint64_t *sorted, size_t count, double q)
{
    struct quantile_ranks r = quantile_ranks(count, q);

    return ((double)sorted[r.lower] + (double)sorted[r.upper]) / 2;
}

double quantile_real(const double *sorted, size_t count, double q)
{
    struct quantile_ranks r = quantile_ranks(count, q);

    return (sorted[r.lower] + sorted[r.upper]) / 2;
}
