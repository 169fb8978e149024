#include "export/json/operators_json.h"

#include "analyse/operators/operator_groups.h"
#include "base/json_read.h"
#include "model/phase.h"

#include <math.h>
#include <stdlib.h>

static void us(struct json *j, const char *key, double ns)
{
    json_fixed(j, key, ns / 1e3, 3);
}

static void text(struct json *j, const char *key, const char *value)
{
    if (value)
        json_text(j, key, value);
}

/* What is not a number is not there. */
static void real(struct json *j, const char *key, double value)
{
    if (isfinite(value))
        json_real(j, key, value);
}

/* Shares are of the self times of the table and phase: they add up to 1. */
static void share(struct json *j, double ns, double all_ns)
{
    if (all_ns > 0)
        json_fixed(j, "share", ns / all_ns, 6);
}

/* Where there are several models a row names its own. */
static void whose(struct json *j, const struct summary *s, uint32_t table)
{
    const char *path = NULL;

    json_u64(j, "session", table);
    for (size_t i = 0; i < s->session_count && !path; i++)
        if (s->sessions[i].id == table)
            path = s->sessions[i].model;
    if (!path || s->operators.table_count < 2)
        return;

    char *name = summary_model_name(path);

    json_text(j, "model", name);
    free(name);
}

static void place(struct json *j, struct arch_place p)
{
    if (p.layer >= 0)
        json_int(j, "layer", p.layer);
    if (p.component != ARCH_NONE)
        json_text(j, "component", arch_component_name(p.component));
}

/* --- one operator --------------------------------------------------------- */

/* A list is JSON as ONNX Runtime writes it, unless it was cut. */
static void shape_list(struct json *j, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    if (json_is_sound(str_of(value)))
        json_raw(j, key, value);
    else
        json_text(j, key, value);
}

static void shapes(struct json *j, const struct operator_figures *o)
{
    if (!o->shape_count)
        return;
    json_array(j, "shapes");
    for (size_t i = 0; i < o->shape_count; i++) {
        const struct operator_shape *x = &o->shapes[i];

        json_object(j, NULL);
        shape_list(j, "inputs", x->inputs);
        shape_list(j, "outputs", x->outputs);
        json_u64(j, "count", x->count ? x->count : o->times[PHASES].count);
        if (x->sizes_known) {
            json_u64(j, "activation_bytes", x->activation_bytes);
            json_u64(j, "parameter_bytes", x->parameter_bytes);
        }
        if (x->output_known)
            json_u64(j, "output_bytes", x->output_bytes);
        json_end(j);
    }
    json_end(j);
}

static void times(struct json *j, const struct operator_times *t, double all_ns)
{
    json_u64(j, "count", t->count);
    us(j, "total_us", t->total_ns);
    us(j, "self_us", t->self_ns);
    share(j, t->self_ns, all_ns);
    us(j, "mean_us", t->self_ns / (double)t->count);
    us(j, "median_us", t->median_ns);
    if (t->count > 1)
        us(j, "stddev_us", t->stddev_ns);
    us(j, "min_us", t->min_ns);
    us(j, "max_us", t->max_ns);
    if (t->count < OPERATORS_FEW)
        json_bool(j, "few", true);
}

/* Whose results it reads. */
static void dependencies(struct json *j, const struct operators *all,
        uint32_t id)
{
    size_t low = 0, high = all->edge_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (all->edges[middle].to < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == all->edge_count || all->edges[low].to != id)
        return;
    json_array(j, "after");
    for (; low < all->edge_count && all->edges[low].to == id; low++)
        json_u64(j, NULL, all->edges[low].from);
    json_end(j);
}

/* Of all its runs, those in inferences that were not traced included. */
static void energy_of(struct json *j, const struct run_energy *energy,
        uint32_t id)
{
    if (!energy->account.counted)
        return;

    struct energy_sum x = run_energy_operator(energy, id);

    if (!x.count)
        return;
    json_fixed(j, "joules", (double)x.gross_uj / 1e6, 6);
    if (energy->account.attribution.idle_known)
        json_fixed(j, "net_joules", (double)x.net_uj / 1e6, 6);
    if (x.error_j > 0)
        json_fixed(j, "joules_error", x.error_j, 6);
    json_text(j, "joules_method", reading_method_name(x.method));
}

/* Both, where a session has both. */
static void phases(struct json *j, const struct summary *s,
        const struct operator_figures *o)
{
    if (s->shown_phase != PHASES || !o->times[PHASE_DECODE].count)
        return;
    json_object(j, "phases");
    for (unsigned i = PHASE_PREFILL; i <= PHASE_DECODE; i++) {
        if (!o->times[i].count)
            continue;
        json_object(j, phase_name((enum phase)i));
        times(j, &o->times[i], operators_self_ns(&s->operators, o->session, i));
        json_end(j);
    }
    json_end(j);
}

static void one(struct json *j, const struct summary *s,
        const struct operator_figures *o, double all_ns)
{
    const struct operator_times *t = &o->times[s->shown_phase];
    double flops = operator_flops_in(o, s->shown_phase);

    json_object(j, NULL);
    json_u64(j, "id", o->id);
    text(j, "name", o->name);
    text(j, "op_type", o->op_type);
    text(j, "provider", o->provider);
    place(j, o->place);
    whose(j, s, o->session);
    if (o->cycles) {
        json_u64(j, "count", t->count);
        json_u64(j, "cycles", o->cycles);
    } else {
        times(j, t, all_ns);
        json_text(j, "method", operator_method_name(s->operators.method));
    }
    if (flops > 0 && t->self_ns > 0) {
        json_real(j, "flops", flops);
        json_real(j, "flops_per_s",
                flops * (double)t->count * 1e9 / t->self_ns);
        if (o->flops_estimated)
            json_bool(j, "flops_estimated", true);
    }
    energy_of(j, &s->energy, o->id);
    if (o->contains)
        json_bool(j, "contains_others", true);
    if (o->parent)
        json_u64(j, "within", o->parent);
    if (o->node_index != UINT32_MAX)
        json_u64(j, "node_index", o->node_index);
    shapes(j, o);
    dependencies(j, &s->operators, o->id);
    phases(j, s, o);
    json_end(j);
}

static void operators(struct json *j, const struct summary *s)
{
    const struct operators *o = &s->operators;

    json_array(j, "ops");
    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].times[s->shown_phase].count)
            one(j, s, &o->items[i],
                    operators_self_ns(o, o->items[i].session, s->shown_phase));
    json_end(j);
}

/* --- together ------------------------------------------------------------- */

static void group_times(struct json *j, const struct summary *s,
        const struct operator_group *g)
{
    us(j, "self_us", g->self_ns);
    share(j, g->self_ns,
            operators_self_ns(&s->operators, g->table, s->shown_phase));
    us(j, "mean_us", g->self_ns / (double)g->runs);
    if (!isnan(g->median_ns))
        us(j, "median_us", g->median_ns);
    if (g->runs > 1)
        us(j, "stddev_us", g->stddev_ns);
    us(j, "min_us", g->min_ns);
    us(j, "max_us", g->max_ns);
    if (g->runs < OPERATORS_FEW)
        json_bool(j, "few", true);
}

static void group(struct json *j, const struct summary *s,
        const struct operator_group *g, enum operator_grouping by)
{
    json_object(j, NULL);
    if (by == OPERATORS_BY_TYPE)
        json_text(j, "op_type", g->op_type);
    else if (by == OPERATORS_BY_LAYER)
        json_int(j, "layer", g->at.layer);
    else
        json_text(j, "component", arch_component_name(g->at.component));
    whose(j, s, g->table);
    json_u64(j, "operators", g->operators);
    json_u64(j, "count", g->runs);
    if (g->cycles)
        json_u64(j, "cycles", g->cycles);
    else
        group_times(j, s, g);
    if (g->flops_ns > 0)
        json_real(j, "flops_per_s", g->flops * 1e9 / g->flops_ns);
    json_end(j);
}

static void groups(struct json *j, const char *key, const struct summary *s,
        enum operator_grouping by)
{
    struct operator_groups g;

    operator_groups_find(&g, &s->operators, 0, s->shown_phase, by);
    if (g.count)
        json_array(j, key);
    for (size_t i = 0; i < g.count; i++)
        group(j, s, &g.items[i], by);
    if (g.count)
        json_end(j);
    operator_groups_release(&g);
}

/* --- where the rest of an inference went ---------------------------------- */

/* Means of one inference.  Where kernels ran side by side there is no sum. */
static void account(struct json *j, const struct traced_sum *x)
{
    double n = (double)x->count;

    json_u64(j, "inferences", x->count);
    us(j, "run_us", (double)x->run_ns / n);
    us(j, "operators_us", (double)x->kernels_ns / n);
    us(j, "control_flow_us", (double)x->flow_ns / n);
    if (x->beside) {
        json_u64(j, "side_by_side", x->beside);
        us(j, "busy_us", (double)x->busy_ns / (double)x->beside);
    }
    if (x->beside == x->count)
        return;
    n = (double)(x->count - x->beside);
    us(j, "before_first_us", (double)x->before_ns / n);
    us(j, "between_us", (double)x->between_ns / n);
    us(j, "after_last_us", (double)x->after_ns / n);
}

static void gaps_of(struct json *j, const struct summary *s,
        const struct operator_table *t)
{
    const struct traced_sum *x = &t->sums[s->shown_phase];

    if (!x->count && !t->sums[PHASES].lost)
        return;
    json_object(j, NULL);
    whose(j, s, t->session);
    json_text(j, "method", operator_method_name(s->operators.method));
    if (x->count)
        account(j, x);
    if (t->cold[s->shown_phase])
        json_u64(j, "cold", t->cold[s->shown_phase]);
    if (x->lost)
        json_u64(j, "lost", x->lost);
    if (x->doubtful)
        json_u64(j, "doubtful_operator_runs", x->doubtful);
    if (t->critical_ns > 0 && s->shown_phase == PHASES)
        us(j, "critical_path_us", t->critical_ns);
    if (t->width)
        json_u64(j, "side_by_side_at_most", t->width);
    if (t->peak_known)
        json_u64(j, "peak_activation_bytes", t->peak_bytes);
    if (s->shown_phase == PHASES && t->sums[PHASE_DECODE].count) {
        json_object(j, "phases");
        for (unsigned i = PHASE_PREFILL; i <= PHASE_DECODE; i++) {
            if (!t->sums[i].count)
                continue;
            json_object(j, phase_name((enum phase)i));
            account(j, &t->sums[i]);
            json_end(j);
        }
        json_end(j);
    }
    json_end(j);
}

static void gaps(struct json *j, const struct summary *s)
{
    json_object(j, "gaps");
    json_array(j, "sessions");
    for (size_t i = 0; i < s->operators.table_count; i++)
        gaps_of(j, s, &s->operators.tables[i]);
    json_end(j);
    json_end(j);
}

/* --- values --------------------------------------------------------------- */

static void activation(struct json *j, const struct operators *o,
        const struct activation_figures *a)
{
    const struct operator_figures *f = operators_find(o, a->operator_id);
    size_t count;
    const struct operator_tensor *t =
            operators_tensors(o, a->operator_id, &count);

    json_object(j, NULL);
    json_u64(j, "operator", a->operator_id);
    text(j, "name", f ? f->name : NULL);
    text(j, "op_type", f ? f->op_type : NULL);
    json_u64(j, "output", a->output);
    for (size_t i = 0; i < count; i++)
        if (t[i].is_output && t[i].index == a->output)
            text(j, "tensor", t[i].name);
    json_u64(j, "inferences", a->inferences);
    json_u64(j, "elements", a->elements);
    json_u64(j, "elements_read", a->read);
    real(j, "mean_abs", a->mean_abs);
    real(j, "std_dev", a->std_dev);
    real(j, "max_abs", a->max_abs);
    if (a->read)
        json_fixed(j, "near_zero_share", (double)a->near_zero / (double)a->read,
                6);
    json_u64(j, "nans", a->nans);
    json_u64(j, "infinities", a->infinities);
    json_end(j);
}

static void first_bad(struct json *j, const char *key,
        const struct operators *o, uint32_t id, uint64_t inference)
{
    const struct operator_figures *f = id ? operators_find(o, id) : NULL;

    if (!id)
        return;
    json_object(j, key);
    json_u64(j, "operator", id);
    text(j, "name", f ? f->name : NULL);
    text(j, "op_type", f ? f->op_type : NULL);
    json_u64(j, "inference", inference);
    json_end(j);
}

static void activations(struct json *j, const struct summary *s)
{
    const struct activations *a = &s->activations;

    if (!a->count)
        return;
    json_array(j, "activations");
    for (size_t i = 0; i < a->count; i++)
        activation(j, &s->operators, &a->items[i]);
    json_end(j);
    json_object(j, "activation_stats");
    json_u64(j, "inferences", a->inferences);
    us(j, "cost_us", a->cost_ns);
    if (a->looked_bytes > 0)
        us(j, "cost_us_per_mb", a->cost_ns / (a->looked_bytes / 1e6));
    first_bad(j, "first_nan", &s->operators, a->first_nan, a->nan_inference);
    first_bad(j, "first_infinity", &s->operators, a->first_infinity,
            a->infinity_inference);
    json_end(j);
}

/* --- all ------------------------------------------------------------------ */

static void missing(struct json *j, const struct summary *s)
{
    bool any = false;

    for (size_t i = 0; i < s->session_count; i++) {
        const char *why = summary_no_operators(s, &s->sessions[i]);

        if (!why)
            continue;
        if (!any)
            json_array(j, "operators_missing");
        any = true;
        json_object(j, NULL);
        json_u64(j, "session", s->sessions[i].id);
        json_text(j, "reason", why);
        json_end(j);
    }
    if (any)
        json_end(j);
}

void operators_json(struct json *j, const struct summary *s)
{
    if (s->operators.count) {
        operators(j, s);
        groups(j, "op_types", s, OPERATORS_BY_TYPE);
        groups(j, "layers", s, OPERATORS_BY_LAYER);
        groups(j, "components", s, OPERATORS_BY_COMPONENT);
        gaps(j, s);
        activations(j, s);
    }
    missing(j, s);
}
