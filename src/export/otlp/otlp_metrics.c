/* otlp_metrics.c -- figures as OTLP's metrics.proto has them.
 *
 *     ResourceMetrics  1 resource  2 scope metrics
 *     ScopeMetrics     1 scope     2 metrics
 *     Metric           1 name  2 description  3 unit  5 gauge  7 sum
 *                      9 histogram
 *     Sum, Histogram   1 points  2 temporality  3 monotonic (Sum)
 *
 * Sums and histograms count from the run's start (cumulative). */
#include "export/otlp/otlp.h"

#include "base/pb.h"
#include "export/otlp/otlp_names.h"
#include "export/otlp/otlp_parts.h"

#include <string.h>

#define CUMULATIVE 2

#define NUMBER_ATTRIBUTES    7
#define HISTOGRAM_ATTRIBUTES 9

struct moment {
    uint64_t start_ns, now_ns; /* Unix time */
};

struct adding {
    struct buf *out;
    uint32_t field;
};

static void add_attribute(void *to, const char *key, const char *value)
{
    const struct adding *a = to;

    otlp_text(a->out, a->field, key, value);
}

static void attributes(struct buf *out, uint32_t field, const struct figure *f)
{
    struct adding adding = { out, field };
    struct buf name = { 0 };

    otlp_convention_attributes(f, add_attribute, &adding);
    for (size_t i = 0; i < f->label_count; i++) {
        buf_clear(&name);
        otlp_label_name(&name, f->metric, f->label[i].name);
        otlp_text(out, field, buf_cstr(&name), f->label[i].value);
    }
    if (f->method != READING_MEASURED)
        otlp_text(out, field, "ortmeter.method",
                reading_method_name(f->method));
    buf_release(&name);
}

static void number_point(struct buf *out, const struct figure *f,
        struct moment at, bool sum)
{
    size_t point = pb_begin(out, 1);

    if (sum)
        pb_fixed64(out, 2, at.start_ns);
    pb_fixed64(out, 3, f->time_ns ? at.start_ns + f->time_ns : at.now_ns);
    pb_double(out, 4, f->value);
    attributes(out, NUMBER_ATTRIBUTES, f);
    pb_end(out, point);
}

static void add_double(struct buf *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    pb_add_fixed64(out, bits);
}

static void histogram_point(struct buf *out, const struct figure *f,
        struct moment at)
{
    const struct buckets *b = f->buckets;
    size_t point = pb_begin(out, 1);

    pb_fixed64(out, 2, at.start_ns);
    pb_fixed64(out, 3, at.now_ns);
    pb_fixed64(out, 4, b->count);
    pb_double(out, 5, buckets_sum(b));

    size_t counts = pb_begin(out, 6);

    for (size_t i = 0; i <= b->bounds->count; i++)
        pb_add_fixed64(out, b->counts[i]);
    pb_end(out, counts);

    size_t bounds = pb_begin(out, 7);

    for (size_t i = 0; i < b->bounds->count; i++)
        add_double(out, buckets_bound(b, i));
    pb_end(out, bounds);
    attributes(out, HISTOGRAM_ATTRIBUTES, f);
    if (b->count) {
        pb_double(out, 11, (double)b->min / b->bounds->per_unit);
        pb_double(out, 12, (double)b->max / b->bounds->per_unit);
    }
    pb_end(out, point);
}

static uint32_t data_field(enum metric_kind kind)
{
    if (kind == METRIC_HISTOGRAM)
        return 9;
    return kind == METRIC_COUNTER ? 7 : 5;
}

/* All figures of a metric, of which this is the first. */
static void metric(struct buf *out, const struct figure_list *list, size_t i,
        const enum metric_id group[METRIC_IDS], struct moment at)
{
    enum metric_id id = list->items[i].metric;
    enum metric_kind kind = metric_table[id].kind;
    size_t field = pb_begin(out, 2);
    struct buf text = { 0 };

    otlp_metric_name(&text, id);
    pb_text(out, 1, buf_cstr(&text));
    pb_text(out, 2, metric_table[id].help);
    buf_clear(&text);
    otlp_metric_unit(&text, id);
    pb_text(out, 3, buf_cstr(&text));
    buf_release(&text);

    size_t data = pb_begin(out, data_field(kind));

    for (; i < list->count; i++) {
        if (group[list->items[i].metric] != group[id])
            continue;
        if (kind == METRIC_HISTOGRAM)
            histogram_point(out, &list->items[i], at);
        else
            number_point(out, &list->items[i], at, kind == METRIC_COUNTER);
    }
    if (kind == METRIC_HISTOGRAM || kind == METRIC_COUNTER)
        pb_u64(out, 2, CUMULATIVE);
    if (kind == METRIC_COUNTER)
        pb_u64(out, 3, 1);
    pb_end(out, data);
    pb_end(out, field);
}

void otlp_metrics(struct buf *out, const struct otlp_source *source,
        const struct figure_list *list, uint64_t now_wall_ns)
{
    struct moment at = { source->about->started_wall_ns, now_wall_ns };
    enum metric_id group[METRIC_IDS];
    bool written[METRIC_IDS] = { false };
    size_t resource_metrics = pb_begin(out, 1);

    otlp_resource(out, source);

    size_t scope_metrics = pb_begin(out, 2);

    otlp_scope(out, source);
    otlp_metric_groups(group);
    for (size_t i = 0; i < list->count; i++) {
        bool *come = &written[group[list->items[i].metric]];

        if (!*come)
            metric(out, list, i, group, at);
        *come = true;
    }
    pb_end(out, scope_metrics);
    pb_end(out, resource_metrics);
}
