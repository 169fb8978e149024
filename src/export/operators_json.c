#include "export/operators_json.h"

#include "base/json.h"
#include "onnx/arch.h"

static void us(struct json *j, const char *key, double ns)
{
    json_fixed(j, key, ns / 1e3, 3);
}

static void text(struct json *j, const char *key, const char *value)
{
    if (value)
        json_text(j, key, value);
}

/* A shape list is JSON as ONNX Runtime writes it, unless it was cut. */
static void shapes(struct json *j, const char *key, const char *value)
{
    text(j, key, value && *value ? value : NULL);
}

/* In which layer of a transformer, and as what; nothing for other models. */
static void place(struct json *j, const struct operator_sum *o)
{
    struct arch_place p = arch_place(str_of(o->name ? o->name : ""),
            str_of(o->op_type ? o->op_type : ""));

    if (p.layer >= 0)
        json_int(j, "layer", p.layer);
    if (p.component != ARCH_NONE)
        json_text(j, "component", arch_component_name(p.component));
}

static void times(struct json *j, const struct operator_sum *o, double all_ns)
{
    us(j, "total_us", o->kernel_ns);
    if (o->contains)
        json_bool(j, "contains_others", true);
    if (!o->contains || o->self_ns > 0) {
        us(j, "self_us", o->self_ns);
        json_fixed(j, "share", all_ns > 0 ? o->self_ns / all_ns : 0, 6);
    }
    us(j, "mean_us", o->kernel_ns / (double)o->count);
    if (o->count > o->timed)
        us(j, "ort_total_us", o->raw_ns);
    json_text(j, "method", operator_method_name(o->method));
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

/* Of all times that it was looked at, as `count` and the times are. */
static void energy_of(struct json *j, const struct run_energy *energy,
        uint32_t id)
{
    if (!energy || !energy->account.counted)
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

static void one(struct json *j, const struct operators *all,
        const struct run_energy *energy, const struct operator_sum *o,
        double all_ns)
{
    json_object(j, NULL);
    json_u64(j, "id", o->id);
    text(j, "name", o->name);
    text(j, "op_type", o->op_type);
    text(j, "provider", o->provider);
    place(j, o);
    json_u64(j, "session", o->session);
    json_u64(j, "count", o->count);
    if (o->left_out)
        json_u64(j, "left_out", o->left_out);
    if (o->cycles)
        json_u64(j, "cycles", o->cycles);
    else if (o->count)
        times(j, o, all_ns);
    energy_of(j, energy, o->id);
    if (o->node_index != UINT32_MAX)
        json_u64(j, "node_index", o->node_index);
    shapes(j, "input_shapes", o->inputs);
    shapes(j, "output_shapes", o->outputs);
    dependencies(j, all, o->id);
    if (o->sizes_known) {
        json_u64(j, "activation_bytes", o->activation_bytes);
        json_u64(j, "parameter_bytes", o->parameter_bytes);
        json_u64(j, "output_bytes", o->output_bytes);
    }
    json_end(j);
}

/* The median one that was not looked into.  What is beyond its time is told. */
static void plain(struct json *j, const struct operator_account *a)
{
    double operators = a->typical_kernels_ns + a->typical_flow_ns;
    double rest = a->plain_median_ns - operators;

    json_object(j, "inference");
    json_u64(j, "inferences", a->plain_inferences);
    us(j, "run_us", a->plain_median_ns);
    us(j, "operators_us", a->typical_kernels_ns);
    us(j, "control_flow_us", a->typical_flow_ns);
    us(j, "runtime_us", rest > 0 ? rest : 0);
    if (rest < 0)
        us(j, a->overlapping ? "side_by_side_us" : "slowed_by_looking_us",
                -rest);
    if (a->seen_ns > 0) {
        us(j, "as_seen_us", a->seen_ns);
        us(j, "fitted_each_us", a->fitted_each_ns);
    }
    json_fixed(j, "operators_share", operators / a->plain_median_ns, 6);
    json_end(j);
}

/* Means of one inference. */
static void account(struct json *j, uint32_t session,
        const struct operator_account *a)
{
    double n = (double)a->inferences;

    json_object(j, NULL);
    json_u64(j, "session", session);
    json_text(j, "method", operator_method_name(a->method));
    if (a->left_out)
        json_u64(j, "outliers_left_out", a->left_out);
    json_object(j, "looked_into");
    json_u64(j, "inferences", a->inferences);
    json_u64(j, "timed", a->timed);
    us(j, "run_us", a->run_ns / n);
    us(j, "operators_us", a->kernels_ns / n);
    us(j, "describing_us", a->describing_ns / n);
    us(j, "control_flow_us", a->control_flow_ns / n);
    us(j, "between_us", a->gaps_ns / n);
    us(j, "before_first_us", a->before_ns / n);
    us(j, "after_last_us", a->after_ns / n);
    if (a->overlapping)
        json_bool(j, "operators_overlap", true);
    json_end(j);
    if (a->plain_inferences)
        plain(j, a);
    json_end(j);
}

void operators_json(struct json *j, const struct operators *o,
        const struct run_energy *energy)
{
    double all_ns = 0;

    if (!o->count)
        return;
    for (size_t i = 0; i < o->count; i++)
        all_ns += o->items[i].self_ns;
    json_array(j, "ops");
    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].count || o->items[i].left_out)
            one(j, o, energy, &o->items[i], all_ns);
    json_end(j);
    json_object(j, "gaps");
    json_array(j, "sessions");
    for (size_t i = 0; i < o->account_count; i++)
        if (o->accounts[i].inferences)
            account(j, (uint32_t)i + 1, &o->accounts[i]);
    json_end(j);
    json_end(j);
}
