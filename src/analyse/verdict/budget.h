/* budget.h -- what a model may cost: limits from a file, and whether they hold.
 *
 *     p10 = "5%"                # of every model: not slower by more
 *     [models.silero]           # of models with that in their path
 *     p99 = "12 ms"             # not above
 *     peak_rss = "300 MB"
 *     [operators]               # by name or type, in an inference
 *     Conv = "10%"
 *
 * Figures are named as judged_kinds has them. */
#pragma once

#include "analyse/verdict/judging.h"
#include "analyse/verdict/operator_changes.h"
#include "base/error.h"
#include "base/str.h"

struct budget {
    char *model;     /* part of its path; NULL: any */
    char *operators; /* name or type; NULL: it is of a figure */
    enum judged_figure figure;
    bool relative; /* the limit is a share: 0.05; else a value, ns or bytes */
    double limit;
    char *text; /* as it was written: "5%" */
};

struct budgets {
    struct budget *items;
    size_t count;
};

/* -EINVAL with a sentence that names the file and what is wrong in it. */
int budgets_read(struct budgets *out, struct str text, const char *file,
        struct error *e);
void budgets_release(struct budgets *b);

enum budget_state {
    BUDGET_KEPT,
    BUDGET_OVER,
    BUDGET_UNDECIDED,
};

const char *budget_state_name(enum budget_state state);

/* Whether it is about that model. */
bool budget_concerns(const struct budget *b, const char *model);

/* Of a figure: its change for a share, or, for a value, the runs of after:
 * `count` values, as measured. */
enum budget_state budget_of_figure(const struct budget *b,
        const struct judged_change *c, const double *values, size_t count);

/* Of the operators that it is about; undecided where there are none. */
enum budget_state budget_of_operators(const struct budget *b,
        const struct operator_changes *c);
