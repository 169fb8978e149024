/* report.c -- a run in figures: its summary, report, sessions, operators, and
 * two runs beside each other. */
#include "analyse/generation/generation.h"
#include "analyse/generation/pipeline.h"
#include "analyse/operators/operator_groups.h"
#include "analyse/verdict/judgement.h"
#include "base/alloc.h"
#include "base/json_read.h"
#include "export/json/comparison_json.h"
#include "export/json/device_json.h"
#include "export/json/summary_json.h"
#include "model/phase.h"
#include "serve/answer/figures_json.h"
#include "serve/answer/run_about.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- EP-030 --------------------------------------------------------------- */

/* In the order of the pipeline. */
static const enum phase phase_order[] = { PHASE_PRE, PHASE_PREFILL,
    PHASE_DECODE, PHASE_POST, PHASE_OTHER };

static void phase_breakdown(struct json *j, struct store *s, int64_t row)
{
    struct pipeline p;
    bool any = pipeline_read(&p, s, row, NULL) == 0;
    double mw;

    json_array(j, "phase_breakdown");
    for (size_t i = 0; any && i < PHASES; i++) {
        const struct pipeline_part *x = &p.phases[phase_order[i]];

        if (!x->count)
            continue;
        json_object(j, NULL);
        json_text(j, "phase", phase_name(phase_order[i]));
        json_fixed(j, "total_duration_ms", (double)x->duration_ns / 1e6, 6);
        if (x->has_energy)
            json_real(j, "total_energy_mj", x->energy_mj);
        if (pipeline_power(&mw, x))
            json_real(j, "avg_power_mw", mw);
        json_u64(j, "section_count", x->count);
        json_end(j);
    }
    json_end(j);
    if (any)
        pipeline_release(&p);
}

/* Layers by number, or components by name, with their sums. */
struct average {
    char *name;
    uint32_t layer;
    uint64_t count, with_energy;
    double ns, mj;
};

struct averages {
    struct average *items;
    size_t count;
};

static struct average *average_of(struct averages *all, const char *name,
        uint32_t layer)
{
    for (size_t i = 0; i < all->count; i++)
        if (name ? strcmp(all->items[i].name, name) == 0
                 : all->items[i].layer == layer)
            return &all->items[i];
    all->items =
            alloc_resize(all->items, (all->count + 1) * sizeof(*all->items));
    all->items[all->count] = (struct average){
        .name = name ? alloc_text(name) : NULL,
        .layer = layer,
    };
    return &all->items[all->count++];
}

static void average_add(struct average *x, uint64_t count, uint64_t ns,
        double mj)
{
    x->count += count;
    x->ns += (double)ns;
    if (!isnan(mj)) {
        x->mj += mj;
        x->with_energy += count;
    }
}

/* Layers are averages of tokens where there are such rows, components of the
 * whole run: some are in no layer, and so in no token. */
struct depth_averages {
    struct averages of_tokens, of_run;
};

static void take_layer(void *to, const struct layer_metric *l)
{
    struct depth_averages *d = to;

    average_add(average_of(l->token_id ? &d->of_tokens : &d->of_run, NULL,
                        l->layer_index),
            1, l->duration_ns, l->energy_mj);
}

static void take_component(void *to, const struct component_metric *x)
{
    struct depth_averages *d = to;

    average_add(average_of(x->place.in_token ? &d->of_tokens : &d->of_run,
                        x->component_name, 0),
            x->count ? x->count : 1, x->duration_ns, x->energy_mj);
}

static int by_layer(const void *a, const void *b)
{
    const struct average *x = a, *y = b;

    return (x->layer > y->layer) - (x->layer < y->layer);
}

/* The dearest first; where energy is not known, the longest. */
static int by_cost(const void *a, const void *b)
{
    const struct average *x = a, *y = b;
    bool energy = x->with_energy && y->with_energy;
    double p = (energy ? x->mj : x->ns) / (double)x->count;
    double q = (energy ? y->mj : y->ns) / (double)y->count;

    return (p < q) - (p > q);
}

static void write_averages(struct json *j, const char *key,
        const struct averages *all, size_t most)
{
    json_array(j, key);
    for (size_t i = 0; i < all->count && i < most; i++) {
        const struct average *x = &all->items[i];
        double n = (double)x->count;

        json_object(j, NULL);
        if (x->name)
            json_text(j, "component_name", x->name);
        else
            json_u64(j, "layer_index", x->layer);
        json_fixed(j, "avg_duration_ms", x->ns / n / 1e6, 6);
        if (x->with_energy == x->count) {
            json_real(j, "avg_energy_mj", x->mj / n);
            if (x->ns > 0)
                json_real(j, "avg_power_mw", x->mj / (x->ns / 1e6) * 1000);
        }
        json_u64(j, x->name ? "occurrence_count" : "token_count", x->count);
        json_end(j);
    }
    json_end(j);
}

static void averages_release(struct averages *all)
{
    for (size_t i = 0; i < all->count; i++)
        free(all->items[i].name);
    free(all->items);
}

static int depth_members(struct json *j, struct store *s, int64_t row,
        struct error *e)
{
    struct depth_averages layers = { 0 }, components = { 0 };
    int rc = store_each_layer(s, row, take_layer, &layers, e);
    struct averages *l, *c;

    if (!rc)
        rc = store_each_component(s, row, take_component, &components, e);
    l = layers.of_tokens.count ? &layers.of_tokens : &layers.of_run;
    c = components.of_run.count ? &components.of_run : &components.of_tokens;
    if (l->count)
        qsort(l->items, l->count, sizeof(*l->items), by_layer);
    if (c->count)
        qsort(c->items, c->count, sizeof(*c->items), by_cost);
    write_averages(j, "layer_averages", l, SIZE_MAX);
    write_averages(j, "component_averages", c, SIZE_MAX);
    write_averages(j, "hottest_components", c, 10);
    averages_release(&layers.of_tokens);
    averages_release(&layers.of_run);
    averages_release(&components.of_tokens);
    averages_release(&components.of_run);
    return rc;
}

struct summary_writing {
    struct json *json;
    struct store *store;
};

static void summary_members(void *to, const struct run_line *l)
{
    struct summary_writing *w = to;
    struct json *j = w->json;
    struct run_totals t = run_totals(w->store, l->run);

    run_members(j, w->store, l, true);
    if (l->run->output_tokens && t.has_duration && t.duration_ms > 0)
        json_real(j, "tokens_per_second",
                (double)l->run->output_tokens / t.duration_ms * 1000);
    if (l->run->duration_ns)
        json_fixed(j, "run_duration_ms", (double)l->run->duration_ns / 1e6, 6);
    if (l->run->has_energy)
        json_real(j, "run_energy_mj", l->run->energy_mj);
    phase_breakdown(j, w->store, l->run->row);
}

void answer_run_summary(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct summary_writing w = { &j, c->store };
    struct run_about r;
    struct error e;

    if (run_of_path(c, a, &r))
        return;
    json_object(&j, NULL);

    int rc = store_list_runs(c->store,
            &(struct run_filter){ .row = r.row, .limit = 1 }, summary_members,
            &w, &e);

    if (!rc)
        rc = depth_members(&j, c->store, r.row, &e);
    json_end(&j);
    if (rc)
        answer_failed(a, &e);
}

/* --- the report ----------------------------------------------------------- */

void answer_report(struct call *c, struct answer *a)
{
    struct run_about r;
    struct summary s;
    struct error e;

    if (run_of_query(c, a, &r))
        return;
    if (summary_read(&s, c->store, r.row, &e)) {
        answer_failed(a, &e);
        return;
    }
    summary_json(&a->body, &s);
    summary_release(&s);
}

/* --- sessions ------------------------------------------------------------- */

static const struct summary_process *process_of(const struct summary *s,
        uint32_t id)
{
    for (size_t i = 0; i < s->process_count; i++)
        if (s->processes[i].id == id)
            return &s->processes[i];
    return NULL;
}

/* Of too few there is none. */
static void percentile(struct json *j, const char *key, double ns)
{
    if (!isnan(ns))
        json_fixed(j, key, ns / 1e3, 3);
}

static void latency_members(struct json *j, const struct spread_figures *f)
{
    if (!f->count)
        return;
    json_object(j, "latency");
    json_fixed(j, "mean_us", f->mean / 1e3, 3);
    json_fixed(j, "p50_us", f->p50 / 1e3, 3);
    percentile(j, "p90_us", f->p90);
    percentile(j, "p95_us", f->p95);
    percentile(j, "p99_us", f->p99);
    json_fixed(j, "min_us", f->min / 1e3, 3);
    json_fixed(j, "max_us", f->max / 1e3, 3);
    percentile(j, "p99_9_us", f->p99_9);
    if (f->pairs)
        json_fixed(j, "jitter_us", f->jitter / 1e3, 3);
    json_end(j);
}

/* The class of the first provider that it asked for. */
static void first_provider(struct json *j, const char *list)
{
    struct str rest = str_of(list ? list : ""), value;
    struct buf name = { 0 };

    if (json_next_element(&rest, &value) > 0 &&
            json_read_text(&name, value) == 0)
        json_text(j, "provider", provider_class(buf_cstr(&name)));
    buf_release(&name);
}

static void session(struct json *j, const struct summary *s,
        const struct summary_session *x, bool live)
{
    const struct summary_process *p = process_of(s, x->process);

    json_object(j, NULL);
    json_text(j, "run_id", s->run.id);
    shape_id(j, "session_id", s->run.id, "session", x->id);
    json_u64(j, "id", x->id);
    json_u64(j, "process", x->process);
    if (p)
        json_u64(j, "pid", p->pid);
    if (x->model) {
        char *name = summary_model_name(x->model);

        json_text(j, "model", name);
        json_text(j, "model_path", x->model);
        free(name);
    }
    if (x->providers && json_is_sound(str_of(x->providers)))
        json_raw(j, "providers", x->providers);
    else
        json_raw(j, "providers", "[]");
    first_provider(j, x->providers);
    device_json(j, &x->device);
    json_if_sound(j, "options", x->options);
    if (!x->seen_late) {
        json_fixed(j, "load_ms", (double)x->load_ns / 1e6, 6);
        json_bool(j, "first_load", x->first_load);
    }
    json_bool(j, "live", live && (!p || !p->ended));
    json_u64(j, "inferences", x->inferences);
    json_u64(j, "failed", x->failed);
    latency_members(j, &x->latency);
    if (x->error)
        json_text(j, "error", x->error);
    json_end(j);
}

static void process(struct json *j, const struct summary *s,
        const struct summary_process *p)
{
    json_object(j, NULL);
    json_text(j, "run_id", s->run.id);
    json_u64(j, "id", p->id);
    json_u64(j, "pid", p->pid);
    if (p->program)
        json_text(j, "program", p->program);
    if (p->hook_ns)
        json_u64(j, "hook_ns", p->hook_ns);
    for (size_t i = 0; i < s->library_count; i++) {
        const struct summary_library *l = &s->libraries[i];

        if (l->process != p->id || !l->version)
            continue;
        json_object(j, "ort");
        json_text(j, "version", l->version);
        if (l->path)
            json_text(j, "path", l->path);
        if (l->language)
            json_text(j, "language", l->language);
        json_end(j);
        break;
    }
    json_end(j);
}

int sessions_members(struct json *j, struct call *c, const struct run_about *r,
        struct error *e)
{
    struct summary s;
    int rc = summary_read(&s, c->store, r->row, e);

    if (rc)
        return rc;
    json_array(j, "sessions");
    for (size_t i = 0; i < s.session_count; i++)
        session(j, &s, &s.sessions[i], r->live);
    json_end(j);
    json_array(j, "processes");
    for (size_t i = 0; i < s.process_count; i++)
        process(j, &s, &s.processes[i]);
    json_end(j);
    summary_release(&s);
    return 0;
}

void answer_sessions(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct run_about r;
    struct error e;

    if (run_of_query(c, a, &r))
        return;
    json_object(&j, NULL);
    if (sessions_members(&j, c, &r, &e)) {
        answer_failed(a, &e);
        return;
    }
    json_raw(&j, "missing", "[]");
    json_end(&j);
}

/* --- two runs ------------------------------------------------------------- */

/* All runs that a name means: one, or those of a baseline or a tag. */
static int rows_named(struct run_rows *out, struct call *c, struct answer *a,
        const char *name)
{
    struct run_about one;
    struct error e;

    if (store_each_named(c->store, name, run_rows_add, out, &e) == 0)
        return 0;
    return run_named(c, a, name, &one); /* which says what is wrong */
}

static int judge(struct judgement *out, struct call *c,
        const struct run_rows *rows, struct error *e)
{
    return judgement_make(out,
            &(struct judgement_runs){ c->store, rows[0].row, rows[0].count },
            &(struct judgement_runs){ c->store, rows[1].row, rows[1].count },
            &(struct judgement_want){ .least = query_real(c, "least", 0),
                    .model = query_text(c, "model") },
            e);
}

static void compare(struct answer *a, const struct judgement *x)
{
    struct json j = json_line_into(&a->body);

    json_object(&j, NULL);
    comparison_json_members(&j, x);
    json_raw(&j, "missing", "[]");
    json_end(&j);
}

void answer_compare(struct call *c, struct answer *a)
{
    struct run_rows rows[2] = { { 0 } };
    struct judgement judgement;
    struct error e;

    if (!rows_named(&rows[0], c, a, query_text(c, "a")) &&
            !rows_named(&rows[1], c, a, query_text(c, "b"))) {
        int rc = judge(&judgement, c, rows, &e);

        if (!rc) {
            compare(a, &judgement);
            judgement_release(&judgement);
        } else if (rc == -ENOENT && query_given(c, "model")) {
            answer_problem(a, 400, "bad_parameter", "model",
                    "model must be part of the path of a model that both "
                    "runs have");
        } else {
            answer_failed(a, &e);
        }
    }
    free(rows[0].row);
    free(rows[1].row);
}
