#include "export/otlp/otlp_spans.h"

#include "analyse/generation/generation.h"
#include "base/pb.h"
#include "export/otlp/otlp_parts.h"
#include "model/phase.h"

#include <string.h>

/* Fields of Span. */
enum {
    FIELD_TRACE_ID = 1,
    FIELD_ID = 2,
    FIELD_PARENT = 4,
    FIELD_NAME = 5,
    FIELD_KIND = 6,
    FIELD_START = 7,
    FIELD_END = 8,
    FIELD_ATTRIBUTE = 9,
    FIELD_EVENT = 11,
    FIELD_STATUS = 15,
};
#define KIND_INTERNAL 1
#define STATUS_ERROR  2

/* A run's id is a UUID: 32 digits and some dashes. */
static void trace_id_of(unsigned char out[16], const char *id)
{
    static const char digits[] = "0123456789abcdef";
    size_t n = 0;

    for (; *id && n < 32; id++) {
        const char *digit = strchr(digits, *id | ' ');

        if (!digit)
            continue;
        out[n / 2] = (unsigned char)(out[n / 2] << 4 | (digit - digits));
        n++;
    }
    if (!n)
        out[15] = 1; /* all zeros would be none */
}

void otlp_spans_init(struct otlp_spans *s, const struct otlp_source *source)
{
    *s = (struct otlp_spans){ .source = *source };
    trace_id_of(s->trace_id, source->about->run);
}

void otlp_spans_release(struct otlp_spans *s)
{
    buf_release(&s->bytes);
    s->count = 0;
}

void otlp_spans_request(struct otlp_spans *s, struct buf *out)
{
    size_t resource_spans = pb_begin(out, 1);

    otlp_resource(out, &s->source);

    size_t scope_spans = pb_begin(out, 2);

    otlp_scope(out, &s->source);
    buf_add(out, s->bytes.p, s->bytes.len);
    pb_end(out, scope_spans);
    pb_end(out, resource_spans);
    buf_clear(&s->bytes);
    s->count = 0;
}

static void add_id(struct buf *out, uint32_t field, uint64_t id)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(id >> (56 - 8 * i));
    pb_bytes(out, field, bytes, sizeof(bytes));
}

size_t otlp_span_begin(struct otlp_spans *s, const struct otlp_span *x)
{
    struct buf *out = &s->bytes;
    uint64_t began_ns = s->source.about->started_wall_ns;
    size_t span = pb_begin(out, 2);

    pb_bytes(out, FIELD_TRACE_ID, s->trace_id, sizeof(s->trace_id));
    add_id(out, FIELD_ID, x->id);
    if (x->parent)
        add_id(out, FIELD_PARENT, x->parent);
    otlp_string(out, FIELD_NAME, x->name);
    pb_u64(out, FIELD_KIND, KIND_INTERNAL);
    pb_fixed64(out, FIELD_START, began_ns + x->start_ns);
    pb_fixed64(out, FIELD_END, began_ns + x->end_ns);
    return span;
}

void otlp_span_end(struct otlp_spans *s, size_t begun)
{
    pb_end(&s->bytes, begun);
    s->count++;
}

void otlp_span_text(struct otlp_spans *s, const char *key, const char *value)
{
    otlp_text(&s->bytes, FIELD_ATTRIBUTE, key, value);
}

void otlp_span_number(struct otlp_spans *s, const char *key, uint64_t value)
{
    otlp_int(&s->bytes, FIELD_ATTRIBUTE, key, (int64_t)value);
}

void otlp_span_real(struct otlp_spans *s, const char *key, double value)
{
    otlp_double(&s->bytes, FIELD_ATTRIBUTE, key, value);
}

void otlp_span_event(struct otlp_spans *s, uint64_t time_ns, const char *name)
{
    size_t event = pb_begin(&s->bytes, FIELD_EVENT);

    pb_fixed64(&s->bytes, 1, s->source.about->started_wall_ns + time_ns);
    otlp_string(&s->bytes, 2, name);
    pb_end(&s->bytes, event);
}

void otlp_span_failed(struct otlp_spans *s, const char *why)
{
    size_t status = pb_begin(&s->bytes, FIELD_STATUS);

    if (why)
        otlp_string(&s->bytes, 2, why);
    pb_u64(&s->bytes, 3, STATUS_ERROR);
    pb_end(&s->bytes, status);
}

/* --- whole spans ---------------------------------------------------------- */

/* Begins one that is called "what model". */
static size_t begin_called(struct otlp_spans *s, const struct otlp_span *x,
        const char *model)
{
    struct otlp_span named = *x;
    struct buf name = { 0 };

    buf_text(&name, x->name);
    if (model)
        buf_printf(&name, " %s", model);
    named.name = buf_cstr(&name);

    size_t span = otlp_span_begin(s, &named);

    buf_release(&name);
    return span;
}

void otlp_span_session(struct otlp_spans *s, const struct session *x,
        const char *model)
{
    size_t span = begin_called(s,
            &(struct otlp_span){
                    .id = OTLP_SPAN_ID(OTLP_SPAN_SESSION, x->id),
                    .parent = OTLP_SPAN_ROOT,
                    .start_ns = x->start_ns,
                    .end_ns = x->start_ns + x->duration_ns,
                    .name = "load",
            },
            model);

    otlp_span_number(s, "ortmeter.session", x->id);
    otlp_span_text(s, "ortmeter.model.path", x->model);
    if (x->error)
        otlp_span_failed(s, x->error);
    otlp_span_end(s, span);
}

void otlp_span_inference(struct otlp_spans *s, const struct inference *i,
        uint64_t number, uint64_t parent, const char *model)
{
    size_t span = begin_called(s,
            &(struct otlp_span){
                    .id = OTLP_SPAN_ID(OTLP_SPAN_INFERENCE, number),
                    .parent = parent,
                    .start_ns = i->start_ns,
                    .end_ns = i->start_ns + i->duration_ns,
                    .name = i->phase == PHASE_OTHER
                                    ? "inference"
                                    : phase_name((enum phase)i->phase),
            },
            model);

    otlp_span_number(s, "ortmeter.session", i->session);
    otlp_span_number(s, "ortmeter.inference", number);
    otlp_span_number(s, "thread.id", i->thread);
    if (i->flags & FLAG_FAILED)
        otlp_span_failed(s, i->error);
    otlp_span_end(s, span);
}

void otlp_span_generation(struct otlp_spans *s, uint64_t number,
        const struct generation_told *g, const char *model)
{
    size_t span = begin_called(s,
            &(struct otlp_span){
                    .id = OTLP_SPAN_ID(OTLP_SPAN_GENERATION, number),
                    .parent = OTLP_SPAN_ROOT,
                    .start_ns = g->start_ns,
                    .end_ns = g->last_token_ns,
                    .name = "text_completion",
            },
            model);

    otlp_span_text(s, "gen_ai.operation.name", "text_completion");
    otlp_span_text(s, "gen_ai.provider.name", "onnxruntime");
    otlp_span_text(s, "gen_ai.request.model", model);
    if (g->prompt_tokens)
        otlp_span_number(s, "gen_ai.usage.input_tokens",
                g->prompt_tokens * g->texts);
    otlp_span_number(s, "gen_ai.usage.output_tokens",
            g->made_tokens * g->texts);
    otlp_span_real(s, "gen_ai.response.time_to_first_chunk",
            (double)(g->first_token_ns - g->start_ns) / 1e9);
    otlp_span_end(s, span);
}
