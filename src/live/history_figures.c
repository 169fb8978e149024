/* history_figures.c -- what the kept readings say: figures and points. */
#include "base/alloc.h"
#include "base/compiler.h"
#include "base/quantile.h"
#include "live/history_state.h"

#include <math.h>
#include <stdlib.h>

#define NS_PER_S UINT64_C(1000000000)

/* Mean and spread of parts, put together (Chan's formula), and the values that
 * percentiles are taken from. */
struct sum {
    uint64_t count;
    double min, max, mean, squares;
    uint64_t from_ns, to_ns;
    struct weighed {
        double value;
        uint64_t count;
    } * value;
    size_t values, cap;
};

static void add_part(struct sum *s, const struct history_point *p,
        double squares)
{
    double off = p->mean - s->mean;
    double all = (double)s->count + p->count;

    if (!s->count || p->min < s->min)
        s->min = p->min;
    if (!s->count || p->max > s->max)
        s->max = p->max;
    if (!s->count)
        s->from_ns = p->time_ns;
    s->to_ns = p->time_ns;
    s->squares += squares + off * off * (double)s->count * p->count / all;
    s->mean += off * p->count / all;
    s->count += p->count;
    if (s->values < s->cap)
        s->value[s->values++] = (struct weighed){ p->mean, p->count };
}

static int by_value(const void *a, const void *b)
{
    double x = ((const struct weighed *)a)->value;
    double y = ((const struct weighed *)b)->value;

    return (x > y) - (x < y);
}

static double value_at(const struct sum *s, uint64_t rank)
{
    uint64_t seen = 0;

    for (size_t i = 0; i < s->values; i++)
        if ((seen += s->value[i].count) > rank)
            return s->value[i].value;
    return s->max;
}

static double percentile(const struct sum *s, double share)
{
    struct quantile_ranks r = quantile_ranks(s->count, share);

    return (value_at(s, r.lower) + value_at(s, r.upper)) / 2;
}

/* --- going through a series ----------------------------------------------- */

typedef void visit(void *to, const struct history_point *p, double squares);

static void each_reading(const struct history *h, const struct kept_series *s,
        visit *each, void *to)
{
    for (uint32_t b = s->lane[LANE_RAW].first; b != NO_BLOCK;
            b = h->note[b].next)
        for (size_t i = 0; i < h->note[b].count; i++) {
            const struct raw *r = &h->block[b].raw[i];

            each(to,
                    &(struct history_point){ r->time_ns, r->value, r->value,
                            r->value, 1 },
                    0);
        }
}

/* The last is not over yet. */
static void each_second(const struct history *h, const struct kept_series *s,
        visit *each, void *to)
{
    for (uint32_t b = s->lane[LANE_SECONDS].first; b != NO_BLOCK;
            b = h->note[b].next)
        for (size_t i = 0; i < h->note[b].count; i++) {
            const struct second *x = &h->block[b].second[i];

            each(to,
                    &(struct history_point){ (h->note[b].base_s + x->offset) *
                                                     NS_PER_S,
                            (double)x->min, (double)x->mean, (double)x->max,
                            x->count },
                    (double)x->squares);
        }
    if (s->current.count)
        each(to,
                &(struct history_point){ s->current.second * NS_PER_S,
                        s->current.min, s->current.mean, s->current.max,
                        s->current.count },
                s->current.squares);
}

/* --- figures -------------------------------------------------------------- */

struct summing {
    struct sum sum;
    uint64_t from_ns;
};

static void sum_point(void *to, const struct history_point *p, double squares)
{
    struct summing *s = to;

    if (p->time_ns >= s->from_ns)
        add_part(&s->sum, p, squares);
}

static void count_point(void *to, const struct history_point *p, double squares)
{
    (void)p;
    (void)squares;
    (*(size_t *)to)++;
}

/* Whether the readings reach as far back as the seconds do, or far enough. */
static bool raw_suffices(const struct history *h, const struct kept_series *s,
        uint64_t from_ns)
{
    const struct lane *raw = &s->lane[LANE_RAW];
    const struct lane *seconds = &s->lane[LANE_SECONDS];

    if (raw->first == NO_BLOCK)
        return false;

    uint64_t raw_from_ns = h->block[raw->first].raw[0].time_ns;
    uint64_t from_s = seconds->first == NO_BLOCK
                              ? s->current.second
                              : h->note[seconds->first].base_s;

    return raw_from_ns <= from_ns || raw_from_ns / NS_PER_S <= from_s;
}

bool history_figures(struct history_figures *out, const struct history *h,
        uint32_t subject, enum metric_id metric, uint64_t from_ns)
{
    const struct kept_series *s = history_series(h, subject, metric);
    struct summing x = { .from_ns = from_ns };

    if (!s)
        return false;

    bool raw = raw_suffices(h, s, from_ns);

    if (!raw) /* a second counts when it began before, too */
        x.from_ns -= x.from_ns % NS_PER_S;
    (raw ? each_reading : each_second)(h, s, count_point, &x.sum.cap);
    x.sum.value = alloc_zero(x.sum.cap ? x.sum.cap : 1, sizeof(*x.sum.value));
    (raw ? each_reading : each_second)(h, s, sum_point, &x);
    qsort(x.sum.value, x.sum.values, sizeof(*x.sum.value), by_value);
    if (x.sum.count)
        *out = (struct history_figures){
            .count = x.sum.count,
            .min = x.sum.min,
            .max = x.sum.max,
            .mean = x.sum.mean,
            .stddev = x.sum.count > 1
                              ? sqrt(x.sum.squares / (double)(x.sum.count - 1))
                              : 0,
            .p50 = percentile(&x.sum, 0.50),
            .p90 = percentile(&x.sum, 0.90),
            .p95 = percentile(&x.sum, 0.95),
            .p99 = percentile(&x.sum, 0.99),
            .of_seconds = !raw,
            .from_ns = x.sum.from_ns,
            .to_ns = x.sum.to_ns,
        };
    free(x.sum.value);
    return x.sum.count > 0;
}

/* --- points --------------------------------------------------------------- */

struct listing {
    struct history_point *out;
    size_t cap, skip, count;
};

static void list_point(void *to, const struct history_point *p, double squares)
{
    struct listing *l = to;

    (void)squares;
    if (l->skip)
        l->skip--;
    else if (l->count < l->cap)
        l->out[l->count++] = *p;
}

static size_t list(struct history_point *out, size_t cap,
        const struct history *h, const struct kept_series *s,
        void (*go)(const struct history *h, const struct kept_series *s,
                visit *each, void *to))
{
    struct listing l = { .out = out, .cap = cap };
    size_t all = 0;

    if (!s)
        return 0;
    go(h, s, count_point, &all);
    l.skip = all > cap ? all - cap : 0;
    go(h, s, list_point, &l);
    return l.count;
}

size_t history_readings(struct history_point *out, size_t cap,
        const struct history *h, uint32_t subject, enum metric_id metric)
{
    return list(out, cap, h, history_series(h, subject, metric), each_reading);
}

size_t history_seconds(struct history_point *out, size_t cap,
        const struct history *h, uint32_t subject, enum metric_id metric)
{
    return list(out, cap, h, history_series(h, subject, metric), each_second);
}
