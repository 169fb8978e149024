/* rule_round_trips.c -- values that are quantised only to be dequantised. */
#include "analyse/finding/findings.h"

#include <string.h>

#define SHARE_LEAST 0.01

static bool is_type(const struct operator_figures *o, const char *type)
{
    return o && o->op_type && strcmp(o->op_type, type) == 0;
}

/* Whether an earlier edge leads from the same operator to another pair. */
static bool was_counted(const struct operators *o, size_t edge)
{
    for (size_t i = 0; i < edge; i++)
        if (o->edges[i].from == o->edges[edge].from &&
                is_type(operators_find(o, o->edges[i].to), "DequantizeLinear"))
            return true;
    return false;
}

int rule_round_trips(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    const struct operators *o = &c->summary->operators;
    const struct operator_table *t =
            c->session ? operators_table(o, c->session->id) : NULL;
    size_t pairs = 0;
    double ns = 0;

    (void)e;
    if (!t || !t->sums[c->phase].count)
        return 0;
    for (size_t i = 0; i < o->edge_count; i++) {
        const struct operator_figures *from =
                operators_find(o, o->edges[i].from);
        const struct operator_figures *to = operators_find(o, o->edges[i].to);

        if (!is_type(from, "QuantizeLinear") ||
                !is_type(to, "DequantizeLinear") || from->session != t->session)
            continue;
        pairs++;
        ns += to->times[c->phase].self_ns;
        if (!was_counted(o, i))
            ns += from->times[c->phase].self_ns;
    }
    if (!pairs || ns < SHARE_LEAST * t->self_ns[c->phase])
        return 0;

    struct finding *x = findings_add(f, "round_trips", FINDING_LOOK);

    x->gain_ns = ns / (double)t->sums[c->phase].count;
    buf_printf(&x->text,
            "%zu value%s quantised and at once dequantised: %.1f %% of "
            "operators' time",
            pairs, pairs == 1 ? " is" : "s are",
            100 * ns / t->self_ns[c->phase]);
    buf_text(&x->detail, "the operators between have no kernel for whole "
                         "numbers, or were left in floats: quantise them, too, "
                         "or take the pair out of the file");
    finding_evidence(x, "pairs", (double)pairs, "pairs");
    finding_evidence(x, "time", x->gain_ns / 1e6, "ms");
    return 0;
}
