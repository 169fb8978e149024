/* check_judge.c -- what the pairs tell by now. */
#include "base/alloc.h"
#include "cmd/check/check_result.h"
#include "cmd/cmd.h"

#include <math.h>
#include <stdlib.h>

/* Pairs that know the figure on both sides. */
static size_t differences(double *out, double *base, double *head,
        const struct check_result *r, enum judged_figure figure)
{
    size_t count = 0;

    for (size_t i = 0; i < r->pairs; i++) {
        double a = r->runs[CHECK_BASE][i].value[figure];
        double b = r->runs[CHECK_HEAD][i].value[figure];

        if (!(a > 0) || !(b > 0))
            continue;
        base[count] = a;
        head[count] = b;
        out[count++] = log(b / a);
    }
    return count;
}

static void judge(struct check_result *r, enum judged_figure figure)
{
    struct judged_change *c = &r->changes[figure];
    double d[VERDICT_PAIRS_MAX], base[VERDICT_PAIRS_MAX],
            head[VERDICT_PAIRS_MAX];
    size_t count = differences(d, base, head, r, figure);

    *c = (struct judged_change){
        .figure = figure,
        .before = count ? interval_median(base, count) : NAN,
        .after = count ? interval_median(head, count) : NAN,
        .least = judged_least(figure, r->settings->least),
        .before_runs = count,
        .after_runs = count,
    };
    c->verdict = verdict_of_pairs(&c->interval, d, count, c->least);
    if (judged_kinds[figure].more_is_better)
        c->verdict = verdict_turned(c->verdict);
    if (c->verdict == VERDICT_CANNOT_TELL)
        c->because = count < VERDICT_PAIRS_LEAST ? "too few pairs"
                                                 : "the pairs differ too much";
}

static enum budget_state state_of(const struct check_result *r,
        const struct budget *b)
{
    double d[VERDICT_PAIRS_MAX], base[VERDICT_PAIRS_MAX],
            head[VERDICT_PAIRS_MAX];

    if (b->operators)
        return r->recorded && !r->judgement.no_operators
                       ? budget_of_operators(b, &r->judgement.operators)
                       : BUDGET_UNDECIDED;

    size_t count = differences(d, base, head, r, b->figure);

    return budget_of_figure(b, &r->changes[b->figure], head, count);
}

/* Budgets of models are asked for by the path; a command has none. */
static const char *model_of(const struct check_result *r)
{
    if (r->settings->commands[CHECK_HEAD])
        return r->recorded ? r->judgement.side[1].inputs[0].model : "";
    return r->settings->models[CHECK_HEAD];
}

static bool judge_budgets(struct check_result *r)
{
    bool decided = true;

    free(r->kept);
    r->kept = alloc_zero(r->budgets.count + 1, sizeof(*r->kept));
    r->kept_count = 0;
    for (size_t i = 0; i < r->budgets.count; i++) {
        const struct budget *b = &r->budgets.items[i];

        if (!budget_concerns(b, model_of(r)))
            continue;
        r->kept[r->kept_count] = (struct check_budget){ b, state_of(r, b) };
        decided &= b->operators ||
                   r->kept[r->kept_count].state != BUDGET_UNDECIDED;
        r->kept_count++;
    }
    return decided;
}

bool check_judge(struct check_result *r)
{
    for (int i = 0; i < JUDGED_FIGURES; i++)
        judge(r, (enum judged_figure)i);
    r->verdict = r->changes[JUDGED_P10].verdict;

    bool decided = judge_budgets(r);

    return decided && r->verdict != VERDICT_CANNOT_TELL;
}

/* A budget for the headline takes the place of its verdict. */
static bool headline_has_budget(const struct check_result *r)
{
    for (size_t i = 0; i < r->kept_count; i++)
        if (!r->kept[i].budget->operators &&
                r->kept[i].budget->figure == JUDGED_P10)
            return true;
    return false;
}

int check_exit_code(const struct check_result *r)
{
    bool worse = false, open = false;

    if (!headline_has_budget(r)) {
        worse = r->verdict == VERDICT_WORSE;
        open = r->verdict == VERDICT_CANNOT_TELL;
    }
    for (size_t i = 0; i < r->kept_count; i++) {
        worse |= r->kept[i].state == BUDGET_OVER;
        open |= r->kept[i].state == BUDGET_UNDECIDED;
    }
    return worse ? EXIT_WORSE : open ? EXIT_UNDECIDED : EXIT_GOOD;
}

void check_result_release(struct check_result *r)
{
    free(r->names[0]);
    free(r->names[1]);
    free(r->kept);
    if (r->recorded)
        judgement_release(&r->judgement);
    budgets_release(&r->budgets);
}
