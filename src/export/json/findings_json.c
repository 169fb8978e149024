#include "export/json/findings_json.h"

#include <math.h>

static void one(struct json *j, const struct finding *x)
{
    json_object(j, NULL);
    json_text(j, "rule", x->rule);
    json_text(j, "severity", finding_severity_name(x->severity));
    json_str(j, "text", buf_str(&x->text));
    if (x->detail.len)
        json_str(j, "detail", buf_str(&x->detail));
    if (!isnan(x->gain_ns))
        json_fixed(j, "gain_ms", x->gain_ns / 1e6, 6);
    json_array(j, "evidence");
    for (size_t i = 0; i < x->evidence_count; i++) {
        json_object(j, NULL);
        json_text(j, "name", x->evidence[i].name);
        json_real(j, "value", x->evidence[i].value);
        json_text(j, "unit", x->evidence[i].unit);
        json_end(j);
    }
    json_end(j);
    if (x->operator_count) {
        json_array(j, "operators");
        for (size_t i = 0; i < x->operator_count; i++)
            json_u64(j, NULL, x->operators[i]);
        json_end(j);
    }
    if (x->inference_count) {
        json_array(j, "inferences");
        for (size_t i = 0; i < x->inference_count; i++)
            json_u64(j, NULL, x->inferences[i]);
        json_end(j);
    }
    json_end(j);
}

void findings_json_members(struct json *j, const struct findings *f)
{
    json_array(j, "findings");
    for (size_t i = 0; i < f->count; i++)
        one(j, &f->items[i]);
    json_end(j);
    if (!f->slow.known)
        return;
    json_object(j, "slow");
    json_u64(j, "count", f->slow.count);
    json_u64(j, "of", f->slow.of);
    if (f->slow.limit_ns)
        json_fixed(j, "limit_ms", (double)f->slow.limit_ns / 1e6, 6);
    json_array(j, "causes");
    for (size_t i = 0; i < f->slow.cause_count; i++) {
        json_object(j, NULL);
        json_text(j, "cause", f->slow.causes[i].name);
        json_u64(j, "slow", f->slow.causes[i].found.slow);
        json_fixed(j, "share_of_time", f->slow.causes[i].found.share, 4);
        json_fixed(j, "in_others", f->slow.causes[i].found.others, 4);
        json_fixed(j, "effect_ms", f->slow.causes[i].found.effect_ns / 1e6, 6);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}
