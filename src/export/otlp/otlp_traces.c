/* otlp_traces.c -- a stored run as one trace:
 *
 *     the run
 *       session creation, section
 *       generation of a text (gen_ai)
 *       inference, also within a generation
 *         operator */
#include "export/otlp/otlp.h"

#include "analyse/summary.h"
#include "export/metrics/generation_list.h"
#include "export/names.h"
#include "export/otlp/otlp_spans.h"
#include "model/phase.h"

#include <errno.h>
#include <stdlib.h>

struct span_export {
    void (*take)(void *context, struct str request);
    void *context;
    struct run_metrics *figures; /* for what is about the run */
    struct otlp_spans spans;
    uint64_t end_ns; /* of the run */
    struct names names;
    struct map models; /* session to its model's short name */
    struct generation_list generations;
    uint64_t sections, operators; /* so far */
};

static void flush(struct span_export *t, bool now)
{
    struct buf out = { 0 };

    if (!t->spans.count || (!now && t->spans.count < OTLP_SPANS))
        return;
    otlp_spans_request(&t->spans, &out);
    t->take(t->context, buf_str(&out));
    buf_release(&out);
}

static const char *model_of(const struct span_export *t, uint32_t session)
{
    const uint64_t *model = map_find(&t->models, session);

    return model ? (const char *)(uintptr_t)*model : NULL;
}

/* --- spans ---------------------------------------------------------------- */

static void mark(void *to, const struct note *n)
{
    struct span_export *t = to;

    otlp_span_event(&t->spans, n->time_ns, n->text ? n->text : "mark");
}

static int run_span(struct span_export *t, struct store *s, int64_t run,
        struct error *e)
{
    size_t span = otlp_span_begin(&t->spans, &(struct otlp_span){
                                                     .id = OTLP_SPAN_ROOT,
                                                     .end_ns = t->end_ns,
                                                     .name = "run",
                                             });

    otlp_span_text(&t->spans, "process.command_line",
            run_metrics_about(t->figures)->command);

    int rc = store_each_mark(s, run, mark, t, e);

    otlp_span_end(&t->spans, span);
    return rc;
}

static void session_span(struct span_export *t, const struct span *s)
{
    otlp_span_session(&t->spans,
            &(struct session){
                    .id = s->id,
                    .model = names_model(&t->names, s->id),
                    .start_ns = s->start_ns,
                    .duration_ns = s->duration_ns,
            },
            model_of(t, s->id));
}

static void section_span(struct span_export *t, const struct span *s)
{
    size_t span = otlp_span_begin(&t->spans,
            &(struct otlp_span){
                    .id = OTLP_SPAN_ID(OTLP_SPAN_SECTION, ++t->sections),
                    .parent = OTLP_SPAN_ROOT,
                    .start_ns = s->start_ns,
                    .end_ns = s->start_ns + s->duration_ns,
                    .name = s->text ? s->text : "section",
            });

    otlp_span_text(&t->spans, "ortmeter.phase", phase_name(s->phase));
    otlp_span_number(&t->spans, "thread.id", s->thread);
    otlp_span_end(&t->spans, span);
}

static void inference_span(struct span_export *t, const struct span *s)
{
    size_t i;
    uint64_t parent = OTLP_SPAN_ROOT;

    if (generation_list_find(&t->generations, s, &i))
        parent = OTLP_SPAN_ID(OTLP_SPAN_GENERATION, i + 1);
    otlp_span_inference(&t->spans,
            &(struct inference){
                    .session = s->id,
                    .thread = s->thread,
                    .phase = s->phase,
                    .flags = s->flags,
                    .start_ns = s->start_ns,
                    .duration_ns = s->duration_ns,
                    .error = s->text,
            },
            s->inference, parent, model_of(t, s->id));
}

static void operator_span(struct span_export *t, const struct span *s)
{
    const struct operator* o = names_operator(&t->names, s->id);

    if (!o)
        return;

    size_t span = otlp_span_begin(&t->spans,
            &(struct otlp_span){
                    .id = OTLP_SPAN_ID(OTLP_SPAN_OPERATOR, ++t->operators),
                    .parent = s->inference ? OTLP_SPAN_ID(OTLP_SPAN_INFERENCE,
                                                     s->inference)
                                           : OTLP_SPAN_ROOT,
                    .start_ns = s->start_ns,
                    .end_ns = s->start_ns + s->duration_ns,
                    .name = *o->name ? o->name : "operator",
            });

    otlp_span_text(&t->spans, "ortmeter.op_type", o->op_type);
    otlp_span_text(&t->spans, "ortmeter.provider", o->provider);
    otlp_span_end(&t->spans, span);
}

static void take_span(void *to, const struct span *s)
{
    struct span_export *t = to;

    switch (s->kind) {
    case SPAN_SESSION: session_span(t, s); break;
    case SPAN_SECTION: section_span(t, s); break;
    case SPAN_INFERENCE: inference_span(t, s); break;
    case SPAN_OPERATOR: operator_span(t, s); break;
    }
    flush(t, false);
}

/* --- the whole ------------------------------------------------------------ */

static void take_run(void *to, const struct run *r)
{
    struct span_export *t = to;

    t->figures = run_metrics_new(r);
    t->end_ns = r->duration_ns;
}

static void take_session(void *to, const struct session *x)
{
    struct span_export *t = to;

    if (x->model)
        map_put(&t->models, x->id, (uintptr_t)summary_model_name(x->model));
}

static int write_all(struct span_export *t, struct store *s, int64_t run,
        struct error *e)
{
    int rc = names_read(&t->names, s, run, e);

    if (!rc)
        rc = store_each_session(s, run, take_session, t, e);
    if (!rc)
        rc = generation_list_read(&t->generations, s, run, e);
    if (!rc && !t->end_ns) /* it was interrupted: as far as we know */
        t->end_ns = t->generations.last_end_ns;
    if (!rc)
        rc = run_span(t, s, run, e);
    for (size_t i = 0; !rc && i < t->generations.count; i++) {
        const struct generation_told *g = &t->generations.items[i];

        otlp_span_generation(&t->spans, i + 1, g, model_of(t, g->session));
        flush(t, false);
    }
    if (!rc)
        rc = store_each_span(s, run, take_span, t, e);
    if (!rc)
        flush(t, true);
    return rc;
}

static void release(struct span_export *t)
{
    for (size_t i = 0; i < t->models.cap; i++)
        if (t->models.entries[i].used)
            free((char *)(uintptr_t)t->models.entries[i].value);
    map_release(&t->models);
    names_release(&t->names);
    generation_list_release(&t->generations);
    otlp_spans_release(&t->spans);
    run_metrics_free(t->figures);
}

int otlp_traces(struct store *s, int64_t run, const char *service,
        void (*take)(void *context, struct str request), void *context,
        struct error *e)
{
    struct span_export t = { .take = take, .context = context };
    int rc = store_read_run(s, run, take_run, &t, e);

    if (!rc && !t.figures)
        rc = fail(e, -ENOENT, "the run is gone");
    if (!rc) {
        otlp_spans_init(&t.spans,
                &(struct otlp_source){ run_metrics_about(t.figures), service });
        rc = write_all(&t, s, run, e);
    }
    release(&t);
    return rc;
}
