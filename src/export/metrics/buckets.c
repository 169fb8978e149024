#include "export/metrics/buckets.h"

#include <string.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

static const struct bucket_bounds seconds = {
    { US, 2500, 5 * US, 10 * US, 25 * US, 50 * US, 100 * US, 250 * US, 500 * US,
            MS, 2500 * US, 5 * MS, 10 * MS, 25 * MS, 50 * MS, 100 * MS,
            250 * MS, 500 * MS, S, 2500 * MS, 5 * S, 10 * S, 25 * S, 50 * S,
            100 * S },
    25,
    1e9,
};

/* The next two: semantic-conventions-genai, gen_ai.server.*. */
static const struct bucket_bounds first_token = {
    { MS, 5 * MS, 10 * MS, 20 * MS, 40 * MS, 60 * MS, 80 * MS, 100 * MS,
            250 * MS, 500 * MS, 750 * MS, S, 2500 * MS, 5 * S, 7500 * MS,
            10 * S },
    16,
    1e9,
};

static const struct bucket_bounds next_token = {
    { 10 * MS, 25 * MS, 50 * MS, 75 * MS, 100 * MS, 150 * MS, 200 * MS,
            300 * MS, 400 * MS, 500 * MS, 750 * MS, S, 2500 * MS },
    13,
    1e9,
};

static const struct bucket_bounds bytes = {
    { 0, 64, 256, 1024, 4096, 16384, 65536, 262144, 1 << 20, 1 << 22, 1 << 24,
            1 << 26, 1 << 28, 1 << 30, UINT64_C(1) << 32 },
    15,
    1,
};

static const struct bucket_bounds things = {
    { 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384,
            32768, 65536, 131072 },
    19,
    1,
};

const struct bucket_bounds *bucket_bounds_of(enum metric_id metric)
{
    const char *unit = metric_table[metric].unit;

    if (metric == METRIC_time_to_first_token_seconds)
        return &first_token;
    if (metric == METRIC_time_per_output_token_seconds)
        return &next_token;
    if (strcmp(unit, "seconds") == 0)
        return &seconds;
    return strcmp(unit, "bytes") == 0 ? &bytes : &things;
}

void buckets_init(struct buckets *b, enum metric_id metric)
{
    *b = (struct buckets){ .bounds = bucket_bounds_of(metric) };
}

void buckets_add(struct buckets *b, uint64_t value, uint64_t times)
{
    size_t i = 0;

    if (!times)
        return;
    while (i < b->bounds->count && value > b->bounds->at[i])
        i++;
    if (!b->count || value < b->min)
        b->min = value;
    if (value > b->max)
        b->max = value;
    b->counts[i] += times;
    b->count += times;
    b->sum += (double)value * (double)times;
}

double buckets_bound(const struct buckets *b, size_t i)
{
    return (double)b->bounds->at[i] / b->bounds->per_unit;
}

double buckets_sum(const struct buckets *b)
{
    return b->sum / b->bounds->per_unit;
}
