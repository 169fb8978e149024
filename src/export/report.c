#include "export/report.h"

#include "base/alloc.h"
#include "base/digits.h"
#include "model/phase.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_OPERATORS 25
#define MOST_ERRORS    10

size_t report_rows(const struct report_table *t)
{
    return t->cell_count / t->columns;
}

const char *report_cell(const struct report_table *t, size_t row, size_t column)
{
    return t->cells[row * t->columns + column];
}

void report_duration(struct buf *out, double ns)
{
    if (ns < 1e3)
        buf_printf(out, "%.0f ns", ns);
    else if (ns < 1e6)
        buf_printf(out, "%.2f µs", ns / 1e3);
    else if (ns < 1e9)
        buf_printf(out, "%.3f ms", ns / 1e6);
    else
        buf_printf(out, "%.3f s", ns / 1e9);
}

/* --- building ------------------------------------------------------------- */

static struct report_table *begin(struct report *r, const char *title,
        size_t columns)
{
    r->tables = alloc_resize(r->tables, (r->count + 1) * sizeof(*r->tables));
    r->tables[r->count] = (struct report_table){ .title = alloc_text(title),
        .columns = columns };
    return &r->tables[r->count++];
}

static void add(struct report_table *t, const char *text)
{
    t->cells = alloc_resize(t->cells, (t->cell_count + 1) * sizeof(*t->cells));
    t->cells[t->cell_count++] = alloc_text(text ? text : "");
}

static void PRINTF_LIKE(2, 3) addf(struct report_table *t, const char *fmt, ...)
{
    va_list args;
    char text[1024];

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    add(t, text);
}

static void add_duration(struct report_table *t, double ns)
{
    struct buf text = { 0 };

    report_duration(&text, ns);
    add(t, buf_cstr(&text));
    buf_release(&text);
}

static void drop(struct report_table *t)
{
    for (size_t i = 0; i < t->cell_count; i++)
        free(t->cells[i]);
    free(t->cells);
    free(t->title);
}

/* A table of nothing but its head is none. */
static void end(struct report *r)
{
    if (report_rows(&r->tables[r->count - 1]) > 1)
        return;
    drop(&r->tables[--r->count]);
}

void report_release(struct report *r)
{
    for (size_t i = 0; i < r->count; i++)
        drop(&r->tables[i]);
    free(r->tables);
    free(r->title);
}

/* --- the tables ----------------------------------------------------------- */

static void about_run(struct report *r, const struct summary *s)
{
    struct report_table *t = begin(r, "Run", 2);
    char time[DIGITS_TIME_LEN + 1];

    add(t, "");
    add(t, "");
    add(t, "id");
    add(t, s->run.id);
    add(t, "began");
    time[digits_time(time, (int64_t)s->run.started_wall_ns)] = 0;
    add(t, time);
    add(t, "status");
    add(t, run_status_name(s->run.status));
    if (s->run.duration_ns) {
        add(t, "took");
        add_duration(t, (double)s->run.duration_ns);
    }
    add(t, "command");
    add(t, s->run.command);
    if (s->run.tags) {
        add(t, "tags");
        add(t, s->run.tags);
    }
    for (size_t i = 0; i < s->library_count; i++) {
        add(t, "ONNX Runtime");
        addf(t, "%s %s", s->libraries[i].version ? s->libraries[i].version : "",
                s->libraries[i].path ? s->libraries[i].path : "");
    }
    add(t, "inferences");
    addf(t, "%" PRIu64, s->inferences);
    if (s->failed) {
        add(t, "failed");
        addf(t, "%" PRIu64, s->failed);
    }
    add(t, "lost events");
    addf(t, "%" PRIu64, s->lost);
    if (s->run.has_energy) {
        add(t, "energy");
        addf(t, "%.3f J", s->run.energy_mj / 1e3);
    }
    if (s->run.note) {
        add(t, "note");
        add(t, s->run.note);
    }
    end(r);
}

static void spread_row(struct report_table *t, const char *name,
        const struct spread_figures *f)
{
    const double figures[] = { f->mean, f->p50, f->p90, f->p95, f->p99,
        f->p99_9, f->min, f->max };

    if (!f->count)
        return;
    add(t, name);
    addf(t, "%" PRIu64, f->count);
    for (size_t i = 0; i < LEN(figures); i++)
        add_duration(t, figures[i]);
}

static void latencies(struct report *r, const struct summary *s)
{
    static const char *const head[] = { "latency", "count", "mean", "p50",
        "p90", "p95", "p99", "p99.9", "least", "most" };
    struct report_table *t = begin(r, "Latency", LEN(head));

    for (size_t i = 0; i < LEN(head); i++)
        add(t, head[i]);
    spread_row(t, "all inferences", &s->latency);
    for (int i = PHASE_PREFILL; i <= PHASE_DECODE; i++)
        spread_row(t, phase_name((enum phase)i), &s->phase[i]);
    for (size_t i = 0; i < s->session_count && s->session_count > 1; i++) {
        struct buf name = { 0 };

        buf_printf(&name, "session %u", s->sessions[i].id);
        spread_row(t, buf_cstr(&name), &s->sessions[i].latency);
        buf_release(&name);
    }
    end(r);
}

static void sessions(struct report *r, const struct summary *s)
{
    struct report_table *t = begin(r, "Sessions", 5);

    add(t, "model");
    add(t, "session");
    add(t, "load");
    add(t, "inferences");
    add(t, "failed");
    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];

        add(t, x->model ? x->model : "(from memory)");
        addf(t, "%u", x->id);
        if (x->seen_late)
            add(t, "");
        else
            add_duration(t, (double)x->load_ns);
        addf(t, "%" PRIu64, x->inferences);
        addf(t, "%" PRIu64, x->failed);
    }
    end(r);
}

static void tokens(struct report *r, const struct summary *s)
{
    struct report_table *t = begin(r, "Tokens", 2);
    const struct summary_tokens *x = &s->tokens;

    add(t, "");
    add(t, "");
    if (x->count) {
        add(t, "tokens");
        addf(t, "%" PRIu64, x->count);
    }
    if (x->generations) {
        add(t, "time to the first");
        add_duration(t, x->ttft_ns);
    }
    if (x->later) {
        add(t, "time of each further one");
        add_duration(t, x->tpot_ns);
    }
    if (x->count && x->busy_ns > 0) {
        add(t, "tokens a second");
        addf(t, "%.1f", (double)x->count * 1e9 / x->busy_ns);
    }
    end(r);
}

static void operators(struct report *r, const struct summary *s)
{
    struct report_table *t = begin(r, "Operators", 6);
    double all_ns = 0;

    add(t, "operator");
    add(t, "type");
    add(t, "provider");
    add(t, "times");
    add(t, "total");
    add(t, "share");
    for (size_t i = 0; i < s->operators.count; i++)
        all_ns += s->operators.items[i].self_ns;
    for (size_t i = 0; i < s->operators.count && i < MOST_OPERATORS; i++) {
        const struct operator_sum *o = &s->operators.items[i];

        add(t, o->name);
        add(t, o->op_type);
        add(t, o->provider);
        addf(t, "%" PRIu64, o->count);
        add_duration(t, o->self_ns);
        if (all_ns <= 0)
            add(t, "");
        else
            addf(t, "%.1f %%", 100 * o->self_ns / all_ns);
    }
    end(r);
}

static void sections(struct report *r, const struct summary *s)
{
    struct report_table *t = begin(r, "Sections", 4);

    add(t, "section");
    add(t, "phase");
    add(t, "times");
    add(t, "total");
    for (size_t i = 0; i < s->section_count; i++) {
        add(t, s->sections[i].name);
        add(t, phase_name(s->sections[i].phase));
        addf(t, "%" PRIu64, s->sections[i].count);
        add_duration(t, (double)s->sections[i].total_ns);
    }
    end(r);
}

static void errors(struct report *r, const struct summary *s)
{
    struct report_table *t = begin(r, "Errors", 2);

    add(t, "error");
    add(t, "times");
    for (size_t i = 0; i < s->error_count && i < MOST_ERRORS; i++) {
        add(t, s->errors[i].text);
        addf(t, "%" PRIu64, s->errors[i].count);
    }
    end(r);
}

void report_init(struct report *r, const struct summary *s)
{
    struct buf title = { 0 };

    buf_printf(&title, "ortmeter run %.8s", s->run.id);
    *r = (struct report){ .title = alloc_text(buf_cstr(&title)) };
    buf_release(&title);
    about_run(r, s);
    latencies(r, s);
    sessions(r, s);
    tokens(r, s);
    operators(r, s);
    sections(r, s);
    errors(r, s);
}
