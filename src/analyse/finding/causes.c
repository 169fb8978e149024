#include "analyse/finding/causes.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* Tried on recorded noise: counters shifted in time name a cause in 2 % of
 * runs. */
#define SURE_Z 2.576
enum { CASES_LEAST = 3, AROUND_LEAST = 10 };
#define SHARE_LEAST        0.1
#define SHARE_LEAST_COARSE 0.3

/* Wilson's interval of a rate. */
static void wilson(double hits, double n, double *low, double *high)
{
    double z2 = SURE_Z * SURE_Z, p = hits / n, bottom = 1 + z2 / n;
    double middle = (p + z2 / (2 * n)) / bottom;
    double half = SURE_Z * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / bottom;

    *low = fmax(0, middle - half);
    *high = fmin(1, middle + half);
}

/* Marks the cases that are near a slow one; returns how many of the others
 * are. */
static size_t mark_near(bool *near, const struct cause_case *cases,
        size_t count)
{
    uint64_t until = 0;
    uint64_t from = UINT64_MAX;
    size_t others = 0;

    for (size_t i = 0; i < count; i++) {
        const struct cause_case *c = &cases[i];

        if (c->slow && c->start_ns + c->duration_ns + CAUSE_AROUND_NS > until)
            until = c->start_ns + c->duration_ns + CAUSE_AROUND_NS;
        near[i] = c->start_ns < until;
    }
    for (size_t i = count; i-- > 0;) {
        const struct cause_case *c = &cases[i];

        if (c->slow && c->start_ns < from)
            from = c->start_ns;
        if (from != UINT64_MAX &&
                c->start_ns + c->duration_ns + CAUSE_AROUND_NS > from)
            near[i] = true;
        others += near[i] && !c->slow;
    }
    return others;
}

struct counts {
    double slow, slow_with, others, others_with;
    double excess_ns, excess_with_ns;
};

static struct counts count_cases(const struct cause_case *cases,
        const bool *near, size_t count, const bool *there)
{
    struct counts n = { .slow = 0 };

    for (size_t i = 0; i < count; i++) {
        if (cases[i].slow) {
            n.slow++;
            n.excess_ns += cases[i].excess_ns;
            n.slow_with += there[i];
            n.excess_with_ns += there[i] ? cases[i].excess_ns : 0;
        } else if (near[i]) {
            n.others++;
            n.others_with += there[i];
        }
    }
    return n;
}

/* False: the cases give no evidence. */
static bool judge(struct cause_found *out, const struct counts *n, bool coarse)
{
    double low1, high1, low0, high0;

    if (n->slow_with < CASES_LEAST || n->others < 1 || n->excess_ns <= 0)
        return false;

    double p1 = n->slow_with / n->slow, p0 = n->others_with / n->others;

    wilson(n->slow_with, n->slow, &low1, &high1);
    wilson(n->others_with, n->others, &low0, &high0);
    if (p1 - p0 - hypot(p1 - low1, high0 - p0) <= 0)
        return false;
    out->slow = (size_t)n->slow_with;
    out->others = p0;
    out->share = n->excess_with_ns / n->excess_ns - p0;
    out->effect_ns = n->excess_with_ns / n->slow_with;
    return out->share >= (coarse ? SHARE_LEAST_COARSE : SHARE_LEAST);
}

static int by_share(const void *a, const void *b)
{
    const struct cause_found *x = a, *y = b;

    return (x->share < y->share) - (x->share > y->share);
}

size_t causes_find(struct cause_found *out, const struct cause_case *cases,
        size_t count, const struct cause *causes, size_t cause_count)
{
    bool *near = alloc_zero(count + 1, sizeof(*near));
    size_t found = 0;

    /* Long inferences have no others within reach: then all are around. */
    if (mark_near(near, cases, count) < AROUND_LEAST)
        for (size_t i = 0; i < count; i++)
            near[i] = true;
    for (size_t k = 0; k < cause_count; k++) {
        struct counts n = count_cases(cases, near, count, causes[k].there);

        out[found].cause = k;
        found += judge(&out[found], &n, causes[k].coarse);
    }
    qsort(out, found, sizeof(*out), by_share);
    free(near);
    return found;
}
