#include "analyse/finding/slow.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 101 };

#define BLOCK ((size_t)1000)

#define LEAST_LOG 0.2231435513142098 /* ln 1.25 */

/* --- the median of those around ------------------------------------------- */

/* The values around one, by size. */
struct window {
    double sorted[AROUND];
    size_t count;
};

/* Where the first value that is not less than `value` stands. */
static size_t place_of(const struct window *w, double value)
{
    size_t low = 0, high = w->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (w->sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_in(struct window *w, double value)
{
    size_t at = place_of(w, value);

    memmove(w->sorted + at + 1, w->sorted + at,
            (w->count - at) * sizeof(*w->sorted));
    w->sorted[at] = value;
    w->count++;
}

static void take_out(struct window *w, double value)
{
    size_t at = place_of(w, value);

    w->count--;
    memmove(w->sorted + at, w->sorted + at + 1,
            (w->count - at) * sizeof(*w->sorted));
}

/* medians[i]: of the AROUND values around logs[i], or those at that end. */
static void running_medians(double *medians, const double *logs, size_t count)
{
    struct window w = { .count = 0 };

    for (size_t i = 0; i < AROUND; i++)
        put_in(&w, logs[i]);
    for (size_t i = 0; i < count; i++) {
        if (i > AROUND / 2 && i + AROUND / 2 < count) {
            take_out(&w, logs[i - AROUND / 2 - 1]);
            put_in(&w, logs[i + AROUND / 2]);
        }
        medians[i] = w.sorted[AROUND / 2];
    }
}

/* --- how much is much ----------------------------------------------------- */

static double limit_of(const double *rests, size_t count, double *room)
{
    for (size_t i = 0; i < count; i++)
        room[i] = fabs(rests[i]);
    sort_doubles(room, count);

    double spread = room[count / 2] * 1.4826;

    memcpy(room, rests, count * sizeof(*room));
    sort_doubles(room, count);
    return fmax(fmax(6 * spread, 3 * room[count * 9 / 10]), LEAST_LOG);
}

void slow_find(struct slow *out, const uint64_t *ns, size_t count)
{
    size_t cap = 0, end;
    double least = INFINITY;

    *out = (struct slow){ .count = 0 };
    if (count < SLOW_LEAST)
        return;

    double *logs = alloc_zero(count, sizeof(*logs));
    double *rests = alloc_zero(count, sizeof(*rests));
    double *room = alloc_zero(2 * BLOCK, sizeof(*room));

    for (size_t i = 0; i < count; i++)
        logs[i] = log((double)ns[i]);
    running_medians(rests, logs, count);
    for (size_t i = 0; i < count; i++)
        rests[i] = logs[i] - rests[i];
    for (size_t from = 0; from < count; from = end) {
        /* What is left at the end belongs to the last whole block. */
        end = count - from < 2 * BLOCK ? count : from + BLOCK;

        double limit = limit_of(rests + from, end - from, room);

        for (size_t i = from; i < end; i++) {
            if (rests[i] <= limit)
                continue;
            least = fmin(least, limit);
            if (out->count == cap) {
                cap = cap ? 2 * cap : 64;
                out->items =
                        alloc_resize(out->items, cap * sizeof(*out->items));
            }
            out->items[out->count++] = (struct slow_one){ .index = i,
                .expected_ns = exp(logs[i] - rests[i]) };
        }
    }
    out->least_ratio = out->count ? exp(least) : NAN;
    free(logs);
    free(rests);
    free(room);
}
