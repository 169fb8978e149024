#include "export/json/comparison_json.h"

#include "base/json.h"
#include "export/json/judgement_json.h"
#include "export/json/summary_json.h"

#include <math.h>

static const struct {
    const char *name;
    double unit; /* that many of ours make one of its */
} figures[COMPARISON_FIGURES] = {
    [COMPARISON_MEDIAN] = { "median_us", 1e3 },
    [COMPARISON_MEAN] = { "mean_us", 1e3 },
    [COMPARISON_P95] = { "p95_us", 1e3 },
    [COMPARISON_P99] = { "p99_us", 1e3 },
    [COMPARISON_RATE] = { "inferences_per_s", 1 },
    [COMPARISON_MEMORY] = { "peak_rss_bytes", 1 },
    [COMPARISON_JOULES] = { "joules_per_inference", 1 },
    [COMPARISON_PER_SAMPLE] = { "mean_us_per_sample", 1e3 },
    [COMPARISON_TTFT] = { "ttft_ms", 1e6 },
    [COMPARISON_TPOT] = { "tpot_ms", 1e6 },
};

static void values(struct json *j, struct comparison_change x, double unit,
        bool alike)
{
    if (!isnan(x.before))
        json_real(j, "before", x.before / unit);
    if (!isnan(x.after))
        json_real(j, "after", x.after / unit);
    if (alike && x.before > 0 && !isnan(x.after))
        json_fixed(j, "ratio", x.after / x.before, 6);
}

static void interval(struct json *j, double low, double high)
{
    json_array(j, "median_ratio_interval");
    json_fixed(j, NULL, low, 6);
    json_fixed(j, NULL, high, 6);
    json_end(j);
}

static void point(struct json *j, const struct comparison *c, size_t i)
{
    const struct sweep_point *a = c->points[i].before, *b = c->points[i].after;
    const struct sweep_point *any = a ? a : b;
    bool alike = comparison_holds(c, COMPARISON_PER_SAMPLE);
    double low, high;

    json_object(j, NULL);
    if (any->batch)
        json_u64(j, "batch", any->batch);
    if (any->level != SWEEP_NO_LEVEL)
        json_text(j, "level", sweep_level_name(any->level));
    json_object(j, "median_us");
    values(j,
            (struct comparison_change){ a ? a->latency.p50 : NAN,
                    b ? b->latency.p50 : NAN },
            1e3, alike);
    json_end(j);
    json_object(j, "samples_per_s");
    values(j,
            (struct comparison_change){ a ? sweep_samples_per_s(a) : NAN,
                    b ? sweep_samples_per_s(b) : NAN },
            1, alike);
    json_end(j);
    if (comparison_point_interval(c, i, &low, &high))
        interval(j, low, high);
    json_end(j);
}

static void points(struct json *j, const struct comparison *c)
{
    if (!c->point_count)
        return;
    json_array(j, "sweep");
    for (size_t i = 0; i < c->point_count; i++)
        point(j, c, i);
    json_end(j);
}

static void operator_change(struct json *j, const struct comparison_operator *o,
        bool alike)
{
    json_object(j, NULL);
    json_text(j, "model", o->model);
    json_text(j, "name", o->name);
    json_text(j, "op_type", o->op_type);
    json_object(j, "us");
    values(j, o->ns, 1e3, alike);
    json_end(j);
    json_end(j);
}

static void operators(struct json *j, const struct comparison *c)
{
    if (c->no_operators)
        json_text(j, "operators_not_compared", c->no_operators);
    json_array(j, "operators");
    for (size_t i = 0; i < c->operator_count; i++)
        operator_change(j, &c->operators[i],
                comparison_holds(c, COMPARISON_MEAN));
    json_end(j);
}

static void not_alike(struct json *j, const struct judgement *x)
{
    json_array(j, "not_alike");
    for (int i = 0; i < DIFFERENCES; i++)
        if (x->differences[i].there)
            json_text(j, NULL, difference_name((enum difference_kind)i));
    json_end(j);
}

/* What two runs are as a whole, beside the inferences that were judged. */
static void two_runs(struct json *j, const struct comparison *c)
{
    if (c->has_interval && comparison_holds(c, COMPARISON_MEDIAN))
        interval(j, c->low, c->high);
    points(j, c);
    for (int i = 0; i < COMPARISON_FIGURES; i++) {
        if (isnan(c->figure[i].before) && isnan(c->figure[i].after))
            continue;
        json_object(j, figures[i].name);
        values(j, c->figure[i], figures[i].unit,
                comparison_holds(c, (enum comparison_figure)i));
        json_end(j);
    }
}

void comparison_json_members(struct json *j, const struct judgement *x)
{
    const struct summary *before = &x->side[0].inputs[0].summary;
    const struct summary *after = &x->side[1].inputs[0].summary;
    bool single = x->side[0].count == 1 && x->side[1].count == 1;
    struct comparison c = { .operators = NULL };

    if (single)
        comparison_make(&c, before, after);
    json_text(j, "before", before->run.id);
    json_text(j, "after", after->run.id);
    judgement_json_members(j, x);
    not_alike(j, x);
    if (single)
        two_runs(j, &c);
    if (single && x->no_operators)
        operators(j, &c);
    else
        judgement_json_operators(j, x);
    comparison_release(&c);
}

void comparison_json(struct buf *out, const struct judgement *x)
{
    struct json j = json_line_into(out);

    json_object(&j, NULL);
    json_u64(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    comparison_json_members(&j, x);
    json_end(&j);
    buf_char(out, '\n');
}
