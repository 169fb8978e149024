#include "cmd/bench/bench_text.h"

#include "cmd/bench/bench_scaling.h"
#include "cmd/text/operators_text.h"
#include "cmd/text/sweep_text.h"
#include "cmd/text/term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH  12
#define COLUMN_WIDTH 11
#define INPUTS_MAX   4 /* the rest is counted */

struct sheet {
    struct buf *out;
    bool colours;
    const struct bench_settings *settings;
    const struct bench_report *report;
    const struct summary *summary;
    const struct bench_energy *energy;
};

static void style(const struct sheet *p, enum term_style s)
{
    buf_text(p->out, term_style(p->colours, s));
}

static void label(const struct sheet *p, const char *text)
{
    buf_text(p->out, "  ");
    style(p, TERM_DIM);
    term_left(p->out, text, LABEL_WIDTH);
    style(p, TERM_PLAIN);
}

static void duration(const struct sheet *p, double ns)
{
    char text[16];

    buf_text(p->out, term_duration(text, ns));
}

static void bytes(const struct sheet *p, double n)
{
    char text[16];

    buf_text(p->out, term_bytes(text, n));
}

static void duration_cell(const struct sheet *p, double ns)
{
    char text[16];

    term_right(p->out, isnan(ns) ? "too few" : term_duration(text, ns),
            COLUMN_WIDTH);
}

static void bytes_cell(const struct sheet *p, uint64_t n)
{
    char text[16];

    term_right(p->out, n ? term_bytes(text, (double)n) : "–", COLUMN_WIDTH);
}

/* Four digits that matter, or all before the point where there are more. */
static const char *number(char out[32], double n)
{
    if (n >= 1000)
        return term_count(out, (uint64_t)(n + 0.5));
    (void)snprintf(out, 32, "%.4g", n);
    return out;
}

static void number_cell(const struct sheet *p, double n)
{
    char text[32];

    term_right(p->out, number(text, n), COLUMN_WIDTH);
}

static void count_cell(const struct sheet *p, uint64_t n)
{
    char text[32];

    term_right(p->out, n ? term_count(text, n) : "–", COLUMN_WIDTH);
}

static void titles(const struct sheet *p, const char *const *names)
{
    style(p, TERM_DIM);
    for (; *names; names++)
        term_right(p->out, *names, COLUMN_WIDTH);
    style(p, TERM_PLAIN);
    buf_char(p->out, '\n');
}

/* --- head -------------------------------------------------------------------
 */

static void head(const struct sheet *p)
{
    char *name = summary_model_name(p->settings->model);

    style(p, TERM_BOLD);
    buf_text(p->out, name);
    style(p, TERM_PLAIN);
    free(name);
    buf_printf(p->out, "  on %s",
            p->settings->provider ? p->settings->provider : "CPU");
    for (size_t i = 0; i < p->summary->library_count; i++)
        if (p->summary->libraries[i].version) {
            buf_printf(p->out, "  ONNX Runtime %s",
                    p->summary->libraries[i].version);
            break;
        }
    buf_char(p->out, '\n');
}

static void inputs(const struct sheet *p)
{
    const struct bench_report *r = p->report;

    label(p, "inputs");
    for (size_t i = 0; i < r->input_count && i < INPUTS_MAX; i++) {
        const struct bench_input *x = &r->inputs[i];

        buf_printf(p->out, "%s%s %s", i ? ", " : "", x->name,
                tensor_type_name(x->type));
        for (size_t d = 0; d < x->rank; d++)
            buf_printf(p->out, "%s%lld", d ? "x" : " ", (long long)x->shape[d]);
    }
    if (r->input_count > INPUTS_MAX)
        buf_printf(p->out, " and %zu more", r->input_count - INPUTS_MAX);
    buf_char(p->out, '\n');
}

static void assumed(const struct sheet *p)
{
    const struct bench_report *r = p->report;
    bool any = false;

    for (size_t i = 0; i < r->dim_count; i++) {
        if (r->dims[i].given)
            continue;
        if (!any)
            label(p, "assumed");
        buf_printf(p->out, "%s%s = %lld", any ? ", " : "", r->dims[i].name,
                (long long)r->dims[i].value);
        any = true;
    }
    if (any)
        buf_text(p->out, "  (--dim NAME=N)\n");
}

static void load(const struct sheet *p)
{
    const struct bench_load *l = &p->report->load;

    label(p, "load");
    buf_text(p->out, "first ");
    duration(p, (double)l->first_ns);
    if (l->later_ns) {
        buf_text(p->out, ", later ");
        duration(p, (double)l->later_ns);
    }
    if (l->read_ns && l->initialise_ns) {
        /* Profiling takes its time, so of a load of its own. */
        buf_text(p->out, "  (one of ");
        duration(p, (double)l->split_ns);
        buf_text(p->out, ": reading ");
        duration(p, (double)l->read_ns);
        buf_text(p->out, ", initialising ");
        duration(p, (double)l->initialise_ns);
        buf_char(p->out, ')');
    }
    if (l->first_run_ns) {
        buf_text(p->out, "  first run ");
        duration(p, (double)l->first_run_ns);
    }
    buf_char(p->out, '\n');
}

/* --- one row ----------------------------------------------------------------
 */

static void warm_up(const struct sheet *p, const struct bench_row *row)
{
    char text[32];

    if (!row->warm_ups)
        return;
    label(p, "warm-up");
    buf_printf(p->out, "%s %s, mean ", term_count(text, row->warm_ups),
            row->warm_ups == 1 ? "inference" : "inferences");
    duration(p, row->warm_up_mean_ns);
    if (row->settled)
        buf_printf(p->out, "; settled after %llu",
                (unsigned long long)row->settled_after);
    else if (p->settings->warmup_auto)
        buf_text(p->out, "; not seen to settle");
    buf_char(p->out, '\n');
}

static void spread_line(const struct sheet *p, const char *name,
        const struct spread_figures *f)
{
    const double values[] = { f->mean, f->p50, f->p90, f->p95, f->p99, f->p99_9,
        f->max };

    if (!f->count)
        return;
    label(p, name);
    for (size_t i = 0; i < LEN(values); i++)
        duration_cell(p, values[i]);
    buf_char(p->out, '\n');
}

/* What the meter saw; what the worker saw itself, where that saw nothing. */
static const struct spread_figures *latency_of(const struct sheet *p,
        const struct bench_row *row)
{
    return p->summary->latency.count ? &p->summary->latency : &row->service;
}

static void throughput(const struct sheet *p, const struct bench_row *row)
{
    char text[32];

    label(p, "throughput");
    buf_printf(p->out, "%s inferences/s", number(text, bench_row_per_s(row)));
    if (row->batch > 1)
        buf_printf(p->out, ", %s samples/s",
                number(text, bench_row_samples_per_s(row)));
    buf_printf(p->out, "  (%s in ", term_count(text, row->service.count));
    duration(p, (double)row->wall_ns);
    if (row->wall_ns)
        buf_printf(p->out, ", %.2g cores busy",
                (double)row->cpu_ns / (double)row->wall_ns);
    buf_text(p->out, ")\n");
    if (!row->response.count)
        return;
    label(p, "open loop");
    buf_printf(p->out, "%s/s asked for", number(text, p->settings->qps));
    buf_printf(p->out, ", %s had to wait for a thread",
            term_count(text, row->queued));
    if (row->unserved)
        buf_printf(p->out, ", %s given up", term_count(text, row->unserved));
    buf_char(p->out, '\n');
}

static void memory(const struct sheet *p, const struct bench_row *row)
{
    if (!row->peak_rss_bytes && !row->arena_known)
        return;
    label(p, "memory");
    if (row->peak_rss_bytes) {
        bytes(p, (double)row->peak_rss_bytes);
        buf_text(p->out, " resident at most");
    }
    if (row->arena_known) {
        buf_text(p->out, row->peak_rss_bytes ? "; arena " : "arena ");
        bytes(p, (double)row->arena.max_in_use_bytes);
        buf_text(p->out, " in use at most, ");
        bytes(p, (double)row->arena.held_bytes);
        buf_printf(p->out, " held, %.4g allocations an inference",
                (double)row->arena_allocs / (double)row->service.count);
    }
    buf_char(p->out, '\n');
}

static void only_row(const struct sheet *p, const struct bench_row *row)
{
    static const char *const names[] = { "mean", "p50", "p90", "p95", "p99",
        "p99.9", "max", NULL };

    warm_up(p, row);
    buf_char(p->out, '\n');
    label(p, "");
    titles(p, names);
    spread_line(p, "latency", latency_of(p, row));
    if (row->response.count)
        spread_line(p, "of it, run", &row->service);
    throughput(p, row);
    memory(p, row);
}

/* --- several rows -----------------------------------------------------------
 */

/* What each needs; their times are in the sweep's table. */
static void needs(const struct sheet *p)
{
    static const char *const names[] = { "load", "resident", "arena",
        "samples/MB", "nodes", NULL };
    bool levels = p->settings->compare_levels;
    char text[16];

    buf_char(p->out, '\n');
    label(p, levels ? "level" : "batch");
    titles(p, names);
    for (size_t i = 0; i < p->report->row_count; i++) {
        const struct bench_row *row = &p->report->rows[i];
        uint64_t needed = bench_row_memory_bytes(row);

        (void)snprintf(text, sizeof(text), "%u", row->batch);
        label(p, levels ? bench_level_name(row->level) : text);
        duration_cell(p, (double)row->load_ns);
        bytes_cell(p, row->peak_rss_bytes);
        bytes_cell(p, row->arena_known ? row->arena.max_in_use_bytes : 0);
        if (needed && row->batch)
            number_cell(p, row->batch / ((double)needed / 1e6));
        else
            term_right(p->out, "–", COLUMN_WIDTH);
        count_cell(p, row->nodes);
        buf_char(p->out, '\n');
    }
}

static void bounded(const struct sheet *p, const struct bench_scaling *s)
{
    label(p, "within");
    buf_printf(p->out, "%g ms: ", p->settings->bound_ms);
    if (s->within < p->report->row_count)
        buf_printf(p->out, "batch %u\n", p->report->rows[s->within].batch);
    else
        buf_text(p->out, "the p99 of none of them is\n");
}

static void scaling(const struct sheet *p)
{
    struct bench_scaling s;
    char text[32];

    if (!bench_scaling(&s, p->report, p->energy, p->settings->bound_ms * 1e6))
        return;
    buf_char(p->out, '\n');
    if (s.time_known) {
        label(p, "time");
        if (s.time_ns.fixed > 0) {
            duration(p, s.time_ns.fixed);
            buf_text(p->out, " a batch + ");
        }
        duration(p, s.time_ns.each);
        buf_text(p->out, " a sample [");
        duration(p, s.time_ns.each_low);
        buf_text(p->out, ", ");
        duration(p, s.time_ns.each_high);
        buf_printf(p->out, "]  (off by %.1f %%)\n", 100 * s.time_ns.error);
    }
    if (s.memory_known) {
        label(p, "memory");
        if (s.memory_bytes.fixed > 0) {
            bytes(p, s.memory_bytes.fixed);
            buf_text(p->out, " + ");
        }
        bytes(p, s.memory_bytes.each);
        buf_text(p->out, " a sample [");
        bytes(p, s.memory_bytes.each_low);
        buf_text(p->out, ", ");
        bytes(p, s.memory_bytes.each_high);
        buf_printf(p->out, "]  (off by %.1f %%)\n", 100 * s.memory_bytes.error);
    }
    label(p, "fastest");

    const struct sweep_point *fastest = &p->summary->sweep.points[s.fastest];

    buf_printf(p->out, "batch %u, %s samples/s\n", fastest->batch,
            number(text, sweep_samples_per_s(fastest)));
    if (p->settings->bound_ms > 0)
        bounded(p, &s);
}

/* --- the whole --------------------------------------------------------------
 */

static void notes(const struct sheet *p)
{
    if (p->report->note_count || p->summary->run.note)
        buf_char(p->out, '\n');
    style(p, TERM_YELLOW);
    for (size_t i = 0; i < p->report->note_count; i++)
        buf_printf(p->out, "  %s\n", p->report->notes[i]);
    if (p->summary->run.note)
        buf_printf(p->out, "  %s\n", p->summary->run.note);
    style(p, TERM_PLAIN);
}

void bench_text(struct buf *out, const struct bench_settings *settings,
        const struct bench_report *report, const struct summary *summary,
        const struct bench_energy *energy, bool colours)
{
    const struct sheet p = { out, colours, settings, report, summary, energy };

    head(&p);
    inputs(&p);
    assumed(&p);
    load(&p);
    if (report->row_count > 1) {
        sweep_text(&(struct page){ out, colours }, summary);
        needs(&p);
    } else if (report->row_count) {
        only_row(&p, &report->rows[0]);
    }
    scaling(&p);
    if (settings->ops_asked)
        operators_text(&(struct page){ out, colours }, summary);
    bench_energy_text(out, energy, report, summary, settings->energy_asked);
    notes(&p);
    buf_printf(out, "\n  recorded as run %.8s: ortmeter report %.8s\n",
            summary->run.id, summary->run.id);
}
