#include "analyse/operator_groups.h"

#include "base/alloc.h"
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

static void add(struct operator_groups *out, const struct operator_figures *x,
        unsigned phase, enum operator_grouping by)
{
    const struct operator_times *t = &x->times[phase];
    struct operator_group *g = NULL;

    for (size_t i = 0; i < out->count && !g; i++)
        if (is_of(&out->items[i], x, by))
            g = &out->items[i];
    if (!g) {
        out->items = alloc_resize(out->items,
                (out->count + 1) * sizeof(*out->items));
        g = &out->items[out->count++];
        *g = (struct operator_group){
            .table = x->session,
            .op_type = by == OPERATORS_BY_TYPE && x->op_type ? x->op_type : "",
            .at = x->place,
        };
    }
    g->operators++;
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

void operator_groups_find(struct operator_groups *out,
        const struct operators *o, uint32_t table, unsigned phase,
        enum operator_grouping by)
{
    *out = (struct operator_groups){ 0 };
    for (size_t i = 0; i < o->count; i++)
        if (belongs(&o->items[i], table, phase, by))
            add(out, &o->items[i], phase, by);
    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items),
                by == OPERATORS_BY_LAYER ? by_layer : by_time);
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
