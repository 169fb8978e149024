/* otlp_spans.h -- spans of a run's trace, gathered until there is a request's
 * worth of them.  See opentelemetry-proto: trace.proto.
 *
 * The trace's id is the run's.  A span's id is what it is and its number within
 * the run, so what is sent twice is the same twice. */
#pragma once

#include "export/otlp/otlp.h"

enum otlp_span_kind {
    OTLP_SPAN_RUN = 1,
    OTLP_SPAN_SESSION,
    OTLP_SPAN_SECTION,
    OTLP_SPAN_GENERATION,
    OTLP_SPAN_INFERENCE,
    OTLP_SPAN_OPERATOR,
};

#define OTLP_SPAN_ID(kind, number) ((uint64_t)(kind) << 56 | (number))
#define OTLP_SPAN_ROOT             OTLP_SPAN_ID(OTLP_SPAN_RUN, 1)

struct otlp_spans {
    struct otlp_source source;
    unsigned char trace_id[16];
    struct buf bytes; /* of the spans so far */
    size_t count;
};

void otlp_spans_init(struct otlp_spans *s, const struct otlp_source *source);
void otlp_spans_release(struct otlp_spans *s);

/* Adds a request with the spans so far, and forgets them. */
void otlp_spans_request(struct otlp_spans *s, struct buf *out);

struct otlp_span {
    uint64_t id, parent;       /* 0: none */
    uint64_t start_ns, end_ns; /* since the run's start */
    const char *name;
};

/* Begins a span; attributes and events follow, then the end of it, which is
 * given what this returned. */
size_t otlp_span_begin(struct otlp_spans *s, const struct otlp_span *x);
/* No text, no attribute. */
void otlp_span_text(struct otlp_spans *s, const char *key, const char *value);
void otlp_span_number(struct otlp_spans *s, const char *key, uint64_t value);
void otlp_span_real(struct otlp_spans *s, const char *key, double value);
void otlp_span_event(struct otlp_spans *s, uint64_t time_ns, const char *name);
/* It ended with an error; NULL: nobody said which. */
void otlp_span_failed(struct otlp_spans *s, const char *why);
void otlp_span_end(struct otlp_spans *s, size_t begun);

/* A whole span: the load of a session, an inference of a model, a text that was
 * generated.  `model` is a short name, or NULL. */
struct generation_told;
void otlp_span_session(struct otlp_spans *s, const struct session *x,
        const char *model);
void otlp_span_inference(struct otlp_spans *s, const struct inference *i,
        uint64_t number, uint64_t parent, const char *model);
void otlp_span_generation(struct otlp_spans *s, uint64_t number,
        const struct generation_told *g, const char *model);
