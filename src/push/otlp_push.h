/* otlp_push.h -- metrics and spans to an OpenTelemetry receiver, over HTTP:
 * protobuf or JSON, gzipped. */
#pragma once

#include "export/otlp/otlp.h"
#include "export/otlp/otlp_spans.h"
#include "push/sender.h"

struct otlp_push_plan {
    const char *url; /* /v1/metrics and /v1/traces are put behind it */
    bool json;
    const char *headers; /* as OTEL_EXPORTER_OTLP_HEADERS: a=b,c=d; or NULL */
};

struct otlp_push;

/* Starts sending; the plan is copied. */
int otlp_push_start(struct otlp_push **out, const struct otlp_push_plan *plan,
        struct error *e);

/* Neither waits. */
void otlp_push_metrics(struct otlp_push *p, const struct otlp_source *source,
        const struct figure_list *list, uint64_t now_wall_ns);
/* Empties the spans. */
void otlp_push_spans(struct otlp_push *p, struct otlp_spans *spans);

/* No more comes.  NULL is welcome, as below. */
void otlp_push_finish(struct otlp_push *p);

/* Sends what waits, within SENDER_DRAIN_MS of the end, and frees. */
void otlp_push_stop(struct otlp_push *p, struct sender_outcome *metrics,
        struct sender_outcome *spans);
