#include "cmd/text/sweep_text.h"

#include <inttypes.h>
#include <stdio.h>

static void heads(const struct page *p, const struct sweep *s, bool rounds)
{
    page_label(p, s->levels ? "level" : "batch");
    page_style(p, TERM_DIM);
    term_right(p->out, "count", PAGE_COLUMN);
    term_right(p->out, "p50", PAGE_COLUMN);
    if (rounds) {
        term_right(p->out, "low", PAGE_COLUMN);
        term_right(p->out, "high", PAGE_COLUMN);
    }
    term_right(p->out, "p99", PAGE_COLUMN);
    if (!s->levels)
        term_right(p->out, "a sample", PAGE_COLUMN);
    term_right(p->out, "samples/s", PAGE_COLUMN);
    page_style(p, TERM_PLAIN);
    buf_char(p->out, '\n');
}

static const char *name_of(char out[32], const struct sweep *s, size_t i)
{
    if (s->levels)
        return sweep_level_name(s->points[i].level);
    (void)snprintf(out, 32, "%u", s->points[i].batch);
    return out;
}

static void slowed(const struct page *p, const char *how, uint64_t count)
{
    if (count)
        buf_printf(p->out, "  %s %" PRIu64 " that tracing slowed", how, count);
}

static void point(const struct page *p, const struct sweep *s, size_t i,
        bool rounds)
{
    const struct sweep_point *x = &s->points[i];
    double per_s = sweep_samples_per_s(x);
    char text[32];

    page_label(p, name_of(text, s, i));
    term_right(p->out, term_count(text, x->latency.count), PAGE_COLUMN);
    page_duration_column(p, x->latency.p50);
    if (rounds) {
        page_duration_column(p, x->low_ns);
        page_duration_column(p, x->high_ns);
    }
    page_duration_column(p, x->latency.p99);
    if (!s->levels)
        page_duration_column(p, sweep_unit_ns(s, x, x->latency.p50));
    if (per_s < 1000)
        (void)snprintf(text, sizeof(text), "%.4g", per_s);
    else
        (void)term_count(text, (uint64_t)(per_s + 0.5));
    term_right(p->out, text, PAGE_COLUMN);
    slowed(p, "without", x->left_out);
    slowed(p, "with", x->marked);
    buf_char(p->out, '\n');
}

static void warnings(const struct page *p, const struct sweep *s)
{
    char before[32], after[32];

    page_style(p, TERM_YELLOW);
    for (size_t i = 1; i < s->count; i++)
        if (sweep_overlaps(s, i))
            buf_printf(p->out,
                    "  %s %s and %s cannot be told apart: the machine moved "
                    "more than the effect\n",
                    s->levels ? "levels" : "batches", name_of(before, s, i - 1),
                    name_of(after, s, i));
    page_style(p, TERM_PLAIN);
}

void sweep_text(const struct page *p, const struct summary *s)
{
    const struct sweep *x = &s->sweep;
    const struct usage_range *busy = &s->usage.host_busy;

    if (!x->count)
        return;

    size_t rounds = x->points[0].rounds;

    buf_char(p->out, '\n');
    heads(p, x, rounds > 1);
    for (size_t i = 0; i < x->count; i++)
        point(p, x, i, rounds > 1);
    if (rounds > 1)
        buf_printf(p->out,
                "  low, high: least and greatest median of %zu rounds, in "
                "turns\n",
                rounds);
    else
        buf_text(p->out, "  one round each: there is no interval\n");
    if (busy->count)
        buf_printf(p->out, "  machine: its CPUs were %.0f %% busy",
                100 * busy->mean);
    if (busy->count && busy->max - busy->min >= 0.01)
        buf_printf(p->out, ", from second to second %.0f to %.0f %%",
                100 * busy->min, 100 * busy->max);
    buf_text(p->out, busy->count ? "\n" : "");
    if (rounds > 1)
        warnings(p, x);
}
