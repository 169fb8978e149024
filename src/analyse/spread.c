#include "analyse/spread.h"

#include "base/alloc.h"
#include "base/quantile.h"

#include <math.h>
#include <stdlib.h>

static void spill(struct spread *s)
{
    s->hist = alloc_zero(1, sizeof(*s->hist));
    for (size_t i = 0; i < s->count; i++)
        hist_add(s->hist, s->kept[i]);
    free(s->kept);
    s->kept = NULL;
    s->cap = 0;
}

static void keep(struct spread *s, uint64_t value)
{
    if (!s->hist && s->count == SPREAD_EXACT)
        spill(s);
    if (s->hist) {
        hist_add(s->hist, value);
        return;
    }
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 256;
        s->kept = alloc_resize(s->kept, s->cap * sizeof(*s->kept));
    }
    s->kept[s->count] = value;
}

void spread_add(struct spread *s, uint64_t value)
{
    keep(s, value);
    if (s->count)
        s->steps += fabs((double)value - (double)s->last);
    s->min = !s->count || value < s->min ? value : s->min;
    s->max = value > s->max ? value : s->max;
    s->last = value;
    s->count++;

    double off = (double)value - s->mean;

    s->mean += off / (double)s->count;
    s->squares += off * ((double)value - s->mean);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static double quantile(const struct spread *s, double q, uint64_t least)
{
    if (s->count < least)
        return NAN;
    return s->hist ? (double)hist_quantile(s->hist, q)
                   : quantile_u64(s->kept, s->count, q);
}

/* The only one there is, also where it is called p50. */
static double median(const struct spread *s)
{
    return s->hist ? hist_median(s->hist) : quantile(s, 0.5, 1);
}

bool spread_figures(struct spread *s, struct spread_figures *out)
{
    if (!s->count)
        return false;
    if (!s->hist)
        qsort(s->kept, s->count, sizeof(*s->kept), by_value);

    double pairs = (double)(s->count - 1);

    *out = (struct spread_figures){
        .count = s->count,
        .mean = s->mean,
        .median = median(s),
        .min = (double)s->min,
        .max = (double)s->max,
        .stddev = pairs > 0 ? sqrt(s->squares / pairs) : 0,
        .jitter = pairs > 0 ? s->steps / pairs : 0,
        .pairs = s->count - 1,
        .p50 = median(s),
        .p90 = quantile(s, 0.90, SPREAD_PERCENTILES_LEAST),
        .p95 = quantile(s, 0.95, SPREAD_PERCENTILES_LEAST),
        .p99 = quantile(s, 0.99, SPREAD_PERCENTILES_LEAST),
        .p99_9 = quantile(s, 0.999, SPREAD_P99_9_LEAST),
        .relative_error = s->hist ? HIST_RELATIVE_ERROR : 0,
    };
    return true;
}

void spread_release(struct spread *s)
{
    free(s->kept);
    free(s->hist);
    *s = (struct spread){ 0 };
}
