/* rule_unfused.c -- operators one behind the other that ONNX Runtime has one
 * kernel for. */
#include "analyse/finding/findings.h"
#include "base/compiler.h"

#include <string.h>

#define SHARE_LEAST 0.01

static const struct {
    const char *first, *second;
} pairs[] = {
    { "Conv", "Relu" },
    { "Conv", "Clip" },
    { "Conv", "Sigmoid" },
    { "Conv", "Tanh" },
    { "Conv", "LeakyRelu" },
    { "Conv", "HardSigmoid" },
    { "Conv", "BatchNormalization" },
    { "Gemm", "Relu" },
    { "Gemm", "Sigmoid" },
    { "Gemm", "Tanh" },
    { "Gemm", "LeakyRelu" },
    { "Add", "LayerNormalization" },
};

static bool is_pair(const struct operator_figures *a,
        const struct operator_figures *b)
{
    if (!a || !b || !a->op_type || !b->op_type || a->parent != b->parent)
        return false;
    for (size_t i = 0; i < LEN(pairs); i++)
        if (strcmp(a->op_type, pairs[i].first) == 0 &&
                strcmp(b->op_type, pairs[i].second) == 0)
            return true;
    return false;
}

/* What somebody else reads as well has to be made. */
static bool has_one_reader(const struct operators *o, uint32_t from)
{
    size_t readers = 0;

    for (size_t i = 0; i < o->edge_count; i++)
        readers += o->edges[i].from == from;
    return readers == 1;
}

int rule_unfused(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    const struct operators *o = &c->summary->operators;
    const struct operator_table *t =
            c->session ? operators_table(o, c->session->id) : NULL;
    struct finding found = { .operator_count = 0 };
    const struct operator_figures *dearest = NULL, *before = NULL;
    size_t count = 0;
    double ns = 0;

    (void)e;
    if (!t || !t->sums[c->phase].count)
        return 0;
    for (size_t i = 0; i < o->edge_count; i++) {
        const struct operator_figures *a = operators_find(o, o->edges[i].from);
        const struct operator_figures *b = operators_find(o, o->edges[i].to);

        if (!is_pair(a, b) || a->session != t->session ||
                !has_one_reader(o, a->id))
            continue;
        count++;
        ns += b->times[c->phase].self_ns;
        if (!dearest ||
                b->times[c->phase].self_ns > dearest->times[c->phase].self_ns) {
            dearest = b;
            before = a;
        }
        if (found.operator_count < FINDING_NAMED)
            found.operators[found.operator_count++] = b->id;
    }
    if (!dearest || ns < SHARE_LEAST * t->self_ns[c->phase])
        return 0;

    struct finding *x = findings_add(f, "unfused", FINDING_LOOK);

    x->gain_ns = ns / (double)t->sums[c->phase].count;
    memcpy(x->operators, found.operators, sizeof(x->operators));
    x->operator_count = found.operator_count;
    buf_printf(&x->text,
            "%zu operator%s could be part of the one before, as in %s and %s: "
            "%.1f %% of operators' time",
            count, count == 1 ? "" : "s", before->op_type, dearest->op_type,
            100 * ns / t->self_ns[c->phase]);
    buf_text(&x->detail, "ONNX Runtime has kernels that do both: switch graph "
                         "optimisation on, or look at what keeps them apart");
    finding_evidence(x, "pairs", (double)count, "pairs");
    finding_evidence(x, "time", x->gain_ns / 1e6, "ms");
    return 0;
}
