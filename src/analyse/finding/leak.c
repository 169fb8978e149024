#include "analyse/finding/leak.h"

#include "base/compiler.h"
#include "base/sort.h"

#include <math.h>
#include <stdbool.h>

enum { STRETCHES = 30, FLOORS_LEAST = 20, TAIL = 10, FALLS_LEAST = 5 };
#define PAIRS (STRETCHES * (STRETCHES - 1) / 2)

/* Found on recordings and made series: with less than 0.1 % of flat ones called
 * a leak. */
#define SURE_Z         3.3
#define STILL_Z        1.96
#define STEP_BYTES     (256. * 1024)
#define GROWN_BYTES    (256. * 1024)
#define STILL_BYTES    (43. * 1024)
#define HARMLESS_BYTES (512. * 1024) /* over the whole */
#define Z_99           2.576

const char *leak_verdict_name(enum leak_verdict v)
{
    static const char *const names[] = {
        [LEAK_CANNOT_TELL] = "cannot_tell",
        [LEAK_NONE] = "none",
        [LEAK_ENDED] = "ended",
        [LEAK_FOUND] = "leak",
    };

    return names[v];
}

/* The lowest point of each of STRETCHES equal stretches; some may have none.
 * Returns how many there are. */
static int find_floors(struct leak_point *floors,
        const struct leak_point *points, size_t count)
{
    double from = points[0].at;
    double width = (points[count - 1].at - from) / STRETCHES;
    size_t i = 0;
    int n = 0;

    if (width <= 0)
        return 0;
    for (int k = 0; k < STRETCHES; k++) {
        double end = k + 1 < STRETCHES ? from + (k + 1) * width : INFINITY;
        size_t first = i, least = i;

        for (; i < count && points[i].at < end; i++)
            if (points[i].bytes < points[least].bytes)
                least = i;
        if (i > first)
            floors[n++] = points[least];
    }
    return n;
}

/* Takes the largest step out, if it is most of the growth. */
static void forgive_step(struct leak_point *floors, int n)
{
    double grown = floors[n - 1].bytes - floors[0].bytes, step = 0;
    int at = 0;

    for (int k = 1; k < n; k++)
        if (floors[k].bytes - floors[k - 1].bytes > step) {
            step = floors[k].bytes - floors[k - 1].bytes;
            at = k;
        }
    if (step <= fmax(STEP_BYTES, grown / 2))
        return;
    for (int k = at; k < n; k++)
        floors[k].bytes -= step;
}

struct line {
    double slope, low, high; /* bytes of an inference */
    double z;
};

/* How much the variance of Kendall's count is less, where values are equal. */
static double tied(const struct leak_point *y, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++) {
        int before = 0, equal = 0;

        for (int j = 0; j < n; j++) {
            before += j < i && y[j].bytes == y[i].bytes;
            equal += y[j].bytes == y[i].bytes;
        }
        if (!before)
            sum += (double)equal * (equal - 1) * (2 * equal + 5);
    }
    return sum;
}

static struct line lay_line(const struct leak_point *y, int n)
{
    double slopes[PAIRS], score = 0;
    int pairs = 0;

    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            score += (y[j].bytes > y[i].bytes) - (y[j].bytes < y[i].bytes);
            slopes[pairs++] = (y[j].bytes - y[i].bytes) / (y[j].at - y[i].at);
        }
    sort_doubles(slopes, (size_t)pairs);

    double variance = ((double)n * (n - 1) * (2 * n + 5) - tied(y, n)) / 18;
    double error = sqrt(variance), half = Z_99 * error / 2;
    double middle = (pairs - 1) / 2.;
    struct line l = {
        .slope = (slopes[(int)floor(middle)] + slopes[(int)ceil(middle)]) / 2,
        .low = slopes[(int)fmax(0, floor(middle - half))],
        .high = slopes[(int)fmin(pairs - 1, ceil(middle + half))],
    };

    if (variance > 0)
        l.z = (score - (score > 0) + (score < 0)) / error;
    return l;
}

/* `inferences`: in all that is looked at; the tail is a third of it. */
static enum leak_verdict judge(const struct line *all, const struct line *tail,
        double inferences)
{
    bool grew = all->z >= SURE_Z && all->slope * inferences >= GROWN_BYTES;

    if (grew && tail->z >= STILL_Z &&
            tail->slope * inferences * TAIL / STRETCHES >= STILL_BYTES)
        return LEAK_FOUND;
    if (all->high * inferences < HARMLESS_BYTES)
        return LEAK_NONE;
    if (tail->high * inferences < HARMLESS_BYTES)
        return LEAK_ENDED;
    return LEAK_CANNOT_TELL;
}

/* --- what is freed in bulk ------------------------------------------------ */

/* How far it ever fell below what it had been. */
static double deepest_fall(const struct leak_point *floors, int n)
{
    double most = floors[0].bytes, fall = 0;

    for (int k = 1; k < n; k++) {
        most = fmax(most, floors[k].bytes);
        fall = fmax(fall, most - floors[k].bytes);
    }
    return fall;
}

/* A collector of garbage lets memory grow for many stretches and frees it at
 * once: then only what is left after each fall says something, and it takes
 * several of them to say it. */
static enum leak_verdict judge_falls(struct line *out,
        const struct leak_point *floors, int n, double fall)
{
    const struct leak_point *first = NULL, *last = NULL;
    bool rising = true;
    int falls = 0;

    for (int k = 1; k < n; k++) {
        if (floors[k - 1].bytes - floors[k].bytes < fall / 2)
            continue;
        if (falls++ == 0)
            first = &floors[k];
        else
            rising = rising && floors[k].bytes > last->bytes;
        last = &floors[k];
    }
    if (falls < FALLS_LEAST || !rising ||
            last->bytes - first->bytes < GROWN_BYTES)
        return LEAK_CANNOT_TELL;
    out->slope = (last->bytes - first->bytes) / (last->at - first->at);
    out->low = out->high = out->slope;
    return LEAK_FOUND;
}

/* --- the whole ------------------------------------------------------------ */

void leak_judge(struct leak *out, const struct leak_point *points, size_t count)
{
    struct leak_point floors[STRETCHES];

    *out = (struct leak){ .verdict = LEAK_CANNOT_TELL };
    if (count < LEAK_LEAST)
        return;

    double from = points[0].at;
    double begin = from + (points[count - 1].at - from) / 5;
    size_t first = 0;

    while (points[first].at < begin)
        first++;

    int n = find_floors(floors, points + first, count - first);

    if (n < FLOORS_LEAST)
        return;

    double fall = deepest_fall(floors, n);

    out->inferences = points[count - 1].at - points[first].at;
    out->grown_bytes = floors[n - 1].bytes - floors[0].bytes;
    forgive_step(floors, n);

    struct line all = lay_line(floors, n);
    struct line tail = lay_line(floors + n - TAIL, TAIL);

    out->verdict = fall > fmax(GROWN_BYTES, all.slope * out->inferences / 2)
                           ? judge_falls(&all, floors, n, fall)
                           : judge(&all, &tail, out->inferences);
    out->bytes_each = all.slope;
    out->low = all.low;
    out->high = all.high;
}
