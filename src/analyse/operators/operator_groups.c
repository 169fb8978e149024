#include "analyse/operators/operator_groups.h"

#include "base/alloc.h"
#include "base/hist.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool belongs(const struct operator_figures *x, uint32_t table,
        unsigned phase, enum operator_grouping by)
{
    if ((table && x->session != table) || !x->times[phase].count)
        return false;
    return by == OPERATORS_BY_TYPE ||
           (by == OPERATORS_BY_LAYER ? x->place.layer >= 0
                                     : x->place.component != ARCH_NONE);
}

static bool is_of(const struct operator_group *g,
        const struct operator_figures *x, enum operator_grouping by)
{
    if (g->table != x->session)
        return false;
    if (by == OPERATORS_BY_TYPE)
        return strcmp(g->op_type, x->op_type ? x->op_type : "") == 0;
    return by == OPERATORS_BY_LAYER ? g->at.layer == x->place.layer
                                    : g->at.component == x->place.component;
}

/* What becomes a group's median and deviation, while operators are added. */
struct group_sums {
    struct hist spread;
    double squares;
    double median_ns; /* of its only operator */
    bool kept;        /* how all of them spread */
};

struct finding {
    struct operator_groups *out;
    struct group_sums **sums; /* by group */
    enum operator_grouping by;
    unsigned phase;
};

static size_t group_of(struct finding *f, const struct operator_figures *x)
{
    struct operator_groups *out = f->out;

    for (size_t i = 0; i < out->count; i++)
        if (is_of(&out->items[i], x, f->by))
            return i;
    out->items =
            alloc_resize(out->items, (out->count + 1) * sizeof(*out->items));
    out->items[out->count] = (struct operator_group){
        .table = x->session,
        .op_type = f->by == OPERATORS_BY_TYPE && x->op_type ? x->op_type : "",
        .at = x->place,
        .min_ns = x->times[f->phase].min_ns,
    };
    f->sums[out->count] = alloc_zero(1, sizeof(**f->sums));
    f->sums[out->count]->kept = true;
    return out->count++;
}

static void add_spread(struct group_sums *s, const struct operator_figures *x,
        unsigned phase)
{
    const struct operator_times *t = &x->times[phase];
    double n = (double)t->count;
    unsigned first = phase < PHASES ? phase : 0;
    unsigned last = phase < PHASES ? phase : PHASES - 1;

    s->median_ns = t->median_ns;
    s->squares +=
            t->stddev_ns * t->stddev_ns * (n - 1) + t->self_ns * t->self_ns / n;
    for (unsigned p = first; p <= last; p++)
        if (x->times[p].count)
            s->kept &= x->times[p].spread &&
                       !hist_read(&s->spread, str_of(x->times[p].spread));
}

static void add(struct finding *f, const struct operator_figures *x)
{
    unsigned phase = f->phase;
    const struct operator_times *t = &x->times[phase];
    size_t place = group_of(f, x);
    struct operator_group *g = &f->out->items[place];

    add_spread(f->sums[place], x, phase);
    g->min_ns = t->min_ns < g->min_ns ? t->min_ns : g->min_ns;
    g->max_ns = t->max_ns > g->max_ns ? t->max_ns : g->max_ns;
    g->operators++;
    g->cycles += x->cycles;
    g->runs += t->count;
    g->self_ns += t->self_ns;

    double flops = operator_flops_in(x, phase);

    if (isnan(flops) || !(flops > 0))
        return;
    g->flops += flops * (double)t->count;
    g->flops_ns += t->self_ns;
}

static int by_time(const void *a, const void *b)
{
    const struct operator_group *x = a, *y = b;

    return x->self_ns < y->self_ns ? 1 : x->self_ns > y->self_ns ? -1 : 0;
}

static int by_layer(const void *a, const void *b)
{
    const struct operator_group *x = a, *y = b;

    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    return x->at.layer < y->at.layer ? -1 : x->at.layer > y->at.layer;
}

static double within(double value, double least, double greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

static void close_group(struct operator_group *g, const struct group_sums *s)
{
    double n = (double)g->runs;
    double off =
            n > 1 ? (s->squares - g->self_ns * g->self_ns / n) / (n - 1) : 0;

    g->stddev_ns = off > 0 ? sqrt(off) : 0;
    g->median_ns =
            g->operators == 1 ? s->median_ns
            : s->kept && s->spread.count
                    ? within(hist_median(&s->spread), g->min_ns, g->max_ns)
                    : NAN;
}

void operator_groups_find(struct operator_groups *out,
        const struct operators *o, uint32_t table, unsigned phase,
        enum operator_grouping by)
{
    struct finding f = { .out = out, .by = by, .phase = phase };

    /* There are no more groups than operators. */
    f.sums = alloc_zero(o->count + 1, sizeof(struct group_sums *));
    *out = (struct operator_groups){ 0 };
    for (size_t i = 0; i < o->count; i++)
        if (belongs(&o->items[i], table, phase, by))
            add(&f, &o->items[i]);
    for (size_t i = 0; i < out->count; i++) {
        close_group(&out->items[i], f.sums[i]);
        free(f.sums[i]);
    }
    free(f.sums);
    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items),
                by == OPERATORS_BY_LAYER ? by_layer : by_time);
}

double operator_groups_rest_ns(const struct operator_groups *g, size_t shown,
        double all_ns)
{
    for (size_t i = 0; i < shown && i < g->count; i++)
        all_ns -= g->items[i].self_ns;
    return all_ns > 0 ? all_ns : 0;
}

static int by_phase(const void *a, const void *b, void *context)
{
    const struct operator_figures *const *x = a, *const *y = b;
    unsigned phase = *(const unsigned *)context;
    double m = (*x)->times[phase].self_ns, n = (*y)->times[phase].self_ns;

    return m < n ? 1 : m > n ? -1 : (*x)->id < (*y)->id ? -1 : 1;
}

const struct operator_figures **operators_sorted(const struct operators *o,
        uint32_t table, unsigned phase, size_t *count)
{
    const struct operator_figures **all =
            alloc_zero(o->count + 1, sizeof(struct operator_figures *));

    *count = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].session == table && o->items[i].times[phase].count)
            all[(*count)++] = &o->items[i];
    sort_with((void *)all, *count, sizeof(struct operator_figures *), by_phase,
            &phase);
    return all;
}

void operator_groups_release(struct operator_groups *g)
{
    free(g->items);
    *g = (struct operator_groups){ 0 };
}
