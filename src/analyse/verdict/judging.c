#include "analyse/verdict/judging.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

/* Of a figure's runs, those that know it: logarithms. */
static size_t take(double *out, enum judged_figure figure,
        const struct judged_side *side)
{
    size_t count = 0;

    for (size_t i = 0; i < side->count; i++)
        if (side->runs[i].value[figure] > 0)
            out[count++] = log(side->runs[i].value[figure]);
    return count;
}

/* --- in turns ------------------------------------------------------------- */

struct start {
    uint64_t ns;
    bool after;
};

static int by_time(const void *a, const void *b)
{
    const struct start *x = a, *y = b;

    return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* They change about as often as chance would, and neither side is all early. */
static bool is_mixed(const struct start *all, size_t count, size_t before,
        size_t after)
{
    size_t changes = 0, least = before < after ? before : after;
    double seen = 0, later = 0;

    for (size_t i = 0; i < count; i++) {
        changes += i && all[i].after != all[i - 1].after;
        seen += !all[i].after;
        later += all[i].after ? seen : 0;
    }

    double share = later / ((double)before * (double)after);

    return changes >= least && fabs(share - 0.5) <= 0.25;
}

bool judged_in_turns(const struct judged_side *before,
        const struct judged_side *after)
{
    size_t count = before->count + after->count;
    struct start *all = alloc_zero(count + 1, sizeof(*all));

    for (size_t i = 0; i < before->count; i++)
        all[i] = (struct start){ before->runs[i].started_ns, false };
    for (size_t i = 0; i < after->count; i++)
        all[before->count + i] =
                (struct start){ after->runs[i].started_ns, true };
    qsort(all, count, sizeof(*all), by_time);

    bool mixed = before->count && after->count &&
                 is_mixed(all, count, before->count, after->count);

    free(all);
    return mixed;
}

/* --- single runs ---------------------------------------------------------- */

#define MEMORY_SLOWED 0.2 /* of logarithms: from here on, it is by others */

/* What is in the middle of a side, with the least sure of its runs. */
static bool middle_run(struct interval_quantile *out, enum judged_figure figure,
        const struct judged_side *side)
{
    double *values = alloc_zero(side->count + 1, sizeof(*values));
    size_t count = take(values, figure, side);
    bool sure = count == side->count && count;

    *out = (struct interval_quantile){ .error = 0 };
    if (sure)
        out->at.middle = interval_median(values, count);
    for (size_t i = 0; i < side->count && sure; i++) {
        const struct judged_run *r = &side->runs[i];

        if (figure >= JUDGED_PERCENTILES)
            continue; /* one number a run: only the history says how sure */
        sure = r->sure[figure];
        out->error = fmax(out->error, r->at[figure].error);
    }
    free(values);
    return sure;
}

static bool all_long(const struct judged_side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->runs[i].span_s < JUDGING_SPAN_S)
            return false;
    return true;
}

static bool shifts_more(const struct judged_side *side, double change)
{
    for (size_t i = 0; i < side->count; i++)
        if (fabs(side->runs[i].shift) > fabs(change))
            return true;
    return false;
}

static double range_of(const double *values, size_t count)
{
    double least = INFINITY, most = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    return most - least;
}

/* Whether neighbours slowed the machine's memory in one of the runs: it then
 * says little of the program.  The host as it is when left alone is the lower
 * quartile of all its runs. */
static bool neighbours_came(const struct judged_side *before,
        const struct judged_side *after, const struct judged_side *history)
{
    const struct judged_side *sides[] = { history, before, after };
    size_t room = history->count + before->count + after->count, count = 0;
    double *all = alloc_zero(room + 1, sizeof(*all)), most = -INFINITY;

    for (size_t i = 0; i < LEN(sides); i++)
        for (size_t k = 0; k < sides[i]->count; k++) {
            double load_ns = sides[i]->runs[k].memory_ns;

            if (!(load_ns > 0))
                continue;
            all[count++] = log(load_ns);
            if (i)
                most = fmax(most, log(load_ns));
        }
    sort_doubles(all, count);

    bool came = count >= INTERVAL_HISTORY &&
                most > interval_sorted_at(all, count, 0.25) + MEMORY_SLOWED;

    free(all);
    return came;
}

static const char *judge_few(struct judged_change *c,
        const struct judged_side *before, const struct judged_side *after,
        const struct judged_side *history)
{
    struct interval_quantile a, b;
    double *past = alloc_zero(history->count + 1, sizeof(*past));
    size_t count = take(past, c->figure, history);
    double range = range_of(past, count);
    bool sure = middle_run(&a, c->figure, before);

    if (!middle_run(&b, c->figure, after))
        sure = false;

    free(past);
    if (count < INTERVAL_HISTORY)
        return "too few runs";
    if (!sure)
        return "too few inferences in a run";
    if (!all_long(before) || !all_long(after))
        return "the runs are too short";
    if (c->figure < JUDGED_MEMORY && neighbours_came(before, after, history))
        return "neighbours slowed the machine's memory in a run";
    c->interval = interval_of_two(&a, &b, range);
    if (c->figure < JUDGED_PERCENTILES &&
            (shifts_more(before, c->interval.middle) ||
                    shifts_more(after, c->interval.middle)))
        return "the level changed within a run by more than that";
    return NULL;
}

/* --- a figure ------------------------------------------------------------- */

double judged_least(enum judged_figure figure, double least)
{
    double own = judged_kinds[figure].least;

    if (figure == JUDGED_P10 && least > 0)
        return least;
    return least > own ? least : own;
}

bool judged_is_small_change(const struct judged_change *c)
{
    return c->verdict == VERDICT_SAME &&
           (c->interval.low > 0 || c->interval.high < 0);
}

static double median_or_nan(const double *ln, size_t count)
{
    return count ? exp(interval_median(ln, count)) : NAN;
}

static const char *judge(struct judged_change *c, const double *x,
        const double *y, const struct judged_side *before,
        const struct judged_side *after, const struct judged_side *history)
{
    bool turns = judged_in_turns(before, after);
    size_t least = turns ? JUDGING_RUNS : JUDGING_APART;

    if (!c->before_runs || !c->after_runs)
        return "it is not known of both";
    if (c->before_runs < least || c->after_runs < least)
        return judge_few(c, before, after, history);
    return interval_ranks(&c->interval, x, c->before_runs, y, c->after_runs,
                   turns ? INTERVAL_MIXED : INTERVAL_APART)
                   ? NULL
                   : "too few runs";
}

void judge_change(struct judged_change *out, enum judged_figure figure,
        const struct judged_side *before, const struct judged_side *after,
        const struct judged_side *history, double least)
{
    double *x = alloc_zero(before->count + 1, sizeof(*x));
    double *y = alloc_zero(after->count + 1, sizeof(*y));

    *out = (struct judged_change){
        .figure = figure,
        .interval = { NAN, NAN, NAN },
        .least = judged_least(figure, least),
        .verdict = VERDICT_CANNOT_TELL,
        .before_runs = take(x, figure, before),
        .after_runs = take(y, figure, after),
    };
    out->before = median_or_nan(x, out->before_runs);
    out->after = median_or_nan(y, out->after_runs);
    out->because = judge(out, x, y, before, after, history);
    if (!out->because)
        out->verdict = verdict_of(&out->interval, out->least);
    if (judged_kinds[figure].more_is_better)
        out->verdict = verdict_turned(out->verdict);
    if (!out->because && out->verdict == VERDICT_CANNOT_TELL)
        out->because = "the runs differ too much";
    free(x);
    free(y);
}
