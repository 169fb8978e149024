/* rule_constant_work.c -- work on weights alone: it gives the same result in
 * every inference. */
#include "analyse/finding/findings.h"

#define SHARE_LEAST 0.01

/* All its inputs are weights, and there is one. */
static bool is_constant(const struct operators *o, uint32_t id)
{
    size_t count, inputs = 0;
    const struct operator_tensor *t = operators_tensors(o, id, &count);

    for (size_t i = 0; i < count; i++) {
        if (t[i].is_output || !t[i].name || !t[i].name[0])
            continue;
        if (!t[i].is_constant)
            return false;
        inputs++;
    }
    return inputs > 0;
}

int rule_constant_work(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    const struct operators *o = &c->summary->operators;
    const struct operator_table *t =
            c->session ? operators_table(o, c->session->id) : NULL;
    struct finding x = { .operator_count = 0 };
    size_t nodes = 0;
    double ns = 0;

    (void)e;
    if (!t || !t->sums[c->phase].count)
        return 0;
    for (size_t i = 0; i < o->count; i++) {
        const struct operator_figures *p = &o->items[i];

        if (p->session != t->session || p->contains ||
                !p->times[c->phase].count || !is_constant(o, p->id))
            continue;
        ns += p->times[c->phase].self_ns;
        nodes++;
        if (x.operator_count < FINDING_NAMED)
            x.operators[x.operator_count++] = p->id;
    }
    if (ns < SHARE_LEAST * t->self_ns[c->phase] || !nodes)
        return 0;

    const struct operator_figures *dearest = operators_find(o, x.operators[0]);
    struct finding *out = findings_add(f, "constant_work", FINDING_LOOK);

    out->gain_ns = ns / (double)t->sums[c->phase].count;
    for (; out->operator_count < x.operator_count; out->operator_count++)
        out->operators[out->operator_count] = x.operators[out->operator_count];
    buf_printf(&out->text,
            "%zu operator%s work%s on weights alone, with the same result in "
            "every inference: %.1f %% of operators' time",
            nodes, nodes == 1 ? "" : "s", nodes == 1 ? "s" : "",
            100 * ns / t->self_ns[c->phase]);
    buf_printf(&out->detail,
            "the dearest is %s %s; fold them into the file's weights (for "
            "DequantizeLinear: a format that the kernels read, or weights as "
            "they are after it)",
            dearest && dearest->op_type ? dearest->op_type : "",
            dearest && dearest->name ? dearest->name : "");
    finding_evidence(out, "operators", (double)nodes, "operators");
    finding_evidence(out, "time", out->gain_ns / 1e6, "ms");
    finding_evidence(out, "share", ns / t->self_ns[c->phase], "ratio");
    return 0;
}
