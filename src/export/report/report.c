#include "export/report/report_build.h"

#include "analyse/session_name.h"
#include "base/alloc.h"
#include "base/digits.h"
#include "base/json_member.h"
#include "model/phase.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define MOST_ERRORS 10

/* --- the tables ----------------------------------------------------------- */

static void about_inferences(struct report_table *t, const struct summary *s)
{
    report_add(t, "inferences");
    report_addf(t, "%" PRIu64, s->inferences);
    if (s->failed) {
        report_add(t, "failed");
        report_addf(t, "%" PRIu64, s->failed);
    }
    if (s->traced) {
        report_add(t, "traced");
        report_addf(t, "%" PRIu64, s->traced);
    }
    if (s->left_out) {
        report_add(t, "left out of the figures");
        report_addf(t, "%" PRIu64 " that tracing slowed", s->left_out);
    }
    if (s->marked) {
        report_add(t, "in the figures");
        report_addf(t, "%" PRIu64 " that tracing slowed", s->marked);
    }
    if (s->tracing_known) {
        report_add(t, "tracing");

        struct buf each = { 0 };

        report_duration(&each, s->tracing_ns);
        report_addf(t, "%s a traced inference, %.2g %% of all time",
                buf_cstr(&each), 100 * s->tracing_share);
        buf_release(&each);
    }
    if (s->hook_ns) {
        report_add(t, "hook");
        report_addf(t, "at least %" PRIu32 " ns an inference", s->hook_ns);
    }
    report_add(t, "lost events");
    report_addf(t, "%" PRIu64, s->lost);
}

static void rates(struct report_table *t, const struct summary *s)
{
    double seconds = (double)(s->last_end_ns - s->first_start_ns) / 1e9;
    double done = (double)(s->inferences - s->failed);

    if (done > 0 && seconds > 0 && !s->sweep.count) {
        report_add(t, "inferences a second");
        report_addf(t, "%.1f", done / seconds);
        if (s->samples > done) {
            report_add(t, "samples a second");
            report_addf(t, "%.1f", s->samples / seconds);
        }
    }
    if (s->warmup.known && s->warmup.count) {
        struct buf each = { 0 };

        report_duration(&each, s->warmup.mean_ns);
        report_add(t, "warm-up");
        report_addf(t, "%" PRIu64 " of %s", s->warmup.count, buf_cstr(&each));
        buf_release(&each);
    }
}

static void about_run(struct report *r, const struct summary *s)
{
    struct report_table *t = report_begin(r, "Run", 2);
    char time[DIGITS_TIME_LEN + 1];

    report_add(t, "");
    report_add(t, "");
    report_add(t, "id");
    report_add(t, s->run.id);
    report_add(t, "began");
    time[digits_time(time, (int64_t)s->run.started_wall_ns)] = 0;
    report_add(t, time);
    report_add(t, "status");
    report_add(t, run_status_name(s->run.status));
    if (s->run.duration_ns) {
        report_add(t, "took");
        report_add_duration(t, (double)s->run.duration_ns);
    }
    report_add(t, "command");
    report_add(t, s->run.command);
    if (s->run.tags) {
        report_add(t, "tags");
        report_add(t, s->run.tags);
    }
    for (size_t i = 0; i < s->library_count; i++) {
        report_add(t, "ONNX Runtime");
        report_addf(t, "%s %s",
                s->libraries[i].version ? s->libraries[i].version : "",
                s->libraries[i].path ? s->libraries[i].path : "");
    }
    about_inferences(t, s);
    rates(t, s);
    if (s->run.has_energy) {
        report_add(t, "energy");
        report_addf(t, "%.3f J", s->run.energy_mj / 1e3);
    }
    if (s->run.note) {
        report_add(t, "note");
        report_add(t, s->run.note);
    }
    report_end(r);
}

static void add_percentile(struct report_table *t, double ns)
{
    if (isnan(ns))
        report_add(t, "too few");
    else
        report_add_duration(t, ns);
}

static void spread_row(struct report_table *t, const char *name,
        const struct spread_figures *f)
{
    const double figures[] = { f->mean, f->p50, f->p90, f->p95, f->p99,
        f->p99_9, f->min, f->max };

    if (!f->count)
        return;
    report_add(t, name);
    report_addf(t, "%" PRIu64, f->count);
    for (size_t i = 0; i < LEN(figures); i++)
        add_percentile(t, figures[i]);
}

static void latencies(struct report *r, const struct summary *s)
{
    static const char *const head[] = { "latency", "counted", "mean", "p50",
        "p90", "p95", "p99", "p99.9", "least", "most" };
    struct report_table *t = report_begin(r, "Latency", LEN(head));

    for (size_t i = 0; i < LEN(head); i++)
        report_add(t, head[i]);
    spread_row(t, "all inferences", &s->latency);
    for (int i = PHASE_PREFILL; i <= PHASE_DECODE; i++)
        spread_row(t, phase_name((enum phase)i), &s->phase[i]);
    for (size_t i = 0; i < s->session_count && s->session_count > 1; i++) {
        struct buf name = { 0 };

        session_full_name(&name, s, &s->sessions[i]);
        spread_row(t, buf_cstr(&name), &s->sessions[i].latency);
        buf_release(&name);
    }
    report_end(r);
}

static void sessions(struct report *r, const struct summary *s)
{
    struct report_table *t = report_begin(r, "Sessions", 6);

    report_add(t, "model");
    report_add(t, "session");
    report_add(t, "file");
    report_add(t, "load");
    report_add(t, "inferences");
    report_add(t, "failed");
    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];

        struct buf name = { 0 };

        session_full_name(&name, s, x);
        report_add(t, buf_cstr(&name));
        buf_release(&name);
        report_addf(t, "%u", x->id);
        report_add(t, x->model ? x->model : "");
        if (x->seen_late)
            report_add(t, "");
        else
            report_add_duration(t, (double)x->load_ns);
        report_addf(t, "%" PRIu64, x->inferences);
        report_addf(t, "%" PRIu64, x->failed);
    }
    report_end(r);
}

static void percentiles(struct report_table *t, const char *of,
        const struct spread_figures *f)
{
    report_addf(t, "p50 of %s", of);
    report_add_duration(t, f->p50);
    report_addf(t, "p90 of %s", of);
    add_percentile(t, f->p90);
    report_addf(t, "p99 of %s", of);
    add_percentile(t, f->p99);
}

/* By tracing: left out of those times, or in them. */
static void slowed_tokens(struct report_table *t, const char *of,
        const struct summary_tokens *x, enum token_kind kind)
{
    if (x->left_out[kind]) {
        report_addf(t, "left out of %s", of);
        report_addf(t, "%" PRIu64 " that tracing slowed", x->left_out[kind]);
    }
    if (x->marked[kind]) {
        report_addf(t, "in %s", of);
        report_addf(t, "%" PRIu64 " that tracing slowed", x->marked[kind]);
    }
}

static void tokens(struct report *r, const struct summary *s)
{
    struct report_table *t = report_begin(r, "Tokens", 2);
    const struct summary_tokens *x = &s->tokens;

    report_add(t, "");
    report_add(t, "");
    if (summary_no_tokens(s)) {
        report_add(t, "none");
        report_add(t, summary_no_tokens(s));
    }
    if (x->count) {
        report_add(t, "tokens");
        report_addf(t, "%" PRIu64, x->count);
        report_add(t, "generations");
        report_addf(t, "%" PRIu64, x->generations);
    }
    if (x->ttft.count) {
        report_add(t, "time to the first");
        report_add_duration(t, x->ttft_ns);
    }
    if (x->gaps.count) {
        report_add(t, "time of each further one");
        report_add_duration(t, x->tpot_ns);
    }
    if (x->ttft.count)
        percentiles(t, "the first", &x->ttft);
    if (x->gaps.count)
        percentiles(t, "each further one", &x->gaps);
    slowed_tokens(t, "the first", x, TOKEN_FIRST);
    slowed_tokens(t, "each further one", x, TOKEN_NEXT);
    if (x->count && x->busy_ns > 0) {
        report_add(t, "tokens a second");
        report_addf(t, "%.1f", (double)x->count * 1e9 / x->busy_ns);
    }
    report_end(r);
}

static void sections(struct report *r, const struct summary *s)
{
    struct report_table *t = report_begin(r, "Sections", 4);

    report_add(t, "section");
    report_add(t, "phase");
    report_add(t, "times");
    report_add(t, "total");
    for (size_t i = 0; i < s->section_count; i++) {
        report_add(t, s->sections[i].name);
        report_add(t, phase_name(s->sections[i].phase));
        report_addf(t, "%" PRIu64, s->sections[i].count);
        report_add_duration(t, (double)s->sections[i].total_ns);
    }
    report_end(r);
}

static void errors(struct report *r, const struct summary *s)
{
    struct report_table *t = report_begin(r, "Errors", 2);

    report_add(t, "error");
    report_add(t, "times");
    for (size_t i = 0; i < s->error_count && i < MOST_ERRORS; i++) {
        report_add(t, s->errors[i].text);
        report_addf(t, "%" PRIu64, s->errors[i].count);
    }
    report_end(r);
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
    struct report_table *t = report_begin(r, "Host", 2);
    struct buf text = { 0 };

    report_add(t, "");
    report_add(t, "");
    for (size_t i = 0; i < LEN(keys); i++) {
        buf_clear(&text);
        if (!json_member_text(&text, all, keys[i].key))
            continue;
        report_add(t, keys[i].name);
        report_add(t, buf_cstr(&text));
    }
    buf_clear(&text);
    if (json_member_text(&text, cpu, "model")) {
        struct str threads = json_member(cpu, "threads");

        report_add(t, "CPU");
        report_addf(t, "%s, %.*s threads", buf_cstr(&text), (int)threads.len,
                threads.p);
    }
    buf_release(&text);
    report_end(r);
}

static void percent(struct report_table *t, const char *what, double share)
{
    report_add(t, what);
    report_addf(t, "%.1f %%", 100 * share);
}

static void bytes(struct report_table *t, const char *what, double n)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
    size_t unit = 0;

    for (; n >= 1000 && unit + 1 < LEN(units); unit++)
        n /= 1000;
    report_add(t, what);
    report_addf(t, unit ? "%.3f %s" : "%.0f %s", n, units[unit]);
}

static void resources(struct report *r, const struct summary *s)
{
    struct report_table *t = report_begin(r, "Resources", 2);
    const struct usage *u = &s->usage;
    double mean;

    report_add(t, "");
    report_add(t, "");
    if (s->run.ended) {
        report_add(t, "CPU time");
        report_add_duration(t,
                (double)(s->run.user_cpu_ns + s->run.system_cpu_ns));
    }
    if (usage_mean_cores(&mean, u, &s->run))
        percent(t, "CPU, mean, of a core", mean);
    if (u->cpu_cores.count)
        percent(t, "CPU, at most in a second", usage_most_cores(u, &s->run));
    if (u->host_busy.count)
        percent(t, "all CPUs of the machine busy", u->host_busy.mean);
    if (s->run.ended && s->run.peak_rss_bytes)
        bytes(t, "resident at most", (double)s->run.peak_rss_bytes);
    if (u->read_bytes.known)
        bytes(t, "read", u->read_bytes.value);
    if (u->written_bytes.known)
        bytes(t, "written", u->written_bytes.value);
    report_end(r);
}

/* --- a benchmark's points ------------------------------------------------- */

static void sweep_slowed(struct report_table *t, const struct sweep_point *p)
{
    if (p->left_out)
        report_addf(t, "%" PRIu64 ", left out", p->left_out);
    else if (p->marked)
        report_addf(t, "%" PRIu64 " of them", p->marked);
    else
        report_add(t, "");
}

static void sweep(struct report *r, const struct summary *s)
{
    static const char *const head[] = { "count", "p50", "low", "high", "p99",
        "samples/s", "slowed by tracing", "" };
    struct report_table *t = report_begin(r, "Sweep", LEN(head) + 1);

    report_add(t, s->sweep.levels ? "level" : "batch");
    for (size_t i = 0; i < LEN(head); i++)
        report_add(t, head[i]);
    for (size_t i = 0; i < s->sweep.count; i++) {
        const struct sweep_point *p = &s->sweep.points[i];

        if (s->sweep.levels)
            report_add(t, sweep_level_name(p->level));
        else
            report_addf(t, "%u", p->batch);
        report_addf(t, "%" PRIu64, p->latency.count);
        report_add_duration(t, p->latency.p50);
        report_add_duration(t, p->low_ns);
        report_add_duration(t, p->high_ns);
        add_percentile(t, p->latency.p99);
        report_addf(t, "%.1f", sweep_samples_per_s(p));
        sweep_slowed(t, p);
        report_add(t, p->rounds > 1 && sweep_overlaps(&s->sweep, i)
                              ? "not told apart from the one before"
                              : "");
    }
    report_end(r);
}

/* --- what one should know before reading on --------------------------------
 */

static void warnings(struct report *r, const struct summary *s)
{
    struct report_table *t = report_begin(r, "Warnings", 1);

    report_add(t, "");
    if (s->run.status != RUN_COMPLETE)
        report_addf(t, "The run is not complete: %s.",
                run_status_name(s->run.status));
    if (s->run.note)
        report_add(t, s->run.note);
    if (s->failed)
        report_addf(t, "%" PRIu64 " inference%s failed.", s->failed,
                s->failed == 1 ? "" : "s");
    if (s->lost)
        report_addf(t, "%" PRIu64 " records were lost: try a larger --buffer.",
                s->lost);
    if (s->marked)
        report_addf(t,
                "%" PRIu64
                " inference%s that tracing slowed %s in the figures: "
                "there are too few others.",
                s->marked, s->marked == 1 ? "" : "s",
                s->marked == 1 ? "is" : "are");
    for (size_t i = 0; i < s->not_followed_count; i++)
        report_addf(t, "Process %" PRIu64 " (%s) was not followed: %s.",
                s->not_followed[i].pid,
                s->not_followed[i].program ? s->not_followed[i].program : "?",
                s->not_followed[i].reason ? s->not_followed[i].reason : "?");
    report_end(r);
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
    report_operators(r, s);
    sections(r, s);
    errors(r, s);
    resources(r, s);
    host(r, s);
}
