#include "export/json/judgement_json.h"

#include "model/phase.h"

#include <math.h>

/* --- figures -------------------------------------------------------------- */

static void pair(struct json *j, const char *key, double low, double high)
{
    if (isnan(low) || isnan(high))
        return;
    json_array(j, key);
    json_fixed(j, NULL, low, 6);
    json_fixed(j, NULL, high, 6);
    json_end(j);
}

void judged_change_json(struct json *j, const struct judged_change *c)
{
    const struct judged_kind *k = &judged_kinds[c->figure];

    json_object(j, NULL);
    json_text(j, "name", k->name);
    json_text(j, "unit", k->unit);
    json_real(j, "before", c->before / k->per_unit);
    json_real(j, "after", c->after / k->per_unit);
    if (!isnan(c->interval.middle))
        json_fixed(j, "change", expm1(c->interval.middle), 6);
    else if (c->before > 0)
        json_fixed(j, "change", c->after / c->before - 1, 6);
    pair(j, "interval", expm1(c->interval.low), expm1(c->interval.high));
    json_real(j, "least", c->least);
    json_text(j, "verdict", verdict_name(c->verdict));
    if (c->because && c->verdict != VERDICT_REFUSED)
        json_text(j, "because", c->because);
    json_end(j);
}

static void figures(struct json *j, const struct judgement *x)
{
    json_array(j, "figures");
    for (int i = 0; i < JUDGED_FIGURES; i++)
        if (!isnan(x->figures[i].before) || !isnan(x->figures[i].after))
            judged_change_json(j, &x->figures[i]);
    json_end(j);
}

/* --- the runs ------------------------------------------------------------- */

static void one_run(struct json *j, const struct judged_input *in)
{
    json_object(j, NULL);
    json_text(j, "run_id", in->summary.run.id);
    json_u64(j, "started_ns", in->summary.run.started_wall_ns);
    if (in->run.count)
        json_u64(j, "inferences", in->run.count);
    json_real(j, "p10_us", in->run.value[JUDGED_P10] / 1e3);
    json_real(j, "p50_us", in->run.value[JUDGED_P50] / 1e3);
    if (in->run.sure[JUDGED_P10])
        json_fixed(j, "effective", in->run.at[JUDGED_P10].effective, 1);
    if (in->run.shift < 0 || in->run.shift > 0)
        json_fixed(j, "level_shift", expm1(in->run.shift), 6);
    if (in->run.memory_ns > 0)
        json_fixed(j, "memory_load_ns", in->run.memory_ns, 3);
    json_end(j);
}

static void runs(struct json *j, const struct judgement *x)
{
    static const char *const keys[] = { "before", "after" };

    json_object(j, "runs");
    for (int side = 0; side < 2; side++) {
        json_array(j, keys[side]);
        for (size_t i = 0; i < x->side[side].count; i++)
            one_run(j, &x->side[side].inputs[i]);
        json_end(j);
    }
    json_u64(j, "history", x->history.count);
    json_bool(j, "in_turns", x->in_turns);
    json_u64(j, "warmup_left_out", x->first);
    if (x->side[1].inputs[0].phase)
        json_text(j, "phase",
                phase_name((enum phase)x->side[1].inputs[0].phase));
    json_end(j);
}

static void differs(struct json *j, const struct judgement *x)
{
    json_array(j, "differs");
    for (int i = 0; i < DIFFERENCES; i++) {
        const struct difference *d = &x->differences[i];

        if (!d->there)
            continue;
        json_object(j, NULL);
        json_text(j, "what", difference_name((enum difference_kind)i));
        if (d->before.len || d->after.len) {
            json_str(j, "before", buf_str(&d->before));
            json_str(j, "after", buf_str(&d->after));
        }
        json_end(j);
    }
    for (int i = 0; i < CONDITIONS; i++) {
        double before = x->conditions[0][i], after = x->conditions[1][i];

        if (!condition_differs((enum condition)i, before, after))
            continue;
        json_object(j, NULL);
        json_text(j, "what", condition_kinds[i].name);
        json_text(j, "unit", condition_kinds[i].unit);
        json_fixed(j, "before", before, 3);
        json_fixed(j, "after", after, 3);
        json_end(j);
    }
    json_end(j);
}

/* --- distributions -------------------------------------------------------- */

/* Numbered as hist.h has them, with the count of each behind it. */
static void buckets(struct json *j, const char *key,
        const struct judgement_side *side)
{
    static const struct hist empty;
    struct hist h = empty;

    for (size_t i = 0; i < side->count; i++)
        for (size_t k = 0; k < side->inputs[i].count; k++)
            hist_add(&h, side->inputs[i].ns[k]);
    json_array(j, key);
    for (unsigned i = 0; i < HIST_BUCKETS; i++)
        if (h.bucket[i]) {
            json_u64(j, NULL, i);
            json_u64(j, NULL, h.bucket[i]);
        }
    json_end(j);
}

static bool has_latency(const struct judgement_side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->inputs[i].count)
            return true;
    return false;
}

static void latency(struct json *j, const struct judgement *x)
{
    if (!has_latency(&x->side[0]) && !has_latency(&x->side[1]))
        return; /* of sweeps it would be of several things at once */
    json_object(j, "latency");
    buckets(j, "before", &x->side[0]);
    buckets(j, "after", &x->side[1]);
    json_array(j, "shift_us");
    for (size_t i = 0; i < JUDGED_SHIFTS; i++) {
        const struct judgement_shift *s = &x->shifts[i];

        if (isnan(s->change_ns))
            continue;
        json_array(j, NULL);
        json_real(j, NULL, round(100 * s->share));
        json_fixed(j, NULL, s->change_ns / 1e3, 3); /* alone: no interval */
        json_fixed(j, NULL, s->low_ns / 1e3, 3);
        json_fixed(j, NULL, s->high_ns / 1e3, 3);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

/* --- operators ------------------------------------------------------------ */

static void us(struct json *j, const char *key, int64_t ns)
{
    json_fixed(j, key, (double)ns / 1e3, 3);
}

static void one_operator(struct json *j, const struct judgement *x,
        const struct operator_change *o, const char *model)
{
    json_object(j, NULL);
    json_text(j, "model", model);
    json_text(j, "name", o->name);
    json_text(j, "op_type", o->op_type);
    json_object(j, "us");
    if (o->there[0])
        us(j, "before", o->ns[0]);
    if (o->there[1])
        us(j, "after", o->ns[1]);
    json_end(j);
    us(j, "change_us", o->ns[1] - o->ns[0]);
    if (o->has_interval) {
        json_array(j, "interval_us");
        json_fixed(j, NULL, o->low_ns / 1e3, 3);
        json_fixed(j, NULL, o->high_ns / 1e3, 3);
        json_end(j);
    }
    json_text(j, "verdict", verdict_name(o->verdict));
    json_text(j, "part", operator_change_kind_name(o->kind));
    if (o->kind == OPERATOR_CHANGE_PLACEMENT) {
        json_text(j, "provider_before", o->provider[0]);
        json_text(j, "provider_after", o->provider[1]);
    }
    json_fixed(j, "explains", operator_change_explains(&x->operators, o), 4);
    json_end(j);
}

void judgement_json_operators(struct json *j, const struct judgement *x)
{
    const struct operator_changes *c = &x->operators;

    if (x->no_operators)
        json_text(j, "operators_not_compared", x->no_operators);
    json_array(j, "operators");
    for (size_t i = 0; i < c->count; i++)
        one_operator(j, x, &c->items[i], x->side[1].inputs[0].model);
    json_end(j);
    if (x->no_operators)
        return;
    json_object(j, "change_us");
    us(j, "whole", c->whole_ns[1] - c->whole_ns[0]);
    for (int i = 0; i < OPERATOR_CHANGE_KINDS; i++)
        us(j, operator_change_kind_name((enum operator_change_kind)i),
                c->part_ns[i]);
    json_end(j);
}

/* --- the whole ------------------------------------------------------------ */

void judgement_json_members(struct json *j, const struct judgement *x)
{
    json_text(j, "verdict", verdict_name(x->verdict));
    if (x->because.len)
        json_str(j, "because", buf_str(&x->because));
    if (x->advice.len)
        json_str(j, "advice", buf_str(&x->advice));
    json_real(j, "least", x->least);
    json_text(j, "model", x->side[1].inputs[0].model);
    runs(j, x);
    differs(j, x);
    figures(j, x);
    latency(j, x);
}
