/* series_window.c -- what a series says about a stretch of time. */
#include "energy/series.h"

#include "base/alloc.h"

/* The first interval that ends behind the moment. */
static size_t first_behind(const struct series *s, uint64_t moment_ns)
{
    size_t low = 0, high = s->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (s->intervals[middle].end_ns > moment_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double watts(const struct series_interval *x)
{
    return x->joules * 1e9 / (double)(x->end_ns - x->start_ns);
}

/* What lies at most a period outside of all intervals flows as it does at
 * their end. */
static void stretch(struct series_window *w, const struct series *s,
        uint64_t outside_ns, const struct series_interval *next)
{
    uint64_t ns = outside_ns < s->period_ns ? outside_ns : s->period_ns;

    if (next->fault)
        ns = 0;
    w->joules += watts(next) * (double)ns / 1e9;
    w->covered_ns += ns;
    w->missing_ns += outside_ns - ns;
}

static void add_part(struct series_window *w, const struct series_interval *x,
        uint64_t start_ns, uint64_t end_ns)
{
    uint64_t from = x->start_ns > start_ns ? x->start_ns : start_ns;
    uint64_t to = x->end_ns < end_ns ? x->end_ns : end_ns;

    if (to <= from)
        return;
    if (x->fault) {
        w->faulty_ns += to - from;
        return;
    }
    w->joules += watts(x) * (double)(to - from) / 1e9;
    w->covered_ns += to - from;
    w->updates += x->end_ns <= end_ns;
}

struct series_window series_between(const struct series *s, uint64_t start_ns,
        uint64_t end_ns)
{
    struct series_window w = { 0 };

    if (end_ns <= start_ns)
        return w;
    if (!s->count) {
        w.missing_ns = end_ns - start_ns;
        return w;
    }

    const struct series_interval *first = &s->intervals[0];
    const struct series_interval *last = &s->intervals[s->count - 1];

    if (start_ns < first->start_ns)
        stretch(&w, s,
                (end_ns < first->start_ns ? end_ns : first->start_ns) -
                        start_ns,
                first);
    for (size_t i = first_behind(s, start_ns);
            i < s->count && s->intervals[i].start_ns < end_ns; i++)
        add_part(&w, &s->intervals[i], start_ns, end_ns);
    if (end_ns > last->end_ns)
        stretch(&w, s,
                end_ns - (start_ns > last->end_ns ? start_ns : last->end_ns),
                last);
    w.sufficient =
            w.updates >= SERIES_UPDATES_LEAST && !w.faulty_ns && !w.missing_ns;
    return w;
}

static void clip_one(struct series *out, const struct series_interval *x,
        uint64_t start_ns, uint64_t end_ns)
{
    uint64_t from = x->start_ns > start_ns ? x->start_ns : start_ns;
    uint64_t to = x->end_ns < end_ns ? x->end_ns : end_ns;

    if (to <= from)
        return;
    out->faults[x->fault]++;
    out->intervals[out->count++] = (struct series_interval){
        .start_ns = from,
        .end_ns = to,
        /* Where we cut is where we cut. */
        .start_slack_ns = from == x->start_ns ? x->start_slack_ns : 0,
        .end_slack_ns = to == x->end_ns ? x->end_slack_ns : 0,
        .joules = watts(x) * (double)(to - from) / 1e9,
        .fault = x->fault,
    };
}

void series_clip(struct series *out, const struct series *s, uint64_t start_ns,
        uint64_t end_ns)
{
    *out = (struct series){
        .intervals = alloc_zero(s->count + 1, sizeof(*out->intervals)),
        .period_ns = s->period_ns,
        .period_resolved = s->period_resolved,
    };
    for (size_t i = 0; i < s->count; i++) {
        struct series_interval x = s->intervals[i];
        double power = watts(&x);

        if (i == 0 && !x.fault)
            x.start_ns -= x.start_ns < s->period_ns ? x.start_ns : s->period_ns;
        if (i + 1 == s->count && !x.fault)
            x.end_ns += s->period_ns;
        x.joules = power * (double)(x.end_ns - x.start_ns) / 1e9;
        clip_one(out, &x, start_ns, end_ns);
    }
}
