/* otlp.c -- a run for OpenTelemetry, in a file: JSON, a request a line, as its
 * file exporter writes and the collector's otlpjsonfile reads; or the protobuf
 * of one request, as it is posted to /v1/metrics or /v1/traces. */
#include "export/otlp/otlp.h"

#include "export/formats.h"
#include "export/otlp/otlp_json.h"

struct writing {
    struct sink *to;
    enum otlp_request kind;
    bool json;
};

static void take(void *to, struct str request)
{
    struct writing *w = to;
    struct buf line = { 0 };

    if (!w->json) {
        sink_write(w->to, request);
        return;
    }
    if (!otlp_json(&line, w->kind, request)) {
        buf_char(&line, '\n');
        sink_write(w->to, buf_str(&line));
    }
    buf_release(&line);
}

struct ended {
    uint64_t wall_ns;
};

static void take_run(void *to, const struct run *r)
{
    ((struct ended *)to)->wall_ns = r->started_wall_ns + r->duration_ns;
}

static int metrics(struct sink *to, bool json, struct store *s, int64_t run,
        struct error *e)
{
    struct writing w = { to, OTLP_METRICS, json };
    struct run_metrics *figures = NULL;
    struct figure_list list = { 0 };
    struct ended ended = { 0 };
    struct buf out = { 0 };
    int rc = store_read_run(s, run, take_run, &ended, e);

    if (!rc)
        rc = run_metrics_read(&figures, &list, s, run, e);
    if (!rc) {
        struct otlp_source source = { .about = run_metrics_about(figures) };

        otlp_metrics(&out, &source, &list, ended.wall_ns);
        take(&w, buf_str(&out));
    }
    buf_release(&out);
    figure_list_release(&list);
    run_metrics_free(figures);
    return rc;
}

static int traces(struct sink *to, bool json, struct store *s, int64_t run,
        struct error *e)
{
    struct writing w = { to, OTLP_TRACES, json };

    return otlp_traces(s, run, NULL, take, &w, e);
}

static EXPORT_WRITE(write_both)
{
    int rc = metrics(to, true, s, run, e);

    return rc ? rc : traces(to, true, s, run, e);
}

static EXPORT_WRITE(write_metrics)
{
    return metrics(to, true, s, run, e);
}

static EXPORT_WRITE(write_traces)
{
    return traces(to, true, s, run, e);
}

static EXPORT_WRITE(write_metrics_protobuf)
{
    return metrics(to, false, s, run, e);
}

static EXPORT_WRITE(write_traces_protobuf)
{
    return traces(to, false, s, run, e);
}

static const struct export_shape shapes[] = {
    { "metrics", write_metrics },
    { "traces", write_traces },
    { "metrics-protobuf", write_metrics_protobuf },
    { "traces-protobuf", write_traces_protobuf },
    { 0 },
};

const struct export_format export_otlp = {
    .name = "otlp",
    .about = "metrics and traces for OpenTelemetry: JSON, a request a line",
    .ending = ".otlp.jsonl",
    .write = write_both,
    .shapes = shapes,
};
