#include "analyse/verdict/comparison.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SURE 1.96 /* standard deviations, for 95 % */

/* --- figures -------------------------------------------------------------- */

static double rate_of(const struct summary *s)
{
    double seconds = (double)(s->last_end_ns - s->first_start_ns) / 1e9;
    double done = (double)(s->inferences - s->failed);

    return done > 0 && seconds > 0 ? done / seconds : NAN;
}

static double joules_of(const struct summary *s)
{
    struct energy_counts counts = summary_energy_counts(s);

    if (!s->energy.account.counted || !counts.inferences)
        return NAN;
    return energy_figures(&s->energy, &counts, &s->prices).inference.gross_j;
}

/* Where there are batches of several. */
static double per_sample(const struct summary *s)
{
    double done = (double)(s->inferences - s->failed);

    return s->latency.count && s->samples > done
                   ? s->latency.mean * done / s->samples
                   : NAN;
}

static void read_figures(double *out, const struct summary *s)
{
    const struct spread_figures *l = &s->latency;
    bool sweep = s->sweep.count != 0;

    out[COMPARISON_MEDIAN] = l->count ? l->median : NAN;
    out[COMPARISON_MEAN] = l->count ? l->mean : NAN;
    out[COMPARISON_P95] = l->count ? l->p95 : NAN;
    out[COMPARISON_P99] = l->count ? l->p99 : NAN;
    out[COMPARISON_RATE] = sweep ? NAN : rate_of(s);
    out[COMPARISON_MEMORY] =
            s->run.peak_rss_bytes ? (double)s->run.peak_rss_bytes : NAN;
    out[COMPARISON_JOULES] = sweep ? NAN : joules_of(s);
    out[COMPARISON_PER_SAMPLE] = per_sample(s);
    out[COMPARISON_TTFT] = s->tokens.ttft.count ? s->tokens.ttft_ns : NAN;
    out[COMPARISON_TPOT] = s->tokens.gaps.count ? s->tokens.tpot_ns : NAN;
}

/* --- how sure the median is ----------------------------------------------- */

/* Between the two ranks the median lies with 95 % confidence, whatever the
 * durations' distribution.  As a part of the median; NaN: too few to tell. */
static double error_of_median(const struct summary *s)
{
    const struct spread *d = &s->spread;
    double n = (double)d->count, reach = SURE / 2 / sqrt(n);
    double low, high;

    if (n < 8)
        return NAN;
    if (d->hist) {
        low = (double)hist_quantile(d->hist, 0.5 - reach);
        high = (double)hist_quantile(d->hist, 0.5 + reach);
    } else { /* its figures were asked for, so they are in order */
        low = (double)d->kept[(size_t)((0.5 - reach) * (n - 1))];
        high = (double)d->kept[(size_t)ceil((0.5 + reach) * (n - 1))];
    }
    return low > 0 ? log(high / low) / 2 : NAN;
}

static void spread_of_medians(struct comparison *c,
        const struct summary *before, const struct summary *after)
{
    struct comparison_change m = c->figure[COMPARISON_MEDIAN];
    double error = hypot(error_of_median(before), error_of_median(after));

    c->has_interval = m.before > 0 && m.after > 0 && !isnan(error);
    if (!c->has_interval)
        return;
    c->low = m.after / m.before * exp(-error);
    c->high = m.after / m.before * exp(error);
}

/* An inference is the same work in both, or the figure is not of inferences. */
bool comparison_holds(const struct comparison *c, enum comparison_figure figure)
{
    const struct difference *d = c->differences;

    switch (figure) {
    case COMPARISON_PER_SAMPLE:
        return !d[DIFFERENCE_MODELS].there && !d[DIFFERENCE_SEQUENCE].there &&
               !d[DIFFERENCE_BYTES].there;
    case COMPARISON_TTFT:
    case COMPARISON_TPOT: return !d[DIFFERENCE_MODELS].there;
    default: return !differences_other_work(d);
    }
}

/* --- operators ------------------------------------------------------------ */

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static const char *model_of(const struct summary *s, uint32_t session)
{
    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].id == session)
            return text_of(s->sessions[i].model);
    return "";
}

static double inferences_of(const struct summary *s, uint32_t session)
{
    const struct operator_table *t = operators_table(&s->operators, session);

    return t ? (double)t->sums[PHASES].count : 0;
}

static struct comparison_operator operator_of(const struct summary *s,
        const struct operator_figures *o)
{
    return (struct comparison_operator){
        .model = model_of(s, o->session),
        .name = text_of(o->name),
        .op_type = text_of(o->op_type),
        .ns = { o->times[PHASES].self_ns / inferences_of(s, o->session), NAN },
    };
}

static int by_name(const void *a, const void *b)
{
    const struct comparison_operator *x = a, *y = b;
    int order = strcmp(x->model, y->model);

    order = order ? order : strcmp(x->name, y->name);
    return order ? order : strcmp(x->op_type, y->op_type);
}

/* Those of a run, each once: shapes and sessions of a model add up. */
static size_t list_operators(struct comparison_operator **out,
        const struct summary *s)
{
    struct comparison_operator *all =
            alloc_zero(s->operators.count + 1, sizeof(*all));
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < s->operators.count; i++) {
        const struct operator_figures *o = &s->operators.items[i];

        if (o->times[PHASES].self_ns > 0 && inferences_of(s, o->session) > 0)
            all[count++] = operator_of(s, o);
    }
    qsort(all, count, sizeof(*all), by_name);
    for (size_t i = 0; i < count; i++)
        if (kept && by_name(&all[kept - 1], &all[i]) == 0)
            all[kept - 1].ns.before += all[i].ns.before;
        else
            all[kept++] = all[i];
    *out = all;
    return kept;
}

static double change_of(const struct comparison_operator *o)
{
    double before = isnan(o->ns.before) ? 0 : o->ns.before;
    double after = isnan(o->ns.after) ? 0 : o->ns.after;

    return fabs(after - before);
}

static int by_change(const void *a, const void *b)
{
    double x = change_of(a), y = change_of(b);

    return x < y ? 1 : x > y ? -1 : by_name(a, b);
}

/* Of a run in which some sessions have no operators, or whose times are from
 * elsewhere, they cannot stand beside those of another. */
static const char *why_not(const struct summary *before,
        const struct summary *after)
{
    const struct summary *both[] = { before, after };
    bool any = before->operators.count || after->operators.count;

    if (any && (before->sweep.count || after->sweep.count))
        return "those of a sweep are of all its points together";
    for (int i = 0; i < 2 && any; i++)
        for (size_t k = 0; k < both[i]->session_count; k++)
            if (summary_no_operators(both[i], &both[i]->sessions[k]))
                return i ? "the second run has inferences whose operators are "
                           "not known"
                         : "the first run has inferences whose operators are "
                           "not known";
    if (any && (!before->operators.count || !after->operators.count))
        return "of one of the runs no operators are known";
    if (any && before->operators.method != after->operators.method)
        return "those of one run were timed, those of the other are a "
               "profile's";
    return NULL;
}

/* Both lists are in order of names: they are gone through side by side. */
static void pair_operators(struct comparison *c, const struct summary *before,
        const struct summary *after)
{
    struct comparison_operator *old, *new;
    size_t old_count = list_operators(&old, before);
    size_t new_count = list_operators(&new, after), i = 0, k = 0;

    c->operators = alloc_zero(old_count + new_count + 1, sizeof(*c->operators));
    while (i < old_count || k < new_count) {
        struct comparison_operator *o = &c->operators[c->operator_count++];
        int order = i == old_count   ? 1
                    : k == new_count ? -1
                                     : by_name(&old[i], &new[k]);

        *o = order <= 0 ? old[i] : new[k];
        o->ns.before = order <= 0 ? old[i].ns.before : NAN;
        o->ns.after = order >= 0 ? new[k].ns.before : NAN;
        i += order <= 0;
        k += order >= 0;
    }
    qsort(c->operators, c->operator_count, sizeof(*c->operators), by_change);
    free(old);
    free(new);
}

/* --- sweeps --------------------------------------------------------------- */

/* Those of the first in their order, then those that only the second has. */
static void pair_points(struct comparison *c, const struct sweep *before,
        const struct sweep *after)
{
    if (!before->count || !after->count)
        return; /* one of them is of a single thing */
    c->points = alloc_zero(before->count + after->count, sizeof(*c->points));
    for (size_t i = 0; i < before->count; i++)
        c->points[c->point_count++] =
                (struct comparison_point){ &before->points[i],
                    sweep_find(after, &before->points[i]) };
    for (size_t i = 0; i < after->count; i++)
        if (!sweep_find(before, &after->points[i]))
            c->points[c->point_count++] =
                    (struct comparison_point){ NULL, &after->points[i] };
}

const char *comparison_point_name(char out[16], const struct comparison *c,
        size_t point)
{
    const struct comparison_point *x = &c->points[point];
    const struct sweep_point *p = x->before ? x->before : x->after;

    if (c->points_are_levels)
        return sweep_level_name(p->level);
    (void)snprintf(out, 16, "%u", (unsigned)p->batch);
    return out;
}

bool comparison_point_interval(const struct comparison *c, size_t point,
        double *low, double *high)
{
    const struct sweep_point *a = c->points[point].before;
    const struct sweep_point *b = c->points[point].after;

    if (!a || !b || a->rounds < 2 || b->rounds < 2 || !(a->low_ns > 0) ||
            !comparison_holds(c, COMPARISON_PER_SAMPLE))
        return false;
    *low = b->low_ns / a->high_ns;
    *high = b->high_ns / a->low_ns;
    return true;
}

void comparison_make(struct comparison *out, const struct summary *before,
        const struct summary *after)
{
    double old[COMPARISON_FIGURES], new[COMPARISON_FIGURES];

    *out = (struct comparison){ 0 };
    read_figures(old, before);
    read_figures(new, after);
    if (isnan(old[COMPARISON_PER_SAMPLE]) !=
            isnan(new[COMPARISON_PER_SAMPLE])) {
        double *one = isnan(old[COMPARISON_PER_SAMPLE]) ? old : new;

        one[COMPARISON_PER_SAMPLE] = one[COMPARISON_MEAN];
    }
    for (int i = 0; i < COMPARISON_FIGURES; i++)
        out->figure[i] = (struct comparison_change){ old[i], new[i] };
    differences_find(out->differences, before, after);
    spread_of_medians(out, before, after);
    pair_points(out, &before->sweep, &after->sweep);
    out->points_are_levels = before->sweep.levels || after->sweep.levels;
    out->no_operators = why_not(before, after);
    if (!out->no_operators)
        pair_operators(out, before, after);
}

void comparison_release(struct comparison *c)
{
    free(c->operators);
    free(c->points);
    differences_release(c->differences);
    *c = (struct comparison){ 0 };
}
