/* shape_inference.c -- inferences as TEZ-158 has them. */
#include "analyse/counting.h"
#include "analyse/summary.h"
#include "export/json/shape_list.h"
#include "export/json/shapes.h"
#include "model/phase.h"

#include <math.h>
#include <stdlib.h>

struct events {
    struct shape_list list;
    struct summary summary;
};

#define P99_LEAST 100

static const struct summary_session *session_of(const struct events *x,
        uint32_t id)
{
    for (size_t i = 0; i < x->summary.session_count; i++)
        if (x->summary.sessions[i].id == id)
            return &x->summary.sessions[i];
    return NULL;
}

void shape_id(struct json *j, const char *key, const char *run,
        const char *what, uint64_t number)
{
    struct buf text = { 0 };

    buf_printf(&text, "%s/%s/%llu", run, what, (unsigned long long)number);
    json_text(j, key, buf_cstr(&text));
    buf_release(&text);
}

/* Of few, the greatest would be called by a percentile's name. */
static void percentiles(struct json *j, const struct spread_figures *f)
{
    json_object(j, "percentiles");
    json_fixed(j, "p50", f->p50 / 1e6, 6);
    if (f->count >= SPREAD_PERCENTILES_LEAST) {
        json_fixed(j, "p90", f->p90 / 1e6, 6);
        json_fixed(j, "p95", f->p95 / 1e6, 6);
    }
    if (f->count >= P99_LEAST)
        json_fixed(j, "p99", f->p99 / 1e6, 6);
    if (f->count >= SPREAD_P99_9_LEAST && !isnan(f->p99_9))
        json_fixed(j, "p99_9", f->p99_9 / 1e6, 6);
    json_end(j);
    if (f->pairs)
        json_fixed(j, "jitter", f->jitter / 1e6, 6);
}

static void batch_context(struct json *j, const struct inference *i)
{
    if (!i->has_context && !(i->flags & FLAG_SHAPE))
        return;
    json_object(j, "batch_context");
    json_u64(j, "batch_size", i->has_context ? i->batch_size : i->batch);
    if (i->has_context && i->batch_size)
        json_real(j, "padding_ratio",
                (double)i->padding / (double)i->batch_size);
    if (i->has_context)
        json_u64(j, "queue_depth", i->queue_depth);
    json_end(j);
}

void shape_inference_json(struct json *j, const struct inference *i,
        const struct shape_inference *x)
{
    json_object(j, NULL);
    json_u64(j, "timestamp_ns", x->started_wall_ns + i->start_ns);
    if (x->model) {
        char *name = summary_model_name(x->model);

        json_text(j, "model_name", name);
        free(name);
    }
    shape_id(j, "session_id", x->run_id, "session", i->session);
    shape_id(j, "inference_id", x->run_id, "inference", i->number);
    json_object(j, "latency");
    shape_ms(j, "end_to_end_ms", i->duration_ns);
    if (x->latency && x->latency->count)
        percentiles(j, x->latency);
    json_end(j);
    batch_context(j, i);
    json_text(j, "run_id", x->run_id);
    json_u64(j, "number", i->number);
    json_text(j, "phase", phase_name((enum phase)i->phase));
    if (inference_is_traced(i))
        json_bool(j, "traced", true);
    if (i->flags & FLAG_FAILED)
        json_text(j, "error", i->error ? i->error : "failed");
    json_end(j);
}

static void take_inference(void *to, const struct inference *i)
{
    struct events *x = to;
    const struct run *run = &x->summary.run;
    const struct summary_session *session = session_of(x, i->session);

    shape_inference_json(&x->list.json, i,
            &(struct shape_inference){
                    .run_id = run->id,
                    .started_wall_ns = run->started_wall_ns,
                    .model = session ? session->model : NULL,
                    .latency = session ? &session->latency : NULL,
            });
    shape_list_flush(&x->list);
}

int shape_inference_events(struct sink *to, struct store *s, int64_t run,
        struct error *e)
{
    struct events x = { 0 };
    int rc = summary_read(&x.summary, s, run, e);

    if (rc)
        return rc;
    shape_list_begin(&x.list, to);
    rc = store_each_inference(s, run, take_inference, &x, e);
    shape_list_end(&x.list);
    summary_release(&x.summary);
    return rc;
}
