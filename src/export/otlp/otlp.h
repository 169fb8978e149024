/* otlp.h -- OpenTelemetry's protocol: metrics and traces as its protobuf
 * messages, for files and for pushing.
 *
 * What is added is the body of a request: an ExportMetricsServiceRequest or an
 * ExportTraceServiceRequest, of opentelemetry-proto 1.9.  Bodies of one kind
 * may be put behind each other, which is what protobuf means by adding.  JSON
 * is made from them (otlp_json.h).  Names follow OpenTelemetry's conventions
 * where there are some (otlp_names.h). */
#pragma once

#include "export/metrics/run_metrics.h"

/* Who sends: goes into every request. */
struct otlp_source {
    const struct run_metrics_about *about;
    const char *service; /* NULL: the program of the command */
};

/* Adds the figures as they were at that moment, or at their own. */
void otlp_metrics(struct buf *out, const struct otlp_source *source,
        const struct figure_list *list, uint64_t now_wall_ns);

/* Hands the spans of a stored run over in requests of at most OTLP_SPANS
 * spans.  The run is one trace, whose id is the run's. */
#define OTLP_SPANS 4096
int otlp_traces(struct store *s, int64_t run, const char *service,
        void (*take)(void *context, struct str request), void *context,
        struct error *e);
