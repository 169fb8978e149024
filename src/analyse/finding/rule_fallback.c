/* rule_fallback.c -- operators that the provider asked for does not run: they
 * fall back to the CPU, and values are copied to and fro. */
#include "analyse/finding/findings.h"
#include "base/json_read.h"

#include <string.h>

#define SHARE_LEAST 0.01
#define CPU         "CPUExecutionProvider"

/* The first provider that was asked for, if it is not the CPU; else "". */
static struct str asked_for(const char *providers)
{
    struct str rest = str_of(providers ? providers : "[]"), value;

    while (json_next_element(&rest, &value) > 0)
        if (value.len > 2 && !str_starts(value, "\"CPU"))
            return (struct str){ value.p + 1, value.len - 2 };
    return str_of("");
}

struct split {
    double cpu_ns, copies_ns, elsewhere_ns;
    size_t on_cpu, copies;
};

static struct split divide(const struct operators *o,
        const struct operator_table *t, unsigned phase)
{
    struct split out = { 0 };

    for (size_t i = 0; i < o->count; i++) {
        const struct operator_figures *p = &o->items[i];
        double ns = p->times[phase].self_ns;

        if (p->session != t->session || !p->times[phase].count || !p->provider)
            continue;
        if (p->op_type && strncmp(p->op_type, "Memcpy", 6) == 0) {
            out.copies_ns += ns;
            out.copies++;
        } else if (strcmp(p->provider, CPU) == 0) {
            out.cpu_ns += ns;
            out.on_cpu++;
        } else {
            out.elsewhere_ns += ns;
        }
    }
    return out;
}

int rule_fallback(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    const struct operators *o = &c->summary->operators;
    const struct operator_table *t =
            c->session ? operators_table(o, c->session->id) : NULL;

    (void)e;
    if (!t || !t->sums[c->phase].count)
        return 0;

    struct str wanted = asked_for(c->session->providers);
    struct split s = divide(o, t, c->phase);
    double fallen = s.cpu_ns + s.copies_ns;

    if (!wanted.len || fallen < SHARE_LEAST * t->self_ns[c->phase])
        return 0;

    struct finding *x = findings_add(f, "fallback", FINDING_LOOK);

    buf_printf(&x->text, "%.*s was asked for, and ", (int)wanted.len, wanted.p);
    if (s.elsewhere_ns > 0)
        buf_printf(&x->text,
                "%zu operators run on the CPU nevertheless, with %zu copies "
                "between: %.1f %% of operators' time",
                s.on_cpu, s.copies, 100 * fallen / t->self_ns[c->phase]);
    else
        buf_text(&x->text, "all operators run on the CPU");
    buf_text(&x->detail, "see which types these are (ortmeter report), and "
                         "whether a newer provider or other opset has them");
    if (s.copies)
        x->gain_ns = s.copies_ns / (double)t->sums[c->phase].count;
    finding_evidence(x, "operators", (double)s.on_cpu, "operators");
    finding_evidence(x, "copies", (double)s.copies, "operators");
    finding_evidence(x, "share", fallen / t->self_ns[c->phase], "ratio");
    return 0;
}
