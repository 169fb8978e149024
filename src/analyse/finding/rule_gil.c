/* rule_gil.c -- Python's lock in the way. */
#include "analyse/finding/findings.h"

#define SHARE_LEAST 0.02
enum { COUNT_LEAST = 30 };

int rule_gil(struct findings *f, const struct finding_case *c, struct error *e)
{
    const struct summary_parts *p = &c->summary->parts;

    (void)e;
    if (p->count < COUNT_LEAST || p->gil_ns < SHARE_LEAST * p->whole_ns)
        return 0;

    struct finding *x = findings_add(f, "gil", FINDING_LOOK);

    x->gain_ns = p->gil_ns / (double)p->count;
    buf_printf(&x->text,
            "%.1f %% of the time in inferences is waiting for Python's GIL",
            100 * p->gil_ns / p->whole_ns);
    buf_text(&x->detail, "other threads of the program run Python code "
                         "meanwhile: processes instead of threads, or fewer "
                         "of them");
    finding_evidence(x, "wait", x->gain_ns / 1e6, "ms");
    finding_evidence(x, "share", p->gil_ns / p->whole_ns, "ratio");
    finding_evidence(x, "inferences", (double)p->count, "inferences");
    return 0;
}
