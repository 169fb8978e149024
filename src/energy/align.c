#include "energy/align.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

#define STEP_LEAST_NS 1000000ull
#define POINTS_MAX    20000
#define POINTS_LEAST  20

struct grid {
    double *value;
    size_t count;
    uint64_t start_ns, step_ns;
};

/* The value at each step, straight between two readings; NaN outside. */
static void resample(struct grid *g, const struct series_reading *r,
        size_t count)
{
    size_t at = 0;

    g->value = alloc_zero(g->count + 1, sizeof(*g->value));
    for (size_t i = 0; i < g->count; i++) {
        uint64_t now = g->start_ns + i * g->step_ns;

        while (at + 1 < count && r[at + 1].time_ns <= now)
            at++;
        g->value[i] = NAN;
        if (!count || now < r[at].time_ns)
            continue;
        if (at + 1 < count) {
            double part = (double)(now - r[at].time_ns) /
                          (double)(r[at + 1].time_ns - r[at].time_ns);

            g->value[i] = r[at].value + part * (r[at + 1].value - r[at].value);
        } else if (now == r[at].time_ns) {
            g->value[i] = r[at].value;
        }
    }
}

/* With `b` moved by so many steps to the right. */
static double correlate(const struct grid *a, const struct grid *b, long moved)
{
    double n = 0, sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;

    for (size_t i = 0; i < a->count; i++) {
        long j = (long)i - moved;

        if (j < 0 || (size_t)j >= b->count || isnan(a->value[i]) ||
                isnan(b->value[j]))
            continue;

        double x = a->value[i], y = b->value[j];

        n++;
        sa += x;
        sb += y;
        saa += x * x;
        sbb += y * y;
        sab += x * y;
    }

    double va = n * saa - sa * sa, vb = n * sbb - sb * sb;

    if (n < POINTS_LEAST || !(va > 1e-9 * n * saa) || !(vb > 1e-9 * n * sbb))
        return 0;
    return (n * sab - sa * sb) / sqrt(va * vb);
}

/* Where the parabola through three neighbours has its top, in steps. */
static double top(double before, double here, double after)
{
    double bend = before - 2 * here + after;

    return bend < 0 ? (before - after) / (2 * bend) : 0;
}

static uint64_t middle_gap(const struct series_reading *r, size_t count)
{
    return count > 1 ? (r[count - 1].time_ns - r[0].time_ns) / (count - 1) : 0;
}

struct align align_find(const struct series_reading *fixed, size_t fixed_count,
        const struct series_reading *moved, size_t moved_count,
        uint64_t limit_ns)
{
    struct align out = { 0 };

    if (fixed_count < 2 || moved_count < 2)
        return out;

    uint64_t start = fixed[0].time_ns, end = fixed[fixed_count - 1].time_ns;
    uint64_t gap = middle_gap(fixed, fixed_count);
    uint64_t other = middle_gap(moved, moved_count);
    struct grid a = { .start_ns = start };

    a.step_ns = (gap < other ? gap : other) / 2;
    if (a.step_ns < STEP_LEAST_NS)
        a.step_ns = STEP_LEAST_NS;
    if (a.step_ns < (end - start) / POINTS_MAX)
        a.step_ns = (end - start) / POINTS_MAX;
    a.count = (end - start) / a.step_ns + 1;

    struct grid b = a;
    long limit = (long)(limit_ns / a.step_ns);
    long best = 0;

    resample(&a, fixed, fixed_count);
    resample(&b, moved, moved_count);
    out.correlation = -1;
    for (long m = -limit; m <= limit; m++) {
        double c = correlate(&a, &b, m);

        if (c > out.correlation) {
            out.correlation = c;
            best = m;
        }
    }

    double fine = top(correlate(&a, &b, best - 1), out.correlation,
            correlate(&a, &b, best + 1));

    out.offset_ns = (int64_t)(((double)best + fine) * (double)a.step_ns);
    out.found = out.correlation >= ALIGN_CORRELATION_LEAST && best > -limit &&
                best < limit;
    if (!out.found)
        out.offset_ns = 0;
    free(a.value);
    free(b.value);
    return out;
}
