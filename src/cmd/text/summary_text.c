#include "cmd/text/summary_text.h"

#include "analyse/session_name.h"
#include "cmd/text/energy_text.h"
#include "cmd/text/findings_text.h"
#include "cmd/text/operators_text.h"
#include "cmd/text/page.h"
#include "cmd/text/sweep_text.h"
#include "cmd/text/term.h"
#include "model/phase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SESSIONS_MAX  20 /* the rest is counted */
#define SECTION_WIDTH 24 /* at least, of the names of sections */

/* Of too few there is none. */
static void percentile(const struct page *p, const char *name, double ns)
{
    if (isnan(ns))
        return;
    buf_text(p->out, name);
    page_duration(p, ns);
}

void summary_date(char out[32], uint64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / 1000000000);
    struct tm local;

    if (!localtime_r(&seconds, &local) ||
            !strftime(out, 32, "%Y-%m-%d %H:%M:%S", &local))
        (void)snprintf(out, 32, "-");
}

/* --- head ----------------------------------------------------------------- */

static void head(const struct page *p, const struct summary *s)
{
    char date[32];

    summary_date(date, s->run.started_wall_ns);
    page_style(p, TERM_BOLD);
    buf_printf(p->out, "run %.8s", s->run.id);
    page_style(p, TERM_PLAIN);
    buf_printf(p->out, "  %s", date);
    if (s->run.duration_ns) {
        buf_text(p->out, "  ");
        page_duration(p, (double)s->run.duration_ns);
    }
    if (s->run.status != RUN_COMPLETE) {
        page_style(p, TERM_YELLOW);
        buf_printf(p->out, "  %s", run_status_name(s->run.status));
        page_style(p, TERM_PLAIN);
    }
    buf_text(p->out, "\n  ");
    term_text(p->out, s->run.command ? s->run.command : "");
    buf_char(p->out, '\n');
    if (s->run.signal)
        buf_printf(p->out, "  ended by signal %d\n", s->run.signal);
    else if (s->run.ended && s->run.exit_code)
        buf_printf(p->out, "  exit code %d\n", s->run.exit_code);
    for (size_t i = 0; i < s->library_count && i < PAGE_LINES; i++) {
        const struct summary_library *l = &s->libraries[i];

        /* The same library in several processes is one line. */
        bool told = false;

        for (size_t k = 0; k < i; k++)
            told |= l->path && s->libraries[k].path &&
                    strcmp(l->path, s->libraries[k].path) == 0;
        if (!told)
            buf_printf(p->out, "  ONNX Runtime %s%s%s  %s\n",
                    l->version ? l->version : "built into",
                    l->language ? " from " : "", l->language ? l->language : "",
                    l->path ? l->path : "");
    }
}

static void note(const struct page *p, const struct summary *s)
{
    if (!s->run.note)
        return;
    buf_char(p->out, '\n');
    page_style(p, TERM_YELLOW);
    buf_printf(p->out, "  %s\n", s->run.note);
    page_style(p, TERM_PLAIN);
}

/* --- sessions ------------------------------------------------------------- */

static void model_name(const struct page *p, const struct summary_session *x)
{
    char size[16];

    if (x->model) {
        char *name = summary_model_name(x->model);

        page_style(p, TERM_BOLD);
        term_text(p->out, name);
        page_style(p, TERM_PLAIN);
        free(name);
    } else if (x->model_bytes) {
        buf_printf(p->out, "model from memory, %s",
                term_bytes(size, (double)x->model_bytes));
    } else {
        buf_text(p->out, !x->library    ? "a model that was not named"
                         : x->seen_late ? "session made before the meter came"
                                        : "model from memory");
    }
}

/* ["A","B"] as A, B. */
static void providers(const struct page *p, const char *json)
{
    static const char tail[] = "ExecutionProvider";

    const char *at = json ? strchr(json, '"') : NULL;

    while (at) {
        const char *end = strchr(++at, '"');

        if (!end)
            return;

        size_t len = (size_t)(end - at);

        if (len > strlen(tail) &&
                strncmp(end - strlen(tail), tail, strlen(tail)) == 0)
            len -= strlen(tail);
        buf_add(p->out, at, len);
        at = strchr(end + 1, '"');
        if (at)
            buf_text(p->out, ", ");
    }
}

/* Which device it was, or why that is not known; nothing of the CPU. */
static void device(const struct page *p, const struct session_device *d)
{
    if (d->kind == DEVICE_MATCH_CPU)
        return;
    buf_text(p->out, d->reason ? "    device: " : "    on ");
    if (d->reason)
        term_text(p->out, d->reason);
    for (size_t i = 0; i < d->count && !d->reason; i++) {
        buf_text(p->out, i ? ", " : "");
        term_text(p->out, d->devices[i].name);
        if (!d->devices[i].detail)
            continue;
        buf_text(p->out, " (");
        term_text(p->out, d->devices[i].detail);
        buf_text(p->out, ")");
    }
    buf_char(p->out, '\n');
}

static void session(const struct page *p, const struct summary *s,
        const struct summary_session *x)
{
    struct buf name = { 0 };

    buf_text(p->out, "\n  ");
    model_name(p, x);
    session_name(&name, s, x);
    if (name.len) {
        buf_text(p->out, ", ");
        term_text(p->out, buf_cstr(&name));
    }
    buf_release(&name);
    if (x->providers) {
        buf_text(p->out, "  on ");
        providers(p, x->providers);
    }
    if (x->error) {
        page_style(p, TERM_RED);
        buf_text(p->out, "\n    could not be loaded: ");
        term_text(p->out, x->error);
        page_style(p, TERM_PLAIN);
    } else if (!x->seen_late) {
        buf_text(p->out, "  loaded in ");
        page_duration(p, (double)x->load_ns);
    }
    buf_char(p->out, '\n');
    if (!x->inferences)
        return;
    buf_text(p->out, "    ");
    page_count(p, x->inferences, "inference", "inferences");
    if (x->latency.count) {
        buf_text(p->out, "  p50 ");
        page_duration(p, x->latency.p50);
        percentile(p, "  p99 ", x->latency.p99);
    }
    if (x->batch.count && x->batch.min != x->batch.max)
        buf_printf(p->out, "  batch %llu to %llu",
                (unsigned long long)x->batch.min,
                (unsigned long long)x->batch.max);
    else if (x->batch.count)
        buf_printf(p->out, "  batch %llu", (unsigned long long)x->batch.min);
    buf_char(p->out, '\n');
    device(p, &x->device);
}

static void sessions(const struct page *p, const struct summary *s)
{
    for (size_t i = 0; i < s->session_count && i < SESSIONS_MAX; i++)
        session(p, s, &s->sessions[i]);
    if (s->session_count > SESSIONS_MAX) {
        buf_text(p->out, "\n  and ");
        page_count(p, s->session_count - SESSIONS_MAX, "session more",
                "sessions more");
        buf_char(p->out, '\n');
    }
}

/* --- figures -------------------------------------------------------------- */

/* By tracing: some are left out; those of a phase that has too few others are
 * counted all the same. */
static void slowed(const struct page *p, uint64_t left_out, uint64_t marked)
{
    if (left_out && marked)
        buf_printf(p->out,
                "   (without %llu that tracing slowed, but with %llu: their "
                "phase has too few others)",
                (unsigned long long)left_out, (unsigned long long)marked);
    else if (left_out || marked)
        buf_printf(p->out, "   (%s %llu that tracing slowed)",
                left_out ? "without" : "with",
                (unsigned long long)left_out + marked);
}

static void latency(const struct page *p, const struct summary *s)
{
    static const char *const names[] = { "mean", "p50", "p90", "p95", "p99",
        "p99.9", "max" };
    const struct spread_figures *f = &s->latency;
    const double values[] = { f->mean, f->p50, f->p90, f->p95, f->p99, f->p99_9,
        f->max };

    char text[32];

    if (!s->inferences)
        return;
    buf_char(p->out, '\n');
    if (f->count) {
        page_label(p, "");
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            page_style(p, TERM_DIM);
            term_right(p->out, names[i], PAGE_COLUMN);
            page_style(p, TERM_PLAIN);
        }
        buf_char(p->out, '\n');
        page_label(p, "latency");
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
            page_duration_column(p, values[i]);
        buf_char(p->out, '\n');
    }
    page_label(p, "inferences");
    term_left(p->out, "", 4);
    page_count(p, s->inferences, "in all", "in all");
    if (s->failed) {
        page_style(p, TERM_RED);
        buf_printf(p->out, ", %llu failed", (unsigned long long)s->failed);
        page_style(p, TERM_PLAIN);
    }
    if (s->traced)
        buf_printf(p->out, ", %s traced", term_count(text, s->traced));
    if (s->looked_at)
        buf_printf(p->out, ", %llu left out for --stats",
                (unsigned long long)s->looked_at);
    slowed(p, s->left_out, s->marked);
    if (f->pairs) {
        buf_text(p->out, "   jitter ");
        page_duration(p, f->jitter);
    }
    if (f->count > 1) {
        buf_text(p->out, "   stddev ");
        page_duration(p, f->stddev);
    }
    buf_char(p->out, '\n');
}

static void rate(const struct page *p, double per_s, const char *what)
{
    char text[32];

    if (per_s < 1000)
        buf_printf(p->out, "%.4g %s/s", per_s, what);
    else
        buf_printf(p->out, "%s %s/s", term_count(text, (uint64_t)(per_s + 0.5)),
                what);
}

static void throughput(const struct page *p, const struct summary *s)
{
    double seconds = (double)(s->last_end_ns - s->first_start_ns) / 1e9;
    double done = (double)(s->inferences - s->failed);

    if (done <= 0 || seconds <= 0 || s->sweep.count)
        return;
    page_label(p, "throughput");
    buf_text(p->out, "    ");
    rate(p, done / seconds, "inferences");
    if (s->samples > done) {
        buf_text(p->out, ", ");
        rate(p, s->samples / seconds, "samples");
    }
    if (s->warmup.known && s->warmup.count) {
        buf_text(p->out, "   warm-up ");
        page_count(p, s->warmup.count, "inference of ", "inferences of ");
        page_duration(p, s->warmup.mean_ns);
    }
    buf_char(p->out, '\n');
}

static void percentiles(const struct page *p, const char *label,
        const struct spread_figures *f, uint64_t left_out, uint64_t marked)
{
    page_label(p, label);
    buf_text(p->out, "    p50 ");
    page_duration(p, f->p50);
    percentile(p, "   p90 ", f->p90);
    percentile(p, "   p99 ", f->p99);
    if (isnan(f->p90))
        buf_text(p->out, "   too few for p90 and p99");
    slowed(p, left_out, marked);
    buf_char(p->out, '\n');
}

/* Above this share of a call, threads mostly wait for each other. */
#define GIL_SHARE 0.2

static void python(const struct page *p, const struct summary *s)
{
    const struct summary_parts *x = &s->parts;
    double n = (double)x->count;

    if (!x->count)
        return;
    page_label(p, "python");
    buf_text(p->out, "    ");
    page_duration(p, x->whole_ns / n);
    buf_text(p->out, " a call: ");
    page_duration(p, x->runtime_ns / n);
    buf_text(p->out, " in ONNX Runtime, ");
    page_duration(p, x->gil_ns / n);
    buf_text(p->out, " waiting for the GIL, ");
    page_duration(p, (x->whole_ns - x->runtime_ns - x->gil_ns) / n);
    buf_text(p->out, " converting");
    if (x->gil_ns > GIL_SHARE * x->whole_ns)
        buf_text(p->out, "; more threads will not help");
    buf_char(p->out, '\n');
}

/* Only where a step is seen to take longer with each token before it. */
static void growth(const struct page *p, const struct line_fit *f)
{
    page_label(p, "growth");
    buf_text(p->out, "    ");
    page_duration(p, f->fixed > 0 ? f->fixed : 0);
    buf_printf(p->out, " a step + %.4g ns for each token before [%.4g, %.4g]\n",
            f->each, f->each_low, f->each_high);
}

static void tokens(const struct page *p, const struct summary *s)
{
    const struct summary_tokens *t = &s->tokens;

    if (summary_no_tokens(s)) {
        page_label(p, "tokens");
        buf_printf(p->out, "    none: %s\n", summary_no_tokens(s));
    }
    if (!t->generations)
        return;
    page_label(p, "tokens");
    buf_text(p->out, "    ");
    page_count(p, t->count, "token in ", "tokens in ");
    page_count(p, t->generations, "generation", "generations");
    if (t->ttft.count) {
        buf_text(p->out, "   first after ");
        page_duration(p, t->ttft_ns);
    }
    if (t->gaps.count) {
        buf_text(p->out, ", then every ");
        page_duration(p, t->tpot_ns);
    }
    if (t->busy_ns > 0) {
        buf_text(p->out, "   ");
        rate(p, (double)t->count / (t->busy_ns / 1e9), "tokens");
    }
    buf_char(p->out, '\n');
    if (t->ttft.count > 1)
        percentiles(p, "first token", &t->ttft, t->left_out[TOKEN_FIRST],
                t->marked[TOKEN_FIRST]);
    if (t->gaps.count)
        percentiles(p, "each further", &t->gaps, t->left_out[TOKEN_NEXT],
                t->marked[TOKEN_NEXT]);
    if (t->growth_known && t->growth.each_low > 0)
        growth(p, &t->growth);
    for (unsigned i = PHASE_PREFILL; i <= PHASE_DECODE; i++) {
        const struct phase_counts *n = &s->phase_counts[i];

        if (!n->inferences)
            continue;
        page_label(p, phase_name((enum phase)i));
        buf_text(p->out, "    ");
        page_count(p, n->inferences, "inference", "inferences");
        if (s->phase[i].count) {
            buf_text(p->out, "   mean ");
            page_duration(p, s->phase[i].mean);
            percentile(p, "   p99 ", s->phase[i].p99);
        }
        slowed(p, n->left_out, n->marked);
        buf_char(p->out, '\n');
    }
}

static void sections(const struct page *p, const struct summary *s)
{
    size_t shown =
            s->section_count < PAGE_LINES ? s->section_count : PAGE_LINES;
    size_t widest = SECTION_WIDTH;

    for (size_t i = 0; i < shown; i++)
        if (term_width(s->sections[i].name) > widest)
            widest = term_width(s->sections[i].name);
    for (size_t i = 0; i < shown; i++) {
        const struct summary_section *x = &s->sections[i];

        page_label(p, i ? "" : "sections");
        buf_text(p->out, "    ");
        term_left(p->out, x->name, widest);
        page_duration_column(p, (double)x->total_ns);
        buf_text(p->out, "  in ");
        page_count(p, x->count, "section", "sections");
        buf_printf(p->out, ", %s\n", phase_name((enum phase)x->phase));
    }
}

static void errors(const struct page *p, const struct summary *s)
{
    for (size_t i = 0; i < s->error_count && i < PAGE_LINES; i++) {
        page_label(p, i ? "" : "errors");
        page_style(p, TERM_RED);
        buf_printf(p->out, "    %llu × ",
                (unsigned long long)s->errors[i].count);
        term_text(p->out, s->errors[i].text);
        buf_char(p->out, '\n');
        page_style(p, TERM_PLAIN);
    }
}

/* Known at a run's end; of one that was interrupted there is nothing. */
static void meter_cost(const struct page *p, const struct summary *s)
{
    const struct run *r = &s->run;
    char size[16];

    if (!s->hook_ns && !r->meter_cpu_ns && !s->tracing_known)
        return;
    page_label(p, "meter");
    buf_text(p->out, "    ");
    if (s->hook_ns) {
        buf_printf(p->out, "at least %u ns an inference", s->hook_ns);
        if (s->latency.median > 0)
            buf_printf(p->out, " (%.2g %% of the median)",
                    100.0 * s->hook_ns / s->latency.median);
    }
    if (s->tracing_known) {
        buf_text(p->out, s->hook_ns ? ", tracing " : "tracing ");
        page_duration(p, s->tracing_ns);
        buf_printf(p->out, " a traced one (%.2g %% of all)",
                100 * s->tracing_share);
    }
    if ((s->hook_ns || s->tracing_known) && r->meter_cpu_ns)
        buf_text(p->out, ", ");
    if (r->meter_cpu_ns) {
        buf_text(p->out, "collector CPU ");
        page_duration(p, (double)r->meter_cpu_ns);
    }
    if (r->meter_cpu_ns && r->meter_rss_bytes)
        buf_printf(p->out, " and %s",
                term_bytes(size, (double)r->meter_rss_bytes));
    buf_char(p->out, '\n');
}

/* As it was sampled, all processes together. */
static void usage(const struct page *p, const struct summary *s)
{
    const struct usage *u = &s->usage;
    char size[16];
    double mean;

    if (!u->cpu_cores.count || !usage_mean_cores(&mean, u, &s->run))
        return;
    page_label(p, "");
    buf_printf(p->out,
            "    CPU mean %.1f %%, at most %.1f %% of a core in a "
            "second",
            100 * mean, 100 * usage_most_cores(u, &s->run));
    if (u->read_bytes.known)
        buf_printf(p->out, "; read %s", term_bytes(size, u->read_bytes.value));
    if (u->written_bytes.known)
        buf_printf(p->out, ", wrote %s",
                term_bytes(size, u->written_bytes.value));
    if (u->host_busy.count)
        buf_printf(p->out, "; all CPUs %.0f %% busy", 100 * u->host_busy.mean);
    buf_char(p->out, '\n');
}

static void cost(const struct page *p, const struct summary *s)
{
    const struct run *r = &s->run;
    char size[16];

    if (r->ended) {
        page_label(p, "program");
        buf_text(p->out, "    CPU ");
        page_duration(p, (double)(r->user_cpu_ns + r->system_cpu_ns));
        if (r->peak_rss_bytes)
            buf_printf(p->out, ", at most %s resident",
                    term_bytes(size, (double)r->peak_rss_bytes));
        buf_char(p->out, '\n');
    }
    usage(p, s);
    energy_lines(p, s);
    meter_cost(p, s);
    if (s->lost) {
        page_label(p, "lost");
        page_style(p, TERM_RED);
        buf_text(p->out, "    ");
        page_count(p, s->lost, "record was lost", "records were lost");
        page_style(p, TERM_PLAIN);
        buf_text(p->out, ": try a larger --buffer\n");
    }
    if (s->unfinished) {
        page_label(p, "unfinished");
        buf_text(p->out, "    ");
        page_count(p, s->unfinished, "record was", "records were");
        buf_text(p->out, " being written when the process died\n");
    }
}

void summary_text(struct buf *out, const struct summary *s, bool colours)
{
    summary_text_with(out, s, NULL, colours);
}

void summary_text_with(struct buf *out, const struct summary *s,
        const struct findings *f, bool colours)
{
    struct page page = { out, colours };

    head(&page, s);
    note(&page, s);
    if (f)
        findings_text_short(&page, f);
    sessions(&page, s);
    sweep_text(&page, s);
    latency(&page, s);
    throughput(&page, s);
    python(&page, s);
    tokens(&page, s);
    operators_text(&page, s);
    sections(&page, s);
    errors(&page, s);
    cost(&page, s);
}
