/* history.c -- /metrics/history: how figures went, in steps. */
#include "analyse/counting.h"
#include "base/alloc.h"
#include "base/hist.h"
#include "base/quantile.h"
#include "export/json/shapes.h"
#include "export/subject_book.h"
#include "model/phase.h"
#include "serve/answer/run_about.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_USUAL 600
#define POINTS_MAX   11000
#define SECOND       UINT64_C(1000000000)
#define STEP_LEAST   0.001

/* Names of the data models, made of metrics. */
static const struct derived {
    const char *name, *unit;
    enum metric_id metric;
    double scale;
} derived[] = {
    { "cpu_percent", "percent", METRIC_host_busy_ratio, 100 },
    { "gpu_percent", "percent", METRIC_device_utilization_ratio, 100 },
    { "process_memory_mb", "megabytes", METRIC_process_resident_bytes,
            1.0 / 1048576 },
    { "energy.power_w", "watts", METRIC_zone_power_watts, 1 },
    { "latency.end_to_end_ms", "milliseconds",
            METRIC_inference_duration_seconds, 1000 },
};

struct step {
    uint64_t at; /* its number */
    uint64_t count;
    double sum, min, max, last;
    uint64_t last_ns;
    double *values; /* for percentiles: second means, or readings */
    size_t value_count;
    struct hist_part hist; /* of durations */
};

struct series {
    enum metric_id metric;
    uint32_t subject; /* or the session */
    uint8_t phase;
    struct step *steps; /* ascending */
    size_t count, cap;
    double before; /* the last value before the first step */
    uint64_t before_ns;
    bool has_before;
};

struct history {
    struct call *call;
    const struct run_about *run;
    uint64_t from_ns, to_ns; /* since the run's start */
    uint64_t step_ns;        /* as they were made: 1 */
    bool as_made;            /* step=0 */
    bool has_sums;           /* latencies by second, minute and hour are kept */
    bool wants_values;
    const struct metric *metric;
    struct series *series;
    size_t count;
    struct counting *counting;
    struct subject_book book;
    struct map models;
};

/* --- gathering ------------------------------------------------------------ */

static struct series *series_of(struct history *h, uint32_t subject,
        uint8_t phase)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->series[i].subject == subject && h->series[i].phase == phase)
            return &h->series[i];
    h->series = alloc_resize(h->series, (h->count + 1) * sizeof(*h->series));
    h->series[h->count] = (struct series){
        .metric = (enum metric_id)(h->metric - metric_table),
        .subject = subject,
        .phase = phase,
    };
    return &h->series[h->count++];
}

/* Times come nearly in order: the step is at the end, or near it. */
static struct step *step_of(struct series *s, uint64_t at)
{
    size_t i = s->count;

    while (i && s->steps[i - 1].at > at)
        i--;
    if (i && s->steps[i - 1].at == at)
        return &s->steps[i - 1];
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->steps = alloc_resize(s->steps, s->cap * sizeof(*s->steps));
    }
    memmove(&s->steps[i + 1], &s->steps[i], (s->count - i) * sizeof(*s->steps));
    s->steps[i] = (struct step){ .at = at };
    s->count++;
    return &s->steps[i];
}

static void add(struct history *h, struct step *x, uint64_t count, double mean,
        double min, double max)
{
    if (!x->count || min < x->min)
        x->min = min;
    if (!x->count || max > x->max)
        x->max = max;
    x->count += count;
    x->sum += mean * (double)count;
    if (!h->wants_values)
        return;
    if (!(x->value_count & (x->value_count - 1)))
        x->values = alloc_resize(x->values,
                (x->value_count ? 2 * x->value_count : 1) * sizeof(double));
    x->values[x->value_count++] = mean;
}

static bool is_in(const struct history *h, uint64_t time_ns)
{
    return time_ns >= h->from_ns && time_ns < h->to_ns;
}

static void take_rollup(void *to, const struct rollup *r)
{
    struct history *h = to;
    uint64_t ns = r->second * SECOND;

    if (&metric_table[r->metric] != h->metric)
        return;

    struct series *s = series_of(h, r->subject, 0);

    if (ns + SECOND <= h->from_ns) {
        s->before = r->max;
        s->has_before = true;
    }
    if (!is_in(h, ns))
        return;

    struct step *x = step_of(s, ns / h->step_ns);

    add(h, x, r->count, r->mean, r->min, r->max);
    x->last = r->max;
}

static void take_reading(void *to, const struct reading *r)
{
    struct history *h = to;

    if (&metric_table[r->metric] != h->metric)
        return;

    struct series *s = series_of(h, r->subject, 0);

    if (r->time_ns < h->from_ns) {
        s->before = r->value;
        s->before_ns = r->time_ns;
        s->has_before = true;
    }
    if (!is_in(h, r->time_ns))
        return;

    struct step *x = step_of(s, r->time_ns / h->step_ns);

    add(h, x, 1, r->value, r->value, r->value);
    x->last = r->value;
}

/* What is counted of inferences is known from their rows. */
static void take_inference(void *to, const struct inference *i)
{
    struct history *h = to;
    uint64_t end = i->start_ns + i->duration_ns;
    double seconds = (double)i->duration_ns / 1e9;

    if (!is_in(h, end))
        return;

    struct series *s = series_of(h, i->session, i->phase);
    struct step *x = step_of(s, end / h->step_ns);

    switch ((enum metric_id)(h->metric - metric_table)) {
    case METRIC_inference_duration_seconds:
        if (i->flags & FLAG_FAILED || counting_of(h->counting, i) == LEFT_OUT)
            break;
        add(h, x, 1, seconds, seconds, seconds);
        hist_part_add(&x->hist, i->duration_ns);
        break;
    case METRIC_failed_inferences_total:
        x->count += (i->flags & FLAG_FAILED) != 0;
        break;
    default: x->count++; break;
    }
}

/* Traced ones, or the others, of a phase: they count alike. */
static void take_latencies(void *to, const struct latency_sum *x)
{
    struct history *h = to;
    struct inference like = { .session = x->session,
        .phase = x->phase,
        .flags = x->traced ? FLAG_TRACED : 0 };
    struct series *s = series_of(h, x->session, x->phase);
    struct step *step = step_of(s, x->place * x->width_s * SECOND / h->step_ns);

    switch ((enum metric_id)(h->metric - metric_table)) {
    case METRIC_inference_duration_seconds:
        if (!x->count || counting_of(h->counting, &like) == LEFT_OUT)
            break;
        if (!step->count || (double)x->min_ns / 1e9 < step->min)
            step->min = (double)x->min_ns / 1e9;
        if (!step->count || (double)x->max_ns / 1e9 > step->max)
            step->max = (double)x->max_ns / 1e9;
        step->count += x->count;
        step->sum += (double)x->sum_ns / 1e9;
        (void)hist_part_read(&step->hist, str_of(x->spread ? x->spread : ""));
        break;
    case METRIC_failed_inferences_total: step->count += x->failed; break;
    default: step->count += x->count + x->failed + x->looked_at; break;
    }
}

static bool is_of_inferences(const struct metric *m)
{
    enum metric_id id = (enum metric_id)(m - metric_table);

    return id == METRIC_inference_duration_seconds ||
           id == METRIC_inferences_total ||
           id == METRIC_failed_inferences_total;
}

static void take_session(void *to, const struct session *x)
{
    struct history *h = to;

    if (x->model)
        map_put(&h->models, x->id, (uintptr_t)alloc_text(x->model));
}

/* Which inferences count; of a run from before latencies were kept, by all of
 * its inferences. */
static int read_counting(struct history *h, struct error *e)
{
    struct store *s = h->call->store;
    int rc = counting_read_sums(&h->counting, s, h->run->row, e);

    h->has_sums = !rc;
    return rc == -ENOENT ? counting_read(&h->counting, s, h->run->row, e) : rc;
}

/* The widest of the stretches that are kept of which steps are made. */
static uint32_t width_of(uint64_t step_ns)
{
    static const uint32_t widths[] = LATENCY_WIDTHS;
    uint32_t width = 0;

    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
        if (step_ns % (widths[i] * SECOND) == 0)
            width = widths[i];
    return width;
}

static int add_latencies(struct history *h, struct error *e)
{
    struct store *s = h->call->store;
    uint32_t width_s = width_of(h->step_ns);
    int rc = h->counting ? 0 : read_counting(h, e);

    if (rc)
        return rc;
    if (h->has_sums && width_s)
        return store_each_latency_within(s, h->run->row, width_s,
                h->from_ns - h->from_ns % h->step_ns, h->to_ns, take_latencies,
                h, e);
    return store_each_inference_within(s, h->run->row, h->from_ns, h->to_ns,
            take_inference, h, e);
}

/* What was read last before them holds at the beginning, too. */
static void add_before(struct series *s)
{
    if (s->has_before)
        step_of(s, s->before_ns)->last = s->before;
}

static int gather(struct history *h, struct error *e)
{
    struct store *s = h->call->store;
    int64_t row = h->run->row;
    int rc;

    if (is_of_inferences(h->metric))
        return add_latencies(h, e);
    if (h->step_ns >= SECOND)
        return store_each_rollup_of(s, row, h->metric, take_rollup, h, e);
    rc = store_each_reading(s, row, take_reading, h, e);
    for (size_t i = 0; h->as_made && i < h->count; i++)
        add_before(&h->series[i]);
    return rc;
}

static void forget(struct history *h)
{
    for (size_t i = 0; i < h->count; i++) {
        for (size_t k = 0; k < h->series[i].count; k++) {
            free(h->series[i].steps[k].values);
            hist_part_release(&h->series[i].steps[k].hist);
        }
        free(h->series[i].steps);
    }
    free(h->series);
    h->series = NULL;
    h->count = 0;
}

/* --- one value ------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(struct step *x, double q)
{
    if (x->hist.bucket)
        return (double)hist_part_quantile(&x->hist, q) / 1e9;
    if (!x->value_count)
        return NAN;
    qsort(x->values, x->value_count, sizeof(*x->values), ascending);
    return quantile_real(x->values, x->value_count, q);
}

/* NAN: the step has none. */
static double value_of(const struct history *h, struct series *s, size_t i,
        struct str agg)
{
    struct step *x = &s->steps[i];
    double seconds = (double)h->step_ns / 1e9;

    if (h->as_made && !is_of_inferences(h->metric))
        return x->last;
    if (h->metric->kind == METRIC_COUNTER && is_of_inferences(h->metric))
        return str_is(agg, "count") || str_is(agg, "sum")
                       ? (double)x->count
                       : (double)x->count / seconds;
    if (h->metric->kind == METRIC_COUNTER) {
        double before = i ? s->steps[i - 1].last : s->before;

        return i || s->has_before ? (x->last - before) / seconds : NAN;
    }
    if (!x->count)
        return NAN;
    if (str_is(agg, "min"))
        return x->min;
    if (str_is(agg, "max"))
        return x->max;
    if (str_is(agg, "sum"))
        return x->sum;
    if (str_is(agg, "count"))
        return (double)x->count;
    if (str_is(agg, "p50"))
        return x->hist.bucket ? hist_part_median(&x->hist) / 1e9
                              : quantile(x, 0.5);
    if (str_is(agg, "p90"))
        return quantile(x, 0.9);
    if (str_is(agg, "p95"))
        return quantile(x, 0.95);
    if (str_is(agg, "p99"))
        return quantile(x, 0.99);
    if (str_is(agg, "p99_9"))
        return quantile(x, 0.999);
    return x->sum / (double)x->count;
}

/* --- writing -------------------------------------------------------------- */

static void step_buckets(struct json *j, const struct step *x)
{
    json_array(j, NULL);
    for (unsigned i = 0; x->hist.bucket && i < x->hist.used; i++)
        if (x->hist.bucket[i]) {
            json_u64(j, NULL, x->hist.first + i);
            json_u64(j, NULL, x->hist.bucket[i]);
        }
    json_end(j);
}

static bool has_value(const struct history *h, struct series *s, size_t i,
        struct str agg)
{
    return str_is(agg, "buckets") ? s->steps[i].hist.bucket != NULL
                                  : isfinite(value_of(h, s, i, agg));
}

static void write_value(struct json *j, const struct history *h,
        struct series *s, size_t i, struct str agg, double scale)
{
    if (str_is(agg, "buckets"))
        step_buckets(j, &s->steps[i]);
    else
        json_real(j, NULL,
                value_of(h, s, i, agg) * (str_is(agg, "count") ? 1 : scale));
}

/* A new piece behind each hole; the first step counts from `from`. */
static void pieces(struct json *j, const struct history *h, struct series *s,
        struct str agg, double scale)
{
    uint64_t first = h->from_ns / h->step_ns, next = UINT64_MAX;
    char name[16] = "";

    memcpy(name, agg.p, agg.len < 15 ? agg.len : 15);
    json_array(j, name);
    for (size_t i = 0; i < s->count; i++) {
        if (!has_value(h, s, i, agg))
            continue;
        if (s->steps[i].at != next) {
            if (next != UINT64_MAX)
                json_end(j);
            json_array(j, NULL);
            json_int(j, NULL, (int64_t)(s->steps[i].at - first));
        }
        write_value(j, h, s, i, agg, scale);
        next = s->steps[i].at + 1;
    }
    if (next != UINT64_MAX)
        json_end(j);
    json_end(j);
}

static void points(struct json *j, const struct history *h, struct series *s,
        struct str agg, double scale)
{
    json_array(j, "points");
    for (size_t i = 0; i < s->count; i++) {
        if (!has_value(h, s, i, agg))
            continue;
        json_array(j, NULL);
        json_u64(j, NULL, h->run->start_wall_ns + s->steps[i].at * h->step_ns);
        write_value(j, h, s, i, agg, scale);
        json_end(j);
    }
    json_end(j);
}

static void labels(struct json *j, const struct history *h,
        const struct series *s)
{
    struct figure f = { 0 };
    const uint64_t *model = map_find(&h->models, s->subject);

    json_object(j, "labels");
    if (is_of_inferences(h->metric)) {
        char number[16];

        if (model)
            json_text(j, "model", (const char *)(uintptr_t)*model);
        json_text(j, "phase", phase_name((enum phase)s->phase));
        (void)snprintf(number, sizeof(number), "%u", s->subject);
        json_text(j, "session", number);
    } else {
        subject_label(&f, &h->book, s->subject);
    }
    for (size_t i = 0; i < f.label_count; i++) {
        json_text(j, f.label[i].name, f.label[i].value);
        free(f.label[i].value);
    }
    json_end(j);
}

static void write_series(struct json *j, const struct history *h,
        struct series *s, const char *name, const char *unit, double scale)
{
    const char *agg = query_text(h->call, "agg");
    struct str rest = str_of(agg ? agg : "avg");
    bool counter = h->metric->kind == METRIC_COUNTER && !h->as_made;
    char unit_text[80];

    (void)snprintf(unit_text, sizeof(unit_text), "%s%s", unit,
            counter ? "_per_second" : "");
    json_object(j, NULL);
    json_text(j, "metric", name);
    json_text(j, "unit", unit_text);
    json_text(j, "kind", metric_kind_name(h->metric->kind));
    json_text(j, "run_id", h->run->id);
    labels(j, h, s);
    if (h->wants_values && !is_of_inferences(h->metric) && h->step_ns >= SECOND)
        json_bool(j, "of_seconds", true);
    if (query_given(h->call, "form")) {
        json_object(j, "pieces");
        for (; rest.len; rest = str_after(rest, ','))
            pieces(j, h, s, str_before(rest, ','), scale);
        json_end(j);
    } else {
        points(j, h, s, str_before(rest, ','), scale);
    }
    json_end(j);
}

static const struct derived *derived_of(struct str name)
{
    for (size_t i = 0; i < sizeof(derived) / sizeof(derived[0]); i++)
        if (str_is(name, derived[i].name))
            return &derived[i];
    return NULL;
}

static int check_points(const struct history *h, struct answer *a)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->series[i].count > POINTS_MAX) {
            answer_problem(a, 400, "bad_parameter", "step",
                    "step must not be 0: there are more than %d readings",
                    POINTS_MAX);
            return -EINVAL;
        }
    return 0;
}

static int write_metric(struct history *h, struct json *j, struct answer *a,
        struct str name, struct error *e)
{
    const struct derived *d = derived_of(name);
    char text[80] = "";
    int rc;

    memcpy(text, name.p, name.len < 79 ? name.len : 79);
    h->metric = d ? &metric_table[d->metric] : metric_find(name);
    if (!h->metric || h->metric->kind == METRIC_INFO) {
        answer_problem(a, 400, "bad_parameter", "metric",
                "metric must name metrics: see docs/metrics.md");
        return -EINVAL;
    }
    if (h->as_made && is_of_inferences(h->metric) &&
            h->metric->kind == METRIC_COUNTER) {
        answer_problem(a, 400, "bad_parameter", "step",
                "step must not be 0: %s is counted, not read", h->metric->name);
        return -EINVAL;
    }
    rc = gather(h, e);
    if (!rc && h->as_made)
        rc = check_points(h, a);
    for (size_t i = 0; i < h->count && !rc; i++)
        if (h->series[i].count)
            write_series(j, h, &h->series[i], text,
                    d ? d->unit : h->metric->unit, d ? d->scale : 1);
    forget(h);
    return rc;
}

/* --- the system metric, in steps ------------------------------------------ */

struct moments {
    struct moment_row {
        uint64_t at;
        struct shape_moment figures;
    } * items;
    size_t count;
};

static struct moment_row *moment_at(struct moments *m, uint64_t at)
{
    size_t i = m->count;

    while (i && m->items[i - 1].at > at)
        i--;
    if (i && m->items[i - 1].at == at)
        return &m->items[i - 1];
    m->items = alloc_resize(m->items, (m->count + 1) * sizeof(*m->items));
    memmove(&m->items[i + 1], &m->items[i], (m->count - i) * sizeof(*m->items));
    m->items[i] = (struct moment_row){ .at = at };
    m->count++;
    return &m->items[i];
}

/* The means of a metric in each step. */
static int add_means(struct moments *m, struct history *h, struct error *e)
{
    int rc = gather(h, e);

    for (size_t i = 0; i < h->count && !rc; i++) {
        const struct series *s = &h->series[i];
        const struct subject *x = subject_book_find(&h->book, s->subject);
        enum shape_figure figure;
        double scale;

        if (!shape_figure_of(s->metric, x && shape_is_npu(x), &figure, &scale))
            continue;
        for (size_t k = 0; k < s->count; k++)
            shape_moment_add(&moment_at(m, s->steps[k].at)->figures, figure,
                    s->steps[k].sum / (double)s->steps[k].count * scale);
    }
    forget(h);
    return rc;
}

static int write_system(struct history *h, struct json *j, struct error *e)
{
    struct moments m = { 0 };
    int rc = 0;

    for (int i = 0; i < METRIC_IDS && !rc; i++) {
        enum shape_figure figure;
        double scale;

        h->metric = &metric_table[i];
        if (shape_figure_of((enum metric_id)i, false, &figure, &scale))
            rc = add_means(&m, h, e);
    }
    json_array(j, "system");
    for (size_t i = 0; i < m.count; i++)
        shape_moment_json(j, h->run->start_wall_ns + m.items[i].at * h->step_ns,
                &m.items[i].figures);
    json_end(j);
    free(m.items);
    return rc;
}

/* --- the answer ----------------------------------------------------------- */

/* Each reading is a step of its own. */
static int as_made(struct history *h, struct answer *a)
{
    static const char *const others[] = { "agg", "form" };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (query_given(h->call, others[i])) {
            answer_problem(a, 400, "bad_parameter", others[i],
                    "%s must not be given with step=0: readings come as they "
                    "were made",
                    others[i]);
            return -EINVAL;
        }
    if (!query_given(h->call, "metric")) {
        answer_problem(a, 400, "bad_parameter", "metric",
                "metric must be given with step=0");
        return -EINVAL;
    }
    h->as_made = true;
    h->step_ns = 1;
    return 0;
}

/* What is kept by the second is then of use. */
static uint64_t whole_seconds(uint64_t step_ns)
{
    return step_ns > SECOND ? (step_ns + SECOND - 1) / SECOND * SECOND
                            : step_ns;
}

static int find_step(struct history *h, struct answer *a)
{
    uint64_t span = h->to_ns - h->from_ns;
    int64_t width = query_number(h->call, "width", 0);
    double step = query_real(h->call, "step", 0);

    if (width && query_given(h->call, "step")) {
        answer_problem(a, 400, "bad_parameter", "width",
                "width stands in place of step: give one of them");
        return -EINVAL;
    }
    if (query_given(h->call, "step") && step <= 0)
        return as_made(h, a);
    if (step > 0 && step < STEP_LEAST) {
        answer_problem(a, 400, "bad_parameter", "step",
                "step must be 0, or 0.001 to 86400");
        return -EINVAL;
    }
    if (step > 0)
        h->step_ns = (uint64_t)llround(step * 1e9);
    else if (width)
        h->step_ns = whole_seconds(span / (uint64_t)width + 1);
    else
        h->step_ns = span / POINTS_USUAL > SECOND
                             ? (span / POINTS_USUAL / SECOND + 1) * SECOND
                             : SECOND;
    if (span / h->step_ns > POINTS_MAX) {
        answer_problem(a, 400, "bad_parameter", "step",
                "step must be longer: there would be more than %d points",
                POINTS_MAX);
        return -EINVAL;
    }
    return 0;
}

/* Percentiles need all values, not only their sums. */
static bool wants_values(const struct call *c)
{
    const char *agg = query_text(c, "agg");

    for (struct str rest = str_of(agg ? agg : ""); rest.len;
            rest = str_after(rest, ','))
        if (*rest.p == 'p')
            return true;
    return false;
}

static int write_all(struct history *h, struct json *j, struct answer *a,
        struct error *e)
{
    const char *names = query_text(h->call, "metric");
    const char *agg = query_text(h->call, "agg");
    int rc = subject_book_read(&h->book, h->call->store, h->run->row, e);

    if (!rc)
        rc = store_each_session(h->call->store, h->run->row, take_session, h,
                e);
    json_object(j, NULL);
    json_u64(j, "from_ns", h->run->start_wall_ns + h->from_ns);
    json_u64(j, "to_ns", h->run->start_wall_ns + h->to_ns);
    json_real(j, "step_s", h->as_made ? 0 : (double)h->step_ns / 1e9);
    json_text(j, "agg", agg ? agg : "avg");
    if (names)
        json_array(j, "series");
    for (struct str rest = str_of(names ? names : ""); rest.len && !rc;
            rest = str_after(rest, ','))
        rc = write_metric(h, j, a, str_before(rest, ','), e);
    if (rc)
        return rc; /* the answer is a problem, or becomes one */
    if (names)
        json_end(j);
    else
        rc = write_system(h, j, e);
    json_end(j);
    return rc;
}

void answer_history(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct run_about r;
    struct error e;
    struct history h = { .call = c, .run = &r };

    if (run_of_query(c, a, &r) ||
            range_of_query(c, a, &r, &h.from_ns, &h.to_ns) || find_step(&h, a))
        return;
    h.wants_values = wants_values(c);
    if (write_all(&h, &j, a, &e) && a->status == 200)
        answer_failed(a, &e);
    counting_free(h.counting);
    subject_book_release(&h.book);
    for (size_t i = 0; i < h.models.cap; i++)
        if (h.models.entries[i].used)
            free((char *)(uintptr_t)h.models.entries[i].value);
    map_release(&h.models);
}
