#include "export/json/summary_json.h"

#include "base/json_read.h"
#include "export/json/device_json.h"
#include "export/json/energy_json.h"
#include "export/json/operators_json.h"
#include "export/json/placement_json.h"
#include "export/json/usage_json.h"
#include "model/phase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is not known is left out: NaN. */
static void us(struct json *j, const char *key, double ns)
{
    if (!isnan(ns))
        json_fixed(j, key, ns / 1e3, 3);
}

static void ms(struct json *j, const char *key, double ns)
{
    if (!isnan(ns))
        json_fixed(j, key, ns / 1e6, 6);
}

static void optional_text(struct json *j, const char *key, const char *text)
{
    if (text)
        json_text(j, key, text);
}

/* --- the run -------------------------------------------------------------- */

static void tags(struct json *j, const char *list)
{
    if (!list || !*list)
        return;
    json_array(j, "tags");
    for (const char *at = list; *at;) {
        const char *end = strchr(at, ',');
        size_t len = end ? (size_t)(end - at) : strlen(at);

        if (len)
            json_str(j, NULL, (struct str){ at, len });
        at += len + (end != NULL);
    }
    json_end(j);
}

static void run_members(struct json *j, const struct run *r)
{
    json_text(j, "id", r->id);
    json_text(j, "status", run_status_name(r->status));
    json_u64(j, "started_ns", r->started_wall_ns);
    if (r->duration_ns)
        json_fixed(j, "duration_s", (double)r->duration_ns / 1e9, 6);
    json_text(j, "command", r->command ? r->command : "");
    optional_text(j, "directory", r->directory);
    tags(j, r->tags);
    if (r->ended && !r->signal)
        json_int(j, "exit_code", r->exit_code);
    if (r->signal)
        json_int(j, "signal", r->signal);
    optional_text(j, "note", r->note);
    optional_text(j, "ortmeter", r->version);
}

void summary_run_json(struct json *j, const char *key, const struct run *run)
{
    json_object(j, key);
    run_members(j, run);
    json_end(j);
}

/* The sessions' providers, each once, in the order of first being asked. */
static void providers_of(struct json *j, const struct summary *s)
{
    struct buf seen = { 0 };

    json_array(j, "providers");
    for (size_t i = 0; i < s->session_count; i++) {
        const char *at = s->sessions[i].providers;

        while (at && (at = strchr(at, '"'))) {
            const char *end = strchr(++at, '"');

            if (!end)
                break;

            struct buf one = { 0 };

            buf_char(&one, '"');
            buf_add(&one, at, (size_t)(end - at));
            buf_char(&one, '"');
            if (!strstr(buf_cstr(&seen), buf_cstr(&one))) {
                json_str(j, NULL, (struct str){ at, (size_t)(end - at) });
                buf_text(&seen, buf_cstr(&one));
            }
            buf_release(&one);
            at = end + 1;
        }
    }
    json_end(j);
    buf_release(&seen);
}

static void runtime_members(struct json *j, const struct summary_library *l)
{
    optional_text(j, "version", l->version);
    optional_text(j, "path", l->path);
    optional_text(j, "language", l->language);
    if (!l->version)
        json_text(j, "reason",
                l->untraced ? l->untraced
                            : "a static copy inside another library: it cannot "
                              "be entered");
}

/* `ort` is the first that was entered; all are listed where there are more. */
static void runtimes(struct json *j, const struct summary *s)
{
    const struct summary_library *first = NULL;

    for (size_t i = 0; i < s->library_count && !first; i++)
        if (s->libraries[i].version)
            first = &s->libraries[i];
    if (first) {
        json_object(j, "ort");
        runtime_members(j, first);
        providers_of(j, s);
        json_end(j);
    }
    if (s->library_count < 2 && first)
        return;
    if (!s->library_count)
        return;
    json_array(j, "runtimes");
    for (size_t i = 0; i < s->library_count; i++) {
        json_object(j, NULL);
        json_u64(j, "process", s->libraries[i].process);
        runtime_members(j, &s->libraries[i]);
        json_end(j);
    }
    json_end(j);
}

static void processes(struct json *j, const struct summary *s)
{
    json_array(j, "processes");
    for (size_t i = 0; i < s->process_count; i++) {
        const struct summary_process *p = &s->processes[i];

        json_object(j, NULL);
        json_u64(j, "id", p->id);
        json_u64(j, "pid", p->pid);
        if (p->parent)
            json_u64(j, "parent", p->parent);
        optional_text(j, "program", p->program);
        json_end(j);
    }
    json_end(j);
}

/* --- figures -------------------------------------------------------------- */

static void spread(struct json *j, const struct spread_figures *f)
{
    us(j, "mean_us", f->mean);
    us(j, "median_us", f->median);
    us(j, "min_us", f->min);
    us(j, "max_us", f->max);
    if (f->count > 1)
        us(j, "stddev_us", f->stddev);
    if (f->pairs)
        us(j, "jitter_us", f->jitter);
    us(j, "p50_us", f->p50);
    us(j, "p90_us", f->p90);
    us(j, "p95_us", f->p95);
    us(j, "p99_us", f->p99);
    us(j, "p99_9_us", f->p99_9);
    if (f->relative_error > 0)
        json_real(j, "percentile_relative_error", f->relative_error);
}

struct counts {
    uint64_t all, failed;
    uint64_t traced, left_out, marked, looked_at;
};

/* How many of them are in the figures that follow, and why not all. */
static void counts(struct json *j, struct counts n,
        const struct spread_figures *f)
{
    if (n.traced)
        json_u64(j, "traced", n.traced);
    if (n.marked)
        json_u64(j, "slowed_by_tracing", n.marked);
    if (n.left_out)
        json_u64(j, "traced_left_out", n.left_out);
    if (n.looked_at)
        json_u64(j, "stats_left_out", n.looked_at);
    if (f->count && n.all - n.failed != f->count)
        json_u64(j, "counted", f->count);
}

static void latency(struct json *j, struct counts n,
        const struct spread_figures *f)
{
    json_object(j, "latency");
    json_u64(j, "count", n.all);
    json_u64(j, "failed", n.failed);
    counts(j, n, f);
    if (f->count)
        spread(j, f);
    json_end(j);
}

static void range(struct json *j, const char *key, const struct range *r)
{
    if (!r->count)
        return;
    json_object(j, key);
    json_u64(j, "min", r->min);
    json_u64(j, "max", r->max);
    json_real(j, "mean", r->sum / (double)r->count);
    json_end(j);
}

static void session(struct json *j, const struct summary_session *x)
{
    json_object(j, NULL);
    json_u64(j, "id", x->id);
    json_u64(j, "process", x->process);
    if (x->model) {
        char *name = summary_model_name(x->model);

        json_text(j, "model", name);
        json_text(j, "model_path", x->model);
        free(name);
    }
    if (x->model_bytes)
        json_u64(j, "model_bytes", x->model_bytes);
    json_if_sound(j, "providers", x->providers);
    device_json(j, &x->device);
    json_if_sound(j, "options", x->options);
    if (x->seen_late) {
        json_bool(j, "made_before_meter", true);
    } else {
        ms(j, "load_ms", (double)x->load_ns);
        if (!x->error && x->model)
            json_bool(j, "first_load", x->first_load);
    }
    optional_text(j, "error", x->error);
    if (x->inferences)
        latency(j,
                (struct counts){ x->inferences, x->failed, x->counted.traced,
                        x->counted.left_out, x->counted.marked,
                        x->counted.looked_at },
                &x->latency);
    range(j, "batch", &x->batch);
    range(j, "sequence", &x->sequence);
    range(j, "input_bytes", &x->in_bytes);
    range(j, "output_bytes", &x->out_bytes);
    json_end(j);
}

static void sessions(struct json *j, const struct summary *s)
{
    json_array(j, "sessions");
    for (size_t i = 0; i < s->session_count; i++)
        session(j, &s->sessions[i]);
    json_end(j);
}

/* A benchmark's points: their times are not pooled. */
static void sweep(struct json *j, const struct sweep *s)
{
    if (!s->count)
        return;
    json_array(j, "sweep");
    for (size_t i = 0; i < s->count; i++) {
        const struct sweep_point *p = &s->points[i];

        json_object(j, NULL);
        if (p->batch)
            json_u64(j, "batch", p->batch);
        if (p->level != SWEEP_NO_LEVEL)
            json_text(j, "level", sweep_level_name(p->level));
        json_u64(j, "count", p->latency.count);
        if (p->left_out)
            json_u64(j, "traced_left_out", p->left_out);
        if (p->marked)
            json_u64(j, "slowed_by_tracing", p->marked);
        if (p->latency.count)
            spread(j, &p->latency);
        json_u64(j, "rounds", p->rounds);
        if (p->rounds > 1) {
            us(j, "median_low_us", p->low_ns);
            us(j, "median_high_us", p->high_ns);
        }
        us(j, "median_us_per_sample", sweep_unit_ns(s, p, p->latency.p50));
        json_fixed(j, "samples_per_s", sweep_samples_per_s(p), 3);
        if (p->rounds > 1 && i)
            json_bool(j, "overlaps_previous", sweep_overlaps(s, i));
        json_end(j);
    }
    json_end(j);
}

static void throughput(struct json *j, const struct summary *s)
{
    double seconds = (double)(s->last_end_ns - s->first_start_ns) / 1e9;
    double done = (double)(s->inferences - s->failed);

    if (done <= 0 || seconds <= 0 || s->sweep.count)
        return; /* of a sweep it would be of several things at once */
    json_object(j, "throughput");
    json_fixed(j, "inferences_per_s", done / seconds, 3);
    json_fixed(j, "fps", s->samples / seconds, 3);
    json_end(j);
}

static void warmup(struct json *j, const struct summary *s)
{
    if (!s->warmup.known)
        return;
    json_object(j, "warmup");
    json_u64(j, "count", s->warmup.count);
    if (s->warmup.count)
        us(j, "mean_us", s->warmup.mean_ns);
    json_end(j);
}

static void phases(struct json *j, const struct summary *s)
{
    if (!s->phase_counts[PHASE_PREFILL].inferences &&
            !s->phase_counts[PHASE_DECODE].inferences)
        return;
    json_object(j, "phases");
    for (unsigned i = 0; i < PHASES; i++) {
        const struct phase_counts *n = &s->phase_counts[i];

        if (!n->inferences)
            continue;
        json_object(j, phase_name((enum phase)i));
        json_u64(j, "count", n->inferences);
        counts(j,
                (struct counts){ n->inferences, 0, n->traced, n->left_out,
                        n->marked, n->looked_at },
                &s->phase[i]);
        if (s->phase_tokens[i])
            json_u64(j, "tokens_in", s->phase_tokens[i]);
        if (s->phase[i].count)
            spread(j, &s->phase[i]);
        json_end(j);
    }
    json_end(j);
}

static void token_item(struct json *j, const struct summary *s, size_t i)
{
    const struct summary_token *t = &s->items[i];
    double mj = t->energy_mj;

    if (isnan(mj) && s->energy.account.counted)
        mj = 1e3 *
             run_energy_between(&s->energy, i ? t[-1].time_ns : 0, t->time_ns);
    if (t->id_known)
        json_int(j, "id", t->id);
    optional_text(j, "text", t->text);
    ms(j, "time_ms", (double)t->time_ns);
    if (t->duration_ns)
        ms(j, "duration_ms", (double)t->duration_ns);
    if (t->probability > 0)
        json_real(j, "probability", t->probability);
    if (isnan(mj))
        return;
    json_fixed(j, "energy_mj", mj, 6);
    if (t->duration_ns)
        json_fixed(j, "avg_power_mw", mj * 1e9 / (double)t->duration_ns, 3);
}

static void token_items(struct json *j, const struct summary *s)
{
    if (!s->item_count)
        return;
    json_array(j, "items");
    for (size_t i = 0; i < s->item_count; i++) {
        json_object(j, NULL);
        json_u64(j, "index", s->items[i].index);
        token_item(j, s, i);
        json_end(j);
    }
    json_end(j);
}

/* Gross, as every figure whose name does not say otherwise. */
static void token_energy(struct json *j, const struct summary *s)
{
    struct energy_counts n = summary_energy_counts(s);
    struct energy_figures f = energy_figures(&s->energy, &n, &s->prices);

    if (!s->energy.account.counted || isnan(f.token.gross_j))
        return;
    json_real(j, "joules_per_token", f.token.gross_j);
    json_text(j, "joules_method",
            reading_method_name(
                    run_energy_phase(&s->energy, PHASE_DECODE).method));
}

/* Those that tracing slowed: in the figures, or left out of them. */
static void slowed(struct json *j, const char *what,
        const struct summary_tokens *t, enum token_kind kind)
{
    char key[32];

    (void)snprintf(key, sizeof(key), "%s_slowed_by_tracing", what);
    if (t->marked[kind])
        json_u64(j, key, t->marked[kind]);
    (void)snprintf(key, sizeof(key), "%s_left_out", what);
    if (t->left_out[kind])
        json_u64(j, key, t->left_out[kind]);
}

/* What a step takes, and each token before it adds to that. */
static void growth(struct json *j, const struct line_fit *f)
{
    json_object(j, "growth");
    us(j, "fixed_us", f->fixed);
    json_fixed(j, "each_token_us", f->each / 1e3, 6);
    json_array(j, "each_token_interval_us");
    json_fixed(j, NULL, f->each_low / 1e3, 6);
    json_fixed(j, NULL, f->each_high / 1e3, 6);
    json_end(j);
    json_end(j);
}

static void tokens(struct json *j, const struct summary *s)
{
    const struct summary_tokens *t = &s->tokens;

    if (summary_no_tokens(s))
        json_text(j, "no_tokens", summary_no_tokens(s));
    if (!t->generations && !s->item_count)
        return;
    json_object(j, "tokens");
    json_u64(j, "count", t->generations ? t->count : s->told_tokens);
    if (t->generations) {
        json_u64(j, "generations", t->generations);
        if (t->ttft.count)
            ms(j, "ttft_ms", t->ttft_ns);
        if (t->gaps.count)
            ms(j, "tpot_ms", t->tpot_ns);
        if (t->ttft.count) {
            ms(j, "ttft_p50_ms", t->ttft.p50);
            ms(j, "ttft_p90_ms", t->ttft.p90);
            ms(j, "ttft_p99_ms", t->ttft.p99);
        }
        if (t->gaps.count) {
            ms(j, "tpot_p50_ms", t->gaps.p50);
            ms(j, "tpot_p90_ms", t->gaps.p90);
            ms(j, "tpot_p99_ms", t->gaps.p99);
        }
        slowed(j, "ttft", t, TOKEN_FIRST);
        slowed(j, "tpot", t, TOKEN_NEXT);
        if (t->busy_ns > 0)
            json_fixed(j, "tokens_per_s", (double)t->count / (t->busy_ns / 1e9),
                    3);
    }
    token_energy(j, s);
    if (t->growth_known)
        growth(j, &t->growth);
    token_items(j, s);
    json_end(j);
}

/* --- what the program told ------------------------------------------------ */

static void sections(struct json *j, const struct summary *s)
{
    if (!s->section_count)
        return;
    json_array(j, "sections");
    for (size_t i = 0; i < s->section_count; i++) {
        const struct summary_section *x = &s->sections[i];

        json_object(j, NULL);
        json_text(j, "phase", phase_name((enum phase)x->phase));
        json_text(j, "name", x->name);
        json_u64(j, "count", x->count);
        ms(j, "total_ms", (double)x->total_ns);
        us(j, "mean_us", (double)x->total_ns / (double)x->count);
        json_end(j);
    }
    json_end(j);
}

static void notes(struct json *j, const char *key, const char *name,
        const struct summary_note *n, size_t count)
{
    if (!count)
        return;
    json_array(j, key);
    for (size_t i = 0; i < count; i++) {
        json_object(j, NULL);
        json_u64(j, "process", n[i].process);
        json_u64(j, "thread", n[i].thread);
        optional_text(j, name, n[i].text);
        ms(j, "time_ms", (double)n[i].time_ns);
        json_end(j);
    }
    json_end(j);
}

static void batches(struct json *j, const struct summary *s)
{
    if (!s->batch_size.count)
        return;
    json_object(j, "batch_context");
    range(j, "batch_size", &s->batch_size);
    range(j, "padding", &s->padding);
    range(j, "queue_depth", &s->queue_depth);
    if (s->batch_size.sum > 0)
        json_fixed(j, "padding_ratio", s->padding.sum / s->batch_size.sum, 6);
    json_end(j);
}

/* Means of the inferences called from Python; the parts add up to the call. */
static void python(struct json *j, const struct summary *s)
{
    const struct summary_parts *p = &s->parts;
    double n = (double)p->count;

    if (!p->count)
        return;
    json_object(j, "python");
    json_u64(j, "calls", p->count);
    us(j, "call_us", p->whole_ns / n);
    us(j, "runtime_us", p->runtime_ns / n);
    us(j, "gil_wait_us", p->gil_ns / n);
    us(j, "converting_us", (p->whole_ns - p->runtime_ns - p->gil_ns) / n);
    json_end(j);
}

static void errors(struct json *j, const struct summary *s)
{
    if (!s->error_count)
        return;
    json_array(j, "errors");
    for (size_t i = 0; i < s->error_count; i++) {
        json_object(j, NULL);
        json_text(j, "text", s->errors[i].text);
        json_u64(j, "count", s->errors[i].count);
        json_end(j);
    }
    json_end(j);
}

/* --- what it cost --------------------------------------------------------- */

static void energy(struct json *j, const struct summary *s)
{
    struct energy_counts n = summary_energy_counts(s);

    energy_json(j, "energy", &s->energy, &n, &s->prices, false);
}

static void overhead(struct json *j, const struct summary *s)
{
    json_object(j, "overhead");
    if (s->hook_ns) {
        json_u64(j, "hook_ns", s->hook_ns);
        if (s->latency.count)
            json_real(j, "hook_share_of_median",
                    (double)s->hook_ns / s->latency.median);
    }
    if (s->tracing_known) {
        json_fixed(j, "tracing_ns", s->tracing_ns, 1);
        json_real(j, "tracing_share", s->tracing_share);
        if (s->latency.count && s->latency.median > 0)
            json_real(j, "tracing_share_of_median",
                    s->tracing_ns / s->latency.median);
    }
    if (s->run.meter_cpu_ns)
        json_fixed(j, "collector_cpu_ms", (double)s->run.meter_cpu_ns / 1e6, 3);
    if (s->run.meter_cpu_ns && s->run.duration_ns)
        json_fixed(j, "collector_core_share",
                (double)s->run.meter_cpu_ns / (double)s->run.duration_ns, 6);
    if (s->run.meter_rss_bytes)
        json_u64(j, "collector_peak_rss_bytes", s->run.meter_rss_bytes);
    json_end(j);
}

/* Processes whose inferences are not here. */
static void not_followed(struct json *j, const struct summary *s)
{
    if (!s->not_followed_count)
        return;
    json_array(j, "not_followed");
    for (size_t i = 0; i < s->not_followed_count; i++) {
        const struct summary_not_followed *u = &s->not_followed[i];

        json_object(j, NULL);
        json_u64(j, "pid", u->pid);
        optional_text(j, "program", u->program);
        optional_text(j, "onnx_runtime", u->runtime);
        optional_text(j, "reason", u->reason);
        json_end(j);
    }
    json_end(j);
}

static void members(struct json *j, const struct summary *s)
{
    json_int(j, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_object(j, "run");
    run_members(j, &s->run);
    json_if_sound(j, "host", s->run.host);
    runtimes(j, s);
    processes(j, s);
    json_end(j);
    sessions(j, s);
    latency(j,
            (struct counts){ s->inferences, s->failed, s->traced, s->left_out,
                    s->marked, s->looked_at },
            &s->latency);
    sweep(j, &s->sweep);
    throughput(j, s);
    warmup(j, s);
    phases(j, s);
    tokens(j, s);
    operators_json(j, s);
    placement_json(j, s);
    sections(j, s);
    notes(j, "marks", "text", s->marks, s->mark_count);
    notes(j, "threads", "name", s->threads, s->thread_count);
    batches(j, s);
    python(j, s);
    errors(j, s);
    usage_json(j, s);
    energy(j, s);
    not_followed(j, s);
    json_u64(j, "lost_events", s->lost);
    if (s->unfinished)
        json_u64(j, "unfinished_events", s->unfinished);
    overhead(j, s);
}

void summary_json(struct buf *out, const struct summary *s)
{
    struct json j = json_into(out);

    json_object(&j, NULL);
    members(&j, s);
    json_end(&j);
    buf_char(out, '\n');
}

void summary_json_with(struct buf *out, const struct summary *s,
        const char *key, struct str value)
{
    struct json j = json_into(out);
    struct buf indented = { 0 };

    json_object(&j, NULL);
    members(&j, s);
    for (size_t i = 0; i < value.len; i++) {
        buf_char(&indented, value.p[i]);
        if (value.p[i] == '\n') /* no text in it has one, they are escaped */
            buf_text(&indented, "  ");
    }
    json_raw_str(&j, key, buf_str(&indented));
    json_end(&j);
    buf_char(out, '\n');
    buf_release(&indented);
}
