/* rule_level_shift.c -- a run that changed its pace, and kept the new one. */
#include "analyse/finding/findings.h"
#include "analyse/verdict/judged_run.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

int rule_level_shift(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    (void)e;
    if (c->count < INTERVAL_LEAST)
        return 0;

    double *logs = alloc_zero(c->count, sizeof(*logs));

    for (size_t i = 0; i < c->count; i++)
        logs[i] = log((double)c->inferences[i].duration_ns);

    double shift = judged_run_shift(logs, c->count);

    free(logs);
    if (shift == 0)
        return 0;

    struct finding *x = findings_add(f, "level_shift", FINDING_LOOK);

    buf_printf(&x->text,
            "inferences became %.0f %% %s during the run, and "
            "stayed so",
            fabs(expm1(shift)) * 100, shift > 0 ? "slower" : "faster");
    buf_text(&x->detail, "means of the whole run stand for neither: look at "
                         "the two parts, at clock, heat and other programs");
    finding_evidence(x, "ratio", exp(shift), "ratio");
    return 0;
}
