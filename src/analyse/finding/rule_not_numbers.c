/* rule_not_numbers.c -- operators whose results are no numbers. */
#include "analyse/finding/findings.h"

static void tell(struct findings *f, const struct finding_case *c,
        const char *what, uint32_t id, uint64_t inference)
{
    const struct operator_figures *o =
            operators_find(&c->summary->operators, id);
    struct finding *x = findings_add(f, "not_numbers", FINDING_TROUBLE);

    buf_printf(&x->text, "%s %s first made %s, in inference %llu",
            o && o->op_type ? o->op_type : "an operator",
            o && o->name ? o->name : "", what, (unsigned long long)inference);
    buf_text(&x->detail,
            "look at what goes into it; fp16 overflows above 65504");
    x->operators[x->operator_count++] = id;
    x->inferences[x->inference_count++] = inference;
}

int rule_not_numbers(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    const struct activations *a = &c->summary->activations;

    (void)e;
    if (a->first_nan)
        tell(f, c, "a NaN", a->first_nan, a->nan_inference);
    if (a->first_infinity && a->first_infinity != a->first_nan)
        tell(f, c, "an infinity", a->first_infinity, a->infinity_inference);
    return 0;
}
