/* prometheus.c -- see prometheus.io/docs/instrumenting/exposition_formats. */
#include "export/metrics/prometheus.h"

#include "base/json.h"
#include "export/formats.h"

#include <inttypes.h>
#include <string.h>

/* A backslash, a newline and, in a label, a quote need one more backslash. */
static void escaped(struct buf *out, const char *text, bool label)
{
    for (; *text; text++) {
        if (*text == '\n')
            buf_text(out, "\\n");
        else if (*text == '\\' || (label && *text == '"'))
            buf_printf(out, "\\%c", *text);
        else
            buf_char(out, *text);
    }
}

/* The shortest text of it. */
static void number(struct buf *out, double value)
{
    struct json j = json_line_into(out);

    json_real(&j, NULL, value);
}

/* What a metric that is always 1 is, Prometheus has no word for. */
static const char *type_of(const struct metric *m)
{
    return m->kind == METRIC_INFO ? "gauge" : metric_kind_name(m->kind);
}

static void head(struct buf *out, const struct metric *m)
{
    buf_printf(out, "# HELP ortmeter_%s ", m->name);
    escaped(out, m->help, false);
    buf_printf(out, "\n# TYPE ortmeter_%s %s\n", m->name, type_of(m));
}

static void label(struct buf *out, const char *name, const char *value)
{
    buf_printf(out, ",%s=\"", name);
    escaped(out, value, true);
    buf_char(out, '"');
}

/* The name and all labels, open for one more. */
static void series(struct buf *out, const struct run_metrics_about *about,
        const struct figure *f, const char *ending)
{
    buf_printf(out, "ortmeter_%s%s{run=\"%s\"", metric_table[f->metric].name,
            ending, about->run);
    for (size_t i = 0; i < f->label_count; i++)
        label(out, f->label[i].name, f->label[i].value);
    if (f->method != READING_MEASURED)
        label(out, "method", reading_method_name(f->method));
}

static void histogram(struct buf *out, const struct run_metrics_about *about,
        const struct figure *f)
{
    const struct buckets *b = f->buckets;
    uint64_t below = 0;

    for (size_t i = 0; i < b->bounds->count; i++) {
        below += b->counts[i];
        series(out, about, f, "_bucket");
        buf_text(out, ",le=\"");
        number(out, buckets_bound(b, i));
        buf_printf(out, "\"} %" PRIu64 "\n", below);
    }
    series(out, about, f, "_bucket");
    buf_printf(out, ",le=\"+Inf\"} %" PRIu64 "\n", b->count);
    series(out, about, f, "_sum");
    buf_text(out, "} ");
    number(out, buckets_sum(b));
    buf_char(out, '\n');
    series(out, about, f, "_count");
    buf_printf(out, "} %" PRIu64 "\n", b->count);
}

static void one(struct buf *out, const struct run_metrics_about *about,
        const struct figure *f)
{
    if (f->buckets) {
        histogram(out, about, f);
        return;
    }
    series(out, about, f, "");
    buf_text(out, "} ");
    number(out, f->value);
    buf_char(out, '\n');
}

void prometheus_text(struct buf *out, const struct run_metrics_about *about,
        const struct figure_list *list)
{
    prometheus_runs(out, &about, list, 1);
}

void prometheus_runs(struct buf *out,
        const struct run_metrics_about *const *about,
        const struct figure_list *lists, size_t count)
{
    for (int metric = 0; metric < METRIC_IDS; metric++) {
        bool headed = false;

        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < lists[i].count; k++) {
                const struct figure *f = &lists[i].items[k];

                if ((int)f->metric != metric)
                    continue;
                if (!headed)
                    head(out, &metric_table[metric]);
                headed = true;
                one(out, about[i], f);
            }
    }
}

void prometheus_own(struct buf *out, enum metric_id metric, double value)
{
    head(out, &metric_table[metric]);
    buf_printf(out, "ortmeter_%s ", metric_table[metric].name);
    number(out, value);
    buf_char(out, '\n');
}

static EXPORT_WRITE(write)
{
    struct run_metrics *figures = NULL;
    struct figure_list list = { 0 };
    struct buf out = { 0 };
    int rc = run_metrics_read(&figures, &list, s, run, e);

    if (!rc) {
        prometheus_text(&out, run_metrics_about(figures), &list);
        sink_write(to, buf_str(&out));
    }
    buf_release(&out);
    figure_list_release(&list);
    run_metrics_free(figures);
    return rc;
}

const struct export_format export_prometheus = {
    .name = "prometheus",
    .about = "a run's metrics as Prometheus reads them, as text",
    .ending = ".prom",
    .write = write,
};
