#include "export/comparison_json.h"

#include "base/json.h"
#include "export/summary_json.h"

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
};

static void values(struct json *j, struct comparison_change x, double unit)
{
    if (!isnan(x.before))
        json_real(j, "before", x.before / unit);
    if (!isnan(x.after))
        json_real(j, "after", x.after / unit);
    if (x.before > 0 && !isnan(x.after))
        json_fixed(j, "ratio", x.after / x.before, 6);
}

static void operator_change(struct json *j, const struct comparison_operator *o)
{
    json_object(j, NULL);
    json_text(j, "model", o->model);
    json_text(j, "name", o->name);
    json_text(j, "op_type", o->op_type);
    json_object(j, "us");
    values(j, o->ns, 1e3);
    json_end(j);
    json_end(j);
}

static void not_alike(struct json *j, const struct comparison *c)
{
    json_array(j, "not_alike");
    if (c->other_host)
        json_text(j, NULL, "host");
    if (c->other_runtime)
        json_text(j, NULL, "onnxruntime");
    if (c->other_models)
        json_text(j, NULL, "models");
    json_end(j);
}

void comparison_json(struct buf *out, const struct comparison *c,
        const struct summary *before, const struct summary *after)
{
    struct json j = json_line_into(out);

    json_object(&j, NULL);
    json_u64(&j, "schema_version", SUMMARY_SCHEMA_VERSION);
    json_text(&j, "before", before->run.id);
    json_text(&j, "after", after->run.id);
    json_text(&j, "verdict", comparison_verdict_name(c->verdict));
    if (c->has_interval) {
        json_array(&j, "median_ratio_interval");
        json_fixed(&j, NULL, c->low, 6);
        json_fixed(&j, NULL, c->high, 6);
        json_end(&j);
    }
    for (int i = 0; i < COMPARISON_FIGURES; i++) {
        if (isnan(c->figure[i].before) && isnan(c->figure[i].after))
            continue;
        json_object(&j, figures[i].name);
        values(&j, c->figure[i], figures[i].unit);
        json_end(&j);
    }
    not_alike(&j, c);
    json_array(&j, "operators");
    for (size_t i = 0; i < c->operator_count; i++)
        operator_change(&j, &c->operators[i]);
    json_end(&j);
    json_end(&j);
    buf_char(out, '\n');
}
