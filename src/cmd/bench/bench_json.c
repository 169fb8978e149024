#include "cmd/bench/bench_json.h"

#include "base/json.h"
#include "cmd/bench/bench_scaling.h"
#include "export/json/summary_json.h"

#include <math.h>
#include <string.h>

/* What is not known is left out: NaN. */
static void us(struct json *j, const char *key, double ns)
{
    if (!isnan(ns))
        json_fixed(j, key, ns / 1e3, 3);
}

static void ms(struct json *j, const char *key, uint64_t ns)
{
    if (ns)
        json_fixed(j, key, (double)ns / 1e6, 6);
}

/* --- what was asked, and what was made of it --------------------------------
 */

static void settings_members(struct json *j, const struct bench_settings *s)
{
    json_text(j, "model_path", s->model);
    if (s->count != BENCH_NOT_GIVEN)
        json_u64(j, "count", s->count);
    if (s->duration_s > 0)
        json_real(j, "duration_s", s->duration_s);
    json_u64(j, "concurrency", s->concurrency);
    json_u64(j, "sessions", s->sessions);
    if (s->threads)
        json_u64(j, "threads", s->threads);
    if (s->qps > 0)
        json_real(j, "qps", s->qps);
    json_text(j, "latency_from", s->qps > 0 ? "intended_start" : "start");
    if (s->provider)
        json_text(j, "provider", s->provider);
}

static void inputs(struct json *j, const struct bench_report *r)
{
    json_array(j, "inputs");
    for (size_t i = 0; i < r->input_count; i++) {
        const struct bench_input *x = &r->inputs[i];

        json_object(j, NULL);
        json_text(j, "name", x->name);
        json_text(j, "type", tensor_type_name(x->type));
        json_array(j, "shape");
        for (size_t d = 0; d < x->rank; d++)
            json_int(j, NULL, x->shape[d]);
        json_end(j);
        json_end(j);
    }
    json_end(j);
    json_array(j, "dims");
    for (size_t i = 0; i < r->dim_count; i++) {
        json_object(j, NULL);
        json_text(j, "name", r->dims[i].name);
        json_int(j, "value", r->dims[i].value);
        json_text(j, "source", r->dims[i].given ? "given" : "assumed");
        json_end(j);
    }
    json_end(j);
}

static void load(struct json *j, const struct bench_load *l)
{
    json_object(j, "load");
    ms(j, "first_ms", l->first_ns);
    ms(j, "later_ms", l->later_ns);
    ms(j, "split_ms", l->split_ns);
    ms(j, "read_ms", l->read_ns);
    ms(j, "initialise_ms", l->initialise_ns);
    ms(j, "first_run_ms", l->first_run_ns);
    json_end(j);
}

/* --- rows -------------------------------------------------------------------
 */

static void spread(struct json *j, const char *key,
        const struct spread_figures *f)
{
    if (!f->count)
        return;
    json_object(j, key);
    json_u64(j, "count", f->count);
    us(j, "mean_us", f->mean);
    us(j, "median_us", f->median);
    us(j, "min_us", f->min);
    us(j, "max_us", f->max);
    us(j, "p50_us", f->p50);
    us(j, "p90_us", f->p90);
    us(j, "p95_us", f->p95);
    us(j, "p99_us", f->p99);
    us(j, "p99_9_us", f->p99_9);
    json_end(j);
}

static void warm_up(struct json *j, const struct bench_row *row)
{
    json_object(j, "warmup");
    json_u64(j, "count", row->warm_ups);
    if (row->warm_ups)
        us(j, "mean_us", row->warm_up_mean_ns);
    if (row->settled)
        json_u64(j, "settled_after", row->settled_after);
    json_end(j);
}

static void arena(struct json *j, const struct bench_row *row)
{
    json_object(j, "arena");
    json_u64(j, "max_in_use_bytes", row->arena.max_in_use_bytes);
    json_u64(j, "in_use_bytes", row->arena.in_use_bytes);
    json_u64(j, "held_bytes", row->arena.held_bytes);
    json_u64(j, "largest_bytes", row->arena.max_alloc_bytes);
    json_fixed(j, "allocations_per_inference",
            (double)row->arena_allocs / (double)row->service.count, 3);
    json_u64(j, "extensions", row->arena_extensions);
    json_end(j);
}

static void memory(struct json *j, const struct bench_row *row)
{
    uint64_t bytes = bench_row_memory_bytes(row);

    if (!bytes)
        return;
    json_object(j, "memory");
    if (row->peak_rss_bytes)
        json_u64(j, "peak_rss_bytes", row->peak_rss_bytes);
    if (row->arena_known)
        arena(j, row);
    if (row->batch)
        json_fixed(j, "samples_per_mb", row->batch / ((double)bytes / 1e6), 6);
    json_end(j);
}

static void open_loop(struct json *j, const struct bench_row *row, double qps)
{
    if (!row->response.count)
        return;
    json_object(j, "open_loop");
    json_real(j, "target_per_s", qps);
    json_u64(j, "queued", row->queued);
    json_u64(j, "unserved", row->unserved);
    json_end(j);
}

static void row_members(struct json *j, const struct bench_row *row, double qps)
{
    if (row->batch)
        json_u64(j, "batch", row->batch);
    json_text(j, "level", bench_level_name(row->level));
    ms(j, "load_ms", row->load_ns);
    warm_up(j, row);
    spread(j, "latency", row->response.count ? &row->response : &row->service);
    if (row->response.count)
        spread(j, "service", &row->service);
    open_loop(j, row, qps);
    json_fixed(j, "inferences_per_s", bench_row_per_s(row), 3);
    json_fixed(j, "samples_per_s", bench_row_samples_per_s(row), 3);
    if (row->batch)
        us(j, "per_sample_us", row->service.median / row->batch);
    if (row->wall_ns)
        json_fixed(j, "cores_busy", (double)row->cpu_ns / (double)row->wall_ns,
                3);
    memory(j, row);
    if (row->nodes)
        json_u64(j, "nodes", row->nodes);
}

static void interval(struct json *j, const char *key, double low, double high)
{
    json_array(j, key);
    us(j, NULL, low);
    us(j, NULL, high);
    json_end(j);
}

/* Batches that no other one beats in all things; within the bound; and that
 * draws least. */
static void choices(struct json *j, const struct bench_report *r,
        const struct bench_scaling *s)
{
    json_u64(j, "fastest_batch", r->rows[s->fastest].batch);
    if (s->within < r->row_count)
        json_u64(j, "batch_within_bound", r->rows[s->within].batch);
    if (s->thrifty < r->row_count)
        json_u64(j, "least_energy_batch", r->rows[s->thrifty].batch);
    json_array(j, "pareto_batches");
    for (size_t i = 0; i < r->row_count; i++)
        if (s->best[i])
            json_u64(j, NULL, r->rows[i].batch);
    json_end(j);
}

static void scaling(struct json *j, const struct bench_settings *settings,
        const struct bench_report *r, const struct bench_energy *energy)
{
    struct bench_scaling s;

    if (!bench_scaling(&s, r, energy, settings->bound_ms * 1e6))
        return;
    json_object(j, "scaling");
    if (s.time_known) {
        if (s.time_ns.fixed > 0)
            us(j, "per_batch_us", s.time_ns.fixed);
        interval(j, "per_batch_interval_us", s.time_ns.fixed_low,
                s.time_ns.fixed_high);
        us(j, "per_sample_us", s.time_ns.each);
        interval(j, "per_sample_interval_us", s.time_ns.each_low,
                s.time_ns.each_high);
        json_fixed(j, "time_fit_error", s.time_ns.error, 4);
    }
    if (s.memory_known) {
        if (s.memory_bytes.fixed > 0)
            json_fixed(j, "memory_fixed_bytes", s.memory_bytes.fixed, 0);
        json_fixed(j, "memory_per_sample_bytes", s.memory_bytes.each, 0);
        json_array(j, "memory_per_sample_interval_bytes");
        json_fixed(j, NULL, s.memory_bytes.each_low, 0);
        json_fixed(j, NULL, s.memory_bytes.each_high, 0);
        json_end(j);
        json_fixed(j, "memory_fit_error", s.memory_bytes.error, 4);
    }
    choices(j, r, &s);
    json_end(j);
}

/* --- the whole --------------------------------------------------------------
 */

static void own_members(struct json *j, const struct bench_settings *s,
        const struct bench_report *r, const struct summary *summary,
        const struct bench_energy *energy)
{
    settings_members(j, s);
    inputs(j, r);
    load(j, &r->load);
    json_array(j, "rows");
    for (size_t i = 0; i < r->row_count; i++) {
        json_object(j, NULL);
        row_members(j, &r->rows[i], s->qps);
        bench_energy_json(j, &energy[i], summary);
        json_end(j);
    }
    json_end(j);
    scaling(j, s, r, energy);
    if (r->note_count) {
        json_array(j, "notes");
        for (size_t i = 0; i < r->note_count; i++)
            json_text(j, NULL, r->notes[i]);
        json_end(j);
    }
}

void bench_json(struct buf *out, const struct bench_settings *settings,
        const struct bench_report *report, const struct summary *summary,
        const struct bench_energy *energy)
{
    struct buf own = { 0 };
    struct json j = json_into(&own);

    json_object(&j, NULL);
    own_members(&j, settings, report, summary, energy);
    json_end(&j);
    summary_json_with(out, summary, "bench", buf_str(&own));
    buf_release(&own);
}
