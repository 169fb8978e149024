/* hist.c -- log-linear buckets.
 *
 *     value                bucket                       width
 *     0 to 127             value                        1
 *     128 to 255           128 + (value - 128) / 2      2
 *     256 to 511           192 + (value - 256) / 4      4
 *     2^e to 2^(e+1) - 1   64 (e - 6) + value / width   2^(e-6)
 *
 * value / width lies between 64 and 127 on each line but the first, so the
 * lines join without a gap, and the last bucket, for UINT64_MAX, is
 * 64 * 57 + 127 = HIST_BUCKETS - 1. */
#include "base/hist.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

static unsigned bucket_of(uint64_t value)
{
    unsigned shift = 0; /* the bucket is 2^shift wide */

    for (unsigned step = 32; step; step /= 2)
        if (value >> (shift + step) >= UINT64_C(1) << HIST_SUB_BITS)
            shift += step;
    return (shift << HIST_SUB_BITS) + (unsigned)(value >> shift);
}

/* The least value of a bucket, and how far the greatest is above it. */
static uint64_t least_of(unsigned bucket, uint64_t *above)
{
    unsigned line = bucket >> HIST_SUB_BITS;
    unsigned shift = line ? line - 1 : 0;

    *above = (UINT64_C(1) << shift) - 1;
    return (uint64_t)(bucket - (shift << HIST_SUB_BITS)) << shift;
}

static uint64_t middle_of(unsigned bucket)
{
    uint64_t above;
    uint64_t least = least_of(bucket, &above);

    return least + above / 2;
}

static void widen(struct hist *h, uint64_t min, uint64_t max)
{
    if (!h->count || min < h->min)
        h->min = min;
    if (!h->count || max > h->max)
        h->max = max;
}

void hist_add(struct hist *h, uint64_t value)
{
    widen(h, value, value);
    h->count++;
    h->sum += (double)value;
    h->bucket[bucket_of(value)]++;
}

void hist_merge(struct hist *into, const struct hist *from)
{
    if (!from->count)
        return;
    widen(into, from->min, from->max);
    into->count += from->count;
    into->sum += from->sum;
    for (size_t i = 0; i < HIST_BUCKETS; i++)
        into->bucket[i] += from->bucket[i];
}

uint64_t hist_quantile(const struct hist *h, double q)
{
    /* 0.07 * 100 is a little more than 7, and rank 8 is not what is meant. */
    double rank = ceil(q * (double)h->count * (1 - 2 * DBL_EPSILON));

    if (!(rank > 1))
        return h->min;
    if (rank >= (double)h->count)
        return h->max;

    uint64_t left = (uint64_t)rank;
    unsigned i = 0;

    while (i < HIST_BUCKETS - 1 && left > h->bucket[i])
        left -= h->bucket[i++];

    uint64_t value = middle_of(i);

    if (value < h->min)
        return h->min;
    return value > h->max ? h->max : value;
}

bool hist_next(const struct hist *h, unsigned *at, struct hist_range *out)
{
    uint64_t above;

    while (*at < HIST_BUCKETS && !h->bucket[*at])
        ++*at;
    if (*at == HIST_BUCKETS)
        return false;
    out->least = least_of(*at, &above);
    out->greatest = out->least + above;
    out->count = h->bucket[(*at)++];
    return true;
}
