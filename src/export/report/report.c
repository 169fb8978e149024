#include "export/report/report.h"

#include "analyse/fusion.h"
#include "analyse/operator_groups.h"
#include "analyse/session_name.h"
#include "base/alloc.h"
#include "base/digits.h"
#include "base/json_member.h"
#include "model/phase.h"

#include <inttypes.h>
#include <math.h>
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

static void about_inferences(struct report_table *t, const struct summary *s)
{
    add(t, "inferences");
    addf(t, "%" PRIu64, s->inferences);
    if (s->failed) {
        add(t, "failed");
        addf(t, "%" PRIu64, s->failed);
    }
    if (s->traced) {
        add(t, "traced");
        addf(t, "%" PRIu64, s->traced);
    }
    if (s->left_out) {
        add(t, "left out of the figures");
        addf(t, "%" PRIu64 " that tracing slowed", s->left_out);
    }
    if (s->marked) {
        add(t, "in the figures");
        addf(t, "%" PRIu64 " that tracing slowed", s->marked);
    }
    if (s->tracing_known) {
        add(t, "tracing");

        struct buf each = { 0 };

        report_duration(&each, s->tracing_ns);
        addf(t, "%s a traced inference, %.2g %% of all time", buf_cstr(&each),
                100 * s->tracing_share);
        buf_release(&each);
    }
    if (s->hook_ns) {
        add(t, "hook");
        addf(t, "at least %" PRIu32 " ns an inference", s->hook_ns);
    }
    add(t, "lost events");
    addf(t, "%" PRIu64, s->lost);
}

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
    about_inferences(t, s);
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
        if (isnan(figures[i]))
            add(t, "too few");
        else
            add_duration(t, figures[i]);
}

/* "mlp", "mlp, session 3, thread worker-1". */
static void add_session(struct buf *out, const struct summary *s,
        const struct summary_session *x)
{
    char *name = summary_model_name(x->model ? x->model : "(from memory)");
    struct buf which = { 0 };

    session_name(&which, s, x);
    buf_printf(out, "%s%s%s", name, which.len ? ", " : "",
            which.len ? buf_cstr(&which) : "");
    buf_release(&which);
    free(name);
}

static void latencies(struct report *r, const struct summary *s)
{
    static const char *const head[] = { "latency", "counted", "mean", "p50",
        "p90", "p95", "p99", "p99.9", "least", "most" };
    struct report_table *t = begin(r, "Latency", LEN(head));

    for (size_t i = 0; i < LEN(head); i++)
        add(t, head[i]);
    spread_row(t, "all inferences", &s->latency);
    for (int i = PHASE_PREFILL; i <= PHASE_DECODE; i++)
        spread_row(t, phase_name((enum phase)i), &s->phase[i]);
    for (size_t i = 0; i < s->session_count && s->session_count > 1; i++) {
        struct buf name = { 0 };

        add_session(&name, s, &s->sessions[i]);
        spread_row(t, buf_cstr(&name), &s->sessions[i].latency);
        buf_release(&name);
    }
    end(r);
}

static void sessions(struct report *r, const struct summary *s)
{
    struct report_table *t = begin(r, "Sessions", 6);

    add(t, "model");
    add(t, "session");
    add(t, "file");
    add(t, "load");
    add(t, "inferences");
    add(t, "failed");
    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];

        struct buf name = { 0 };

        add_session(&name, s, x);
        add(t, buf_cstr(&name));
        buf_release(&name);
        addf(t, "%u", x->id);
        add(t, x->model ? x->model : "");
        if (x->seen_late)
            add(t, "");
        else
            add_duration(t, (double)x->load_ns);
        addf(t, "%" PRIu64, x->inferences);
        addf(t, "%" PRIu64, x->failed);
    }
    end(r);
}

static void percentiles(struct report_table *t, const char *of,
        const struct spread_figures *f)
{
    addf(t, "p50 of %s", of);
    add_duration(t, f->p50);
    addf(t, "p90 of %s", of);
    add_duration(t, f->p90);
    addf(t, "p99 of %s", of);
    add_duration(t, f->p99);
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
    if (x->ttft.count) {
        add(t, "time to the first");
        add_duration(t, x->ttft_ns);
    }
    if (x->gaps.count) {
        add(t, "time of each further one");
        add_duration(t, x->tpot_ns);
    }
    if (x->ttft.count)
        percentiles(t, "the first", &x->ttft);
    if (x->gaps.count)
        percentiles(t, "each further one", &x->gaps);
    if (x->count && x->busy_ns > 0) {
        add(t, "tokens a second");
        addf(t, "%.1f", (double)x->count * 1e9 / x->busy_ns);
    }
    end(r);
}

/* --- operators ------------------------------------------------------------ */

/* What is shown: a table, in inferences of a phase. */
struct view {
    const struct summary *summary;
    const struct operator_table *table;
    unsigned phase;
};

static char *model_of(const struct summary *s, uint32_t session)
{
    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].id == session && s->sessions[i].model)
            return summary_model_name(s->sessions[i].model);
    return NULL;
}

/* "Operators by type: decoder, decode; from 3 inferences, the first cold". */
static struct report_table *begin_view(struct report *r, const char *what,
        const struct view *v, size_t columns)
{
    const struct traced_sum *x = &v->table->sums[v->phase];
    char *model = v->summary->operators.table_count > 1
                          ? model_of(v->summary, v->table->session)
                          : NULL;
    struct buf title = { 0 };

    buf_text(&title, what);
    if (model || v->phase != PHASES)
        buf_printf(&title, ": %s%s%s", model ? model : "",
                model && v->phase != PHASES ? ", " : "",
                v->phase != PHASES ? phase_name((enum phase)v->phase) : "");
    if (x->count)
        buf_printf(&title, "; from %" PRIu64 " inference%s%s", x->count,
                x->count == 1 ? "" : "s",
                v->table->cold[v->phase] ? ", the first cold" : "");

    struct report_table *t = begin(r, buf_cstr(&title), columns);

    buf_release(&title);
    free(model);
    return t;
}

static void add_share(struct report_table *t, const struct view *v, double ns)
{
    double all_ns = v->table->self_ns[v->phase];

    if (all_ns > 0)
        addf(t, "%.1f %%", 100 * ns / all_ns);
    else
        add(t, "");
}

static void add_flops(struct report_table *t, double flops, double ns)
{
    if (flops > 0 && ns > 0)
        addf(t, "%.3g", flops / ns);
    else
        add(t, "");
}

static void groups(struct report *r, const struct view *v, const char *title,
        enum operator_grouping by)
{
    static const char *const names[] = {
        [OPERATORS_BY_TYPE] = "type",
        [OPERATORS_BY_LAYER] = "layer",
        [OPERATORS_BY_COMPONENT] = "component",
    };
    const char *const head[] = { names[by], "operators", "times", "total",
        "share", "GFLOP/s" };
    struct report_table *t = begin_view(r, title, v, LEN(head));
    struct operator_groups g;

    for (size_t i = 0; i < LEN(head); i++)
        add(t, head[i]);
    operator_groups_find(&g, &v->summary->operators, v->table->session,
            v->phase, by);
    for (size_t i = 0; i < g.count && i < MOST_OPERATORS; i++) {
        const struct operator_group *x = &g.items[i];

        if (by == OPERATORS_BY_TYPE)
            add(t, x->op_type);
        else if (by == OPERATORS_BY_LAYER)
            addf(t, "layer %d", x->at.layer);
        else
            add(t, arch_component_name(x->at.component));
        addf(t, "%" PRIu64, x->operators);
        addf(t, "%" PRIu64, x->runs);
        add_duration(t, x->self_ns);
        add_share(t, v, x->self_ns);
        add_flops(t, x->flops, x->flops_ns);
    }
    operator_groups_release(&g);
    end(r);
}

static void add_operator(struct report_table *t, const struct view *v,
        const struct operator_figures *o)
{
    const struct operator_times *x = &o->times[v->phase];
    double flops = operator_flops_in(o, v->phase);

    add(t, o->name);
    add(t, o->op_type);
    add(t, o->provider);
    if (o->place.layer >= 0)
        addf(t, "%d", o->place.layer);
    else
        add(t, "");
    add(t, o->place.component != ARCH_NONE
                    ? arch_component_name(o->place.component)
                    : "");
    addf(t, "%" PRIu64 "%s", x->count,
            x->count < OPERATORS_FEW ? " (few)" : "");
    add_duration(t, x->self_ns);
    add_share(t, v, x->self_ns);
    add_duration(t, x->self_ns / (double)x->count);
    add_duration(t, x->median_ns);
    add_flops(t, flops > 0 ? flops * (double)x->count : 0, x->self_ns);
}

static void nodes(struct report *r, const struct view *v)
{
    static const char *const head[] = { "operator", "type", "provider", "layer",
        "component", "times", "total", "share", "mean", "median", "GFLOP/s" };
    struct report_table *t = begin_view(r, "Operators", v, LEN(head));
    size_t count;
    const struct operator_figures **all = operators_sorted(
            &v->summary->operators, v->table->session, v->phase, &count);

    for (size_t i = 0; i < LEN(head); i++)
        add(t, head[i]);
    for (size_t i = 0; i < count && i < MOST_OPERATORS; i++)
        add_operator(t, v, all[i]);
    free((void *)all);
    end(r);
}

static void gap(struct report_table *t, const char *what, uint64_t ns, double n)
{
    add(t, what);
    add_duration(t, (double)ns / n);
}

/* Where kernels ran side by side, there is no sum. */
static void gaps(struct report *r, const struct view *v)
{
    const struct traced_sum *x = &v->table->sums[v->phase];
    struct report_table *t = begin_view(r, "Time of an inference", v, 2);
    double n = (double)x->count;

    add(t, "");
    add(t, "mean");
    if (x->count && x->beside == x->count) {
        gap(t, "operators, side by side", x->busy_ns, n);
        gap(t, "inference", x->run_ns, n);
    } else if (x->count) {
        gap(t, "before the first operator", x->before_ns, n);
        gap(t, "operators", x->kernels_ns, n);
        if (x->flow_ns)
            gap(t, "control flow", x->flow_ns, n);
        gap(t, "runtime between operators", x->between_ns, n);
        gap(t, "after the last operator", x->after_ns, n);
        gap(t, "inference", x->run_ns, n);
    }
    end(r);
}

static void operators(struct report *r, const struct summary *s)
{
    const struct operators *o = &s->operators;

    for (size_t i = 0; i < o->table_count; i++) {
        const struct operator_table *t = &o->tables[i];
        bool phases =
                t->sums[PHASE_DECODE].count || t->sums[PHASE_PREFILL].count;

        for (unsigned p = phases ? 0 : PHASES;
                p <= (phases ? PHASES - 1 : PHASES); p++) {
            struct view v = { s, t, p };

            if (!(t->self_ns[p] > 0))
                continue;
            gaps(r, &v);
            groups(r, &v, "Operators by type", OPERATORS_BY_TYPE);
            groups(r, &v, "Operators by layer", OPERATORS_BY_LAYER);
            groups(r, &v, "Operators by component", OPERATORS_BY_COMPONENT);
            nodes(r, &v);
        }
    }
}

/* Why there are none, of the sessions that ran. */
static void missing(struct report *r, const struct summary *s)
{
    struct report_table *t = begin(r, "Operators that are not known", 2);

    add(t, "session");
    add(t, "why");
    for (size_t i = 0; i < s->session_count; i++) {
        const char *why = summary_no_operators(s, &s->sessions[i]);

        if (!why)
            continue;
        addf(t, "%u", s->sessions[i].id);
        add(t, why);
    }
    end(r);
}

static void fusions(struct report *r, const struct summary *s)
{
    static const char *const head[] = { "model", "in the file",
        "ran as they are", "in copies", "fused", "folded", "removed",
        "not taken", "ran", "from the file", "made by fusion", "put in" };
    struct report_table *t = begin(r, "Nodes", LEN(head));

    for (size_t i = 0; i < LEN(head); i++)
        add(t, head[i]);
    for (size_t i = 0; i < s->operators.table_count; i++) {
        struct fusion f;

        for (size_t k = 0; k < s->session_count; k++) {
            const struct summary_session *x = &s->sessions[k];

            if (x->id != s->operators.tables[i].session || !x->model ||
                    fusion_of_session(&f, s, x, NULL))
                continue;

            const uint64_t counts[] = { f.file_nodes, f.kept, f.duplicated,
                f.fused, f.folded, f.removed, f.not_taken, f.ran, f.from_file,
                f.made, f.inserted };

            add(t, x->model);
            for (size_t n = 0; n < LEN(counts); n++)
                addf(t, "%" PRIu64, counts[n]);
            fusion_release(&f);
        }
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

/* --- the machine ---------------------------------------------------------- */

static void host(struct report *r, const struct summary *s)
{
    static const struct {
        const char *key, *name;
    } keys[] = {
        { "hostname", "name" },
        { "os_name", "system" },
        { "os_version", "version" },
        { "kernel", "kernel" },
        { "architecture", "architecture" },
        { "virtualisation", "virtual machine" },
    };
    struct str all = str_of(s->run.host ? s->run.host : "{}");
    struct str cpu = json_member(all, "cpu");
    struct report_table *t = begin(r, "Host", 2);
    struct buf text = { 0 };

    add(t, "");
    add(t, "");
    for (size_t i = 0; i < LEN(keys); i++) {
        buf_clear(&text);
        if (!json_member_text(&text, all, keys[i].key))
            continue;
        add(t, keys[i].name);
        add(t, buf_cstr(&text));
    }
    buf_clear(&text);
    if (json_member_text(&text, cpu, "model")) {
        struct str threads = json_member(cpu, "threads");

        add(t, "CPU");
        addf(t, "%s, %.*s threads", buf_cstr(&text), (int)threads.len,
                threads.p);
    }
    buf_release(&text);
    end(r);
}

static void percent(struct report_table *t, const char *what, double share)
{
    add(t, what);
    addf(t, "%.1f %%", 100 * share);
}

static void bytes(struct report_table *t, const char *what, double n)
{
    add(t, what);
    addf(t, "%.3f MB", n / 1e6);
}

static void resources(struct report *r, const struct summary *s)
{
    struct report_table *t = begin(r, "Resources", 2);
    const struct usage *u = &s->usage;
    double mean;

    add(t, "");
    add(t, "");
    if (s->run.ended) {
        add(t, "CPU time");
        add_duration(t, (double)(s->run.user_cpu_ns + s->run.system_cpu_ns));
    }
    if (u->cpu_cores.count && usage_mean_cores(&mean, u, &s->run)) {
        percent(t, "CPU, mean, of a core", mean);
        percent(t, "CPU, at most in a second", usage_most_cores(u, &s->run));
    }
    if (u->host_busy.count)
        percent(t, "all CPUs of the machine busy", u->host_busy.mean);
    if (s->run.ended && s->run.peak_rss_bytes)
        bytes(t, "resident at most", (double)s->run.peak_rss_bytes);
    if (u->read_bytes.known)
        bytes(t, "read", u->read_bytes.value);
    if (u->written_bytes.known)
        bytes(t, "written", u->written_bytes.value);
    end(r);
}

/* --- a benchmark's points ------------------------------------------------- */

static void sweep(struct report *r, const struct summary *s)
{
    static const char *const head[] = { "count", "p50", "low", "high", "p99",
        "samples/s", "" };
    struct report_table *t = begin(r, "Sweep", LEN(head) + 1);

    add(t, s->sweep.levels ? "level" : "batch");
    for (size_t i = 0; i < LEN(head); i++)
        add(t, head[i]);
    for (size_t i = 0; i < s->sweep.count; i++) {
        const struct sweep_point *p = &s->sweep.points[i];

        if (s->sweep.levels)
            add(t, sweep_level_name(p->level));
        else
            addf(t, "%u", p->batch);
        addf(t, "%" PRIu64, p->latency.count);
        add_duration(t, p->latency.p50);
        add_duration(t, p->low_ns);
        add_duration(t, p->high_ns);
        add_duration(t, p->latency.p99);
        addf(t, "%.1f", sweep_samples_per_s(p));
        add(t, p->rounds > 1 && sweep_overlaps(&s->sweep, i)
                        ? "not told apart from the one before"
                        : "");
    }
    end(r);
}

/* --- what one should know before reading on --------------------------------
 */

static void warnings(struct report *r, const struct summary *s)
{
    struct report_table *t = begin(r, "Warnings", 1);

    add(t, "");
    if (s->run.status != RUN_COMPLETE)
        addf(t, "The run is not complete: %s.", run_status_name(s->run.status));
    if (s->run.note)
        add(t, s->run.note);
    if (s->failed)
        addf(t, "%" PRIu64 " inferences failed.", s->failed);
    if (s->lost)
        addf(t, "%" PRIu64 " records were lost: try a larger --buffer.",
                s->lost);
    if (s->marked)
        addf(t,
                "%" PRIu64
                " inferences that tracing slowed are in the figures: "
                "there are too few others.",
                s->marked);
    for (size_t i = 0; i < s->unheard_count; i++)
        addf(t, "Process %" PRIu64 " (%s) was not followed: %s.",
                s->unheard[i].pid,
                s->unheard[i].program ? s->unheard[i].program : "?",
                s->unheard[i].reason ? s->unheard[i].reason : "?");
    end(r);
}

void report_init(struct report *r, const struct summary *s)
{
    struct buf title = { 0 };

    buf_printf(&title, "ortmeter run %.8s", s->run.id);
    *r = (struct report){ .title = alloc_text(buf_cstr(&title)) };
    buf_release(&title);
    warnings(r, s);
    about_run(r, s);
    sweep(r, s);
    latencies(r, s);
    sessions(r, s);
    tokens(r, s);
    operators(r, s);
    missing(r, s);
    fusions(r, s);
    sections(r, s);
    errors(r, s);
    resources(r, s);
    host(r, s);
}
