#include "energy/throttle.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_DEPTH   0.10
#define LATENCY_DEPTH 0.15
#define LEAST_NS      1000000000ull
#define USUAL_SHARE   0.75 /* the quantile that counts as usual */
#define LEAST_POINTS  8

const char *throttle_sign_name(enum throttle_sign sign)
{
    static const char *const names[] = {
        [THROTTLE_FLAG] = "sensor",
        [THROTTLE_CLOCK] = "clock",
        [THROTTLE_LATENCY] = "latency",
    };

    return names[sign];
}

unsigned throttle_percent(const struct throttle_interval *x)
{
    return (unsigned)lround(100 * x->depth);
}

void throttling_release(struct throttling *t)
{
    free(t->items);
    *t = (struct throttling){ 0 };
}

/* Lengthens the last interval where it goes on. */
static void add(struct throttling *t, const struct throttle_interval *x)
{
    struct throttle_interval *last = t->count ? &t->items[t->count - 1] : NULL;

    if (last && last->sign == x->sign && last->end_ns == x->start_ns) {
        last->end_ns = x->end_ns;
        last->depth = fmax(last->depth, x->depth);
        return;
    }
    if (!t->items || t->count == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 16;
        t->items = alloc_resize(t->items, t->cap * sizeof(*t->items));
    }
    t->items[t->count++] = *x;
}

void throttle_from_flag(struct throttling *t, const struct series_reading *r,
        size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (r[i - 1].value > 0)
            add(t, &(struct throttle_interval){ r[i - 1].time_ns, r[i].time_ns,
                           THROTTLE_FLAG, 0 });
}

void throttle_from_counter(struct throttling *t, const struct series_reading *r,
        size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (r[i].value > r[i - 1].value)
            add(t, &(struct throttle_interval){ r[i - 1].time_ns, r[i].time_ns,
                           THROTTLE_FLAG, 0 });
}

/* --- drift ---------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double quantile(const struct series_reading *r, size_t count, double q)
{
    double *sorted = alloc_zero(count, sizeof(*sorted));

    for (size_t i = 0; i < count; i++)
        sorted[i] = r[i].value;
    qsort(sorted, count, sizeof(*sorted), by_value);

    double value = sorted[(size_t)(q * (double)(count - 1))];

    free(sorted);
    return value;
}

/* Means over a quarter of a second each, at its beginning. */
static size_t coarse(struct series_reading *out, const struct series_reading *r,
        size_t count)
{
    size_t made = 0;

    for (size_t i = 0; i < count;) {
        uint64_t until_ns = r[i].time_ns + THROTTLE_STEP_NS;
        double sum = 0;
        size_t n = 0, first = i;

        for (; i < count && r[i].time_ns < until_ns; i++, n++)
            sum += r[i].value;
        out[made++] =
                (struct series_reading){ r[first].time_ns, sum / (double)n };
    }
    return made;
}

/* Stretches of at least a second in which the value, taken so that more is
 * worse, lies above `limit`. */
static void find(struct throttling *t, const struct series_reading *r,
        size_t count, double usual, double depth, enum throttle_sign sign)
{
    size_t begin = 0;
    double worst = 0;

    for (size_t i = 0; i <= count; i++) {
        double off = i < count
                             ? (sign == THROTTLE_CLOCK ? 1 - r[i].value / usual
                                                       : r[i].value / usual - 1)
                             : 0;

        if (off > depth) {
            worst = fmax(worst, off);
            continue;
        }

        uint64_t end_ns = i < count ? r[i].time_ns : r[count - 1].time_ns;

        if (i > begin && end_ns - r[begin].time_ns >= LEAST_NS)
            add(t, &(struct throttle_interval){ r[begin].time_ns, end_ns, sign,
                           worst });
        begin = i + 1;
        worst = 0;
    }
}

static void drift(struct throttling *t, const struct series_reading *r,
        size_t count, double depth, enum throttle_sign sign)
{
    struct series_reading *means = alloc_zero(count + 1, sizeof(*means));
    size_t n = coarse(means, r, count);
    double q = sign == THROTTLE_CLOCK ? USUAL_SHARE : 1 - USUAL_SHARE;

    if (n >= LEAST_POINTS) {
        double usual = quantile(means, n, q);

        if (usual > 0)
            find(t, means, n, usual, depth, sign);
    }
    free(means);
}

void throttle_from_clock(struct throttling *t, const struct series_reading *r,
        size_t count)
{
    drift(t, r, count, CLOCK_DEPTH, THROTTLE_CLOCK);
}

void throttle_from_latency(struct throttling *t, const struct series_reading *r,
        size_t count)
{
    drift(t, r, count, LATENCY_DEPTH, THROTTLE_LATENCY);
}

static int by_start(const void *a, const void *b)
{
    const struct throttle_interval *x = a, *y = b;

    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int by_sign(const void *a, const void *b)
{
    const struct throttle_interval *x = a, *y = b;

    if (x->sign != y->sign)
        return x->sign < y->sign ? -1 : 1;
    return by_start(a, b);
}

void throttling_merge(struct throttling *t)
{
    size_t kept = 0;

    if (!t->count)
        return;
    qsort(t->items, t->count, sizeof(*t->items), by_sign);
    for (size_t i = 1; i < t->count; i++) {
        struct throttle_interval *last = &t->items[kept];
        const struct throttle_interval *x = &t->items[i];

        if (x->sign != last->sign || x->start_ns > last->end_ns) {
            t->items[++kept] = *x;
            continue;
        }
        if (x->end_ns > last->end_ns)
            last->end_ns = x->end_ns;
        last->depth = fmax(last->depth, x->depth);
    }
    t->count = kept + 1;
}

uint64_t throttling_ns(const struct throttling *t)
{
    struct throttle_interval *sorted =
            alloc_zero(t->count + 1, sizeof(*sorted));
    uint64_t sum = 0, until = 0;

    if (t->count)
        memcpy(sorted, t->items, t->count * sizeof(*sorted));
    qsort(sorted, t->count, sizeof(*sorted), by_start);
    for (size_t i = 0; i < t->count; i++) {
        uint64_t from = sorted[i].start_ns > until ? sorted[i].start_ns : until;

        if (sorted[i].end_ns <= from)
            continue;
        sum += sorted[i].end_ns - from;
        until = sorted[i].end_ns;
    }
    free(sorted);
    return sum;
}
