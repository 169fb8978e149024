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

#include "base/alloc.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

static void add_many(struct hist *h, unsigned bucket, uint64_t count)
{
    uint64_t value = middle_of(bucket);

    widen(h, value, value);
    h->count += count;
    h->sum += (double)value * (double)count;
    h->bucket[bucket] += count;
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

/* Ranks count from 1. */
static uint64_t at_rank(const struct hist *h, double rank)
{
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

uint64_t hist_quantile(const struct hist *h, double q)
{
    /* 0.07 * 100 is a little more than 7, and rank 8 is not what is meant. */
    return at_rank(h, ceil(q * (double)h->count * (1 - 2 * DBL_EPSILON)));
}

double hist_median(const struct hist *h)
{
    double lower = floor(((double)h->count + 1) / 2);
    double upper = floor((double)h->count / 2) + 1;

    return ((double)at_rank(h, lower) + (double)at_rank(h, upper)) / 2;
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

/* --- in little memory, and as text ---------------------------------------- */

/* Makes room for the buckets from `first` to `last`. */
static void stretch(struct hist_part *p, unsigned first, unsigned last)
{
    unsigned used = last - first + 1;
    uint32_t *bucket = alloc_zero(used, sizeof(*bucket));

    if (p->used)
        memcpy(bucket + (p->first - first), p->bucket,
                p->used * sizeof(*bucket));
    free(p->bucket);
    p->bucket = bucket;
    p->first = (uint16_t)first;
    p->used = (uint16_t)used;
}

static void part_add_many(struct hist_part *p, unsigned at, uint64_t more)
{
    unsigned end = p->first + p->used;

    if (!p->used)
        stretch(p, at, at);
    else if (at < p->first)
        stretch(p, at, end - 1);
    else if (at >= end)
        stretch(p, p->first, at);

    uint32_t *count = &p->bucket[at - p->first];

    *count = more < UINT32_MAX - *count ? *count + (uint32_t)more : UINT32_MAX;
}

void hist_part_add(struct hist_part *p, uint64_t value)
{
    part_add_many(p, bucket_of(value), 1);
}

void hist_part_release(struct hist_part *p)
{
    free(p->bucket);
    *p = (struct hist_part){ 0 };
}

static uint64_t part_count(const struct hist_part *p)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < p->used; i++)
        count += p->bucket[i];
    return count;
}

/* Ranks count from 1. */
static uint64_t part_at_rank(const struct hist_part *p, double rank)
{
    uint64_t seen = 0;
    unsigned i = 0;

    if (!p->used)
        return 0;
    while (i + 1u < p->used && (double)(seen + p->bucket[i]) < rank)
        seen += p->bucket[i++];
    return middle_of(p->first + i);
}

uint64_t hist_part_quantile(const struct hist_part *p, double q)
{
    return part_at_rank(p,
            ceil(q * (double)part_count(p) * (1 - 2 * DBL_EPSILON)));
}

double hist_part_median(const struct hist_part *p)
{
    double count = (double)part_count(p);

    return ((double)part_at_rank(p, floor((count + 1) / 2)) +
                   (double)part_at_rank(p, floor(count / 2) + 1)) /
           2;
}

void hist_part_write(const struct hist_part *p, struct buf *out)
{
    const char *before = "[";
    uint64_t above;

    for (unsigned i = 0; i < p->used; i++)
        if (p->bucket[i]) {
            buf_printf(out, "%s%" PRIu64 ",%" PRIu32, before,
                    least_of(p->first + i, &above), p->bucket[i]);
            before = ",";
        }
    buf_text(out, *before == '[' ? "[]" : "]");
}

/* Takes digits and the sign behind them off the text; the sign, or 0. */
static char next_number(struct str *text, uint64_t *out)
{
    size_t len = 0;
    struct str digits = *text;

    while (len < text->len && text->p[len] >= '0' && text->p[len] <= '9')
        len++;
    digits.len = len;
    if (!len || len == text->len || str_u64(out, digits))
        return 0;

    char sign = text->p[len];

    text->p += len + 1;
    text->len -= len + 1;
    return sign;
}

/* Calls `add` for each bucket that was written. */
static int each_written(struct str text,
        void (*add)(void *to, unsigned bucket, uint64_t count), void *to)
{
    char sign = ',';

    if (str_is(text, "[]"))
        return 0;
    if (!text.len || *text.p != '[')
        return -EINVAL;
    text.p++;
    text.len--;
    while (sign == ',') {
        uint64_t value, count;

        if (next_number(&text, &value) != ',')
            return -EINVAL;
        sign = next_number(&text, &count);
        if (sign != ',' && sign != ']')
            return -EINVAL;
        if (count)
            add(to, bucket_of(value), count);
    }
    return text.len ? -EINVAL : 0;
}

static void add_to_whole(void *to, unsigned bucket, uint64_t count)
{
    add_many(to, bucket, count);
}

int hist_read(struct hist *into, struct str text)
{
    return each_written(text, add_to_whole, into);
}

static void add_to_part(void *to, unsigned bucket, uint64_t count)
{
    part_add_many(to, bucket, count);
}

int hist_part_read(struct hist_part *into, struct str text)
{
    return each_written(text, add_to_part, into);
}
