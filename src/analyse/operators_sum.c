/* operators_sum.c -- kernels that were not seen, accounts, the order. */
#include "analyse/operators_state.h"

#include <stdlib.h>

/* Kernels that exceed the inference by more than this were not seen right. */
#define BELIEVED 1.02

/* --- what is not seen is worked out --------------------------------------- */

/* What describing a node costs in a session, from those that were bracketed. */
static void find_describing(struct operators *o)
{
    for (size_t i = 0; i < o->account_count; i++) {
        struct operator_account *a = &o->accounts[i];
        double sum = 0;
        uint64_t count = 0;

        for (size_t k = 0; k < o->count; k++)
            if (o->items[k].session == i + 1 && !o->items[k].contains) {
                sum += o->items[k].bracketed_raw_ns - o->items[k].bracketed_ns;
                count += o->items[k].bracketed;
            }
        a->describing_each_ns = count && sum > 0 ? sum / (double)count : 0;
    }
}

/* Where nothing was bracketed: such that all nodes together take as long as an
 * inference that was not looked into. */
static void guess_describing(struct operators *o)
{
    for (size_t i = 0; i < o->account_count; i++) {
        struct operator_account *a = &o->accounts[i];
        double raw = 0;
        uint64_t count = 0;

        if (a->describing_each_ns > 0 || !a->plain_inferences || !a->inferences)
            continue;
        for (size_t k = 0; k < o->count; k++)
            if (o->items[k].session == i + 1 && !o->items[k].contains) {
                raw += o->items[k].raw_ns;
                count += o->items[k].count;
            }

        double over = raw - a->plain_median_ns * (double)a->inferences;

        if (count && over > 0)
            a->describing_each_ns = over / (double)count;
    }
}

static void find_kernel(const struct operator_account *a,
        struct operator_sum *o)
{
    if (o->bracketed) {
        o->kernel_ns =
                o->bracketed_ns / (double)o->bracketed * (double)o->count;
        o->method = OPERATOR_BRACKET;
        return;
    }
    o->method = a->describing_each_ns > 0 ? OPERATOR_CONSTANT : OPERATOR_RAW;
    o->kernel_ns = o->raw_ns - a->describing_each_ns * (double)o->count;
    if (o->kernel_ns < 0)
        o->kernel_ns = 0;
}

static int by_kernel(const void *a, const void *b)
{
    double x = ((const struct operator_sum *)a)->kernel_ns;
    double y = ((const struct operator_sum *)b)->kernel_ns;

    return x < y ? 1 : x > y ? -1 : 0;
}

/* --- one inference -------------------------------------------------------- */

static double time_of(const struct operator_account *a, const struct kernels *k)
{
    double hidden =
            k->described_ns - a->describing_each_ns * (double)k->described;

    return k->seen_ns + (hidden > 0 ? hidden : 0);
}

static int by_time(const void *a, const void *b)
{
    double x = ((const struct kernels *)a)->seen_ns;
    double y = ((const struct kernels *)b)->seen_ns;

    return x < y ? -1 : x > y;
}

static int by_session(const void *a, const void *b)
{
    uint32_t x = ((const struct kernels *)a)->session;
    uint32_t y = ((const struct kernels *)b)->session;

    return x < y ? -1 : x > y ? 1 : by_time(a, b);
}

/* The median, since it is compared with one: a mean would count whatever else
 * the machine did meanwhile. */
static void find_typical(struct operators *o, struct kernels *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        all[i].seen_ns = time_of(&o->accounts[all[i].session - 1], &all[i]);
    if (count)
        qsort(all, count, sizeof(*all), by_session);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && all[end].session == all[i].session;)
            end++;
        o->accounts[all[i].session - 1].typical_kernels_ns =
                (all[(i + end - 1) / 2].seen_ns + all[(i + end) / 2].seen_ns) /
                2;
    }
}

/* --- brackets that cannot be true ----------------------------------------- */

/* After the describing a kernel finds the caches cold.  Many that take less
 * than a microsecond may so add up to far more than the inference: then only
 * their proportions are believed, and they are made to fit. */
static void fit(struct operators *o, uint32_t session,
        struct operator_account *a)
{
    double seen = a->typical_kernels_ns;

    if (!a->plain_inferences || a->overlapping ||
            a->method != OPERATOR_BRACKET ||
            seen <= a->plain_median_ns * BELIEVED)
        return;

    double factor = a->plain_median_ns / seen;
    double off = a->kernels_ns * (1 - factor);

    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].session == session && !o->items[i].contains) {
            o->items[i].kernel_ns *= factor;
            o->items[i].method = OPERATOR_FITTED;
        }
    a->method = OPERATOR_FITTED;
    a->seen_kernels_ns = seen;
    a->typical_kernels_ns = a->plain_median_ns;
    a->kernels_ns -= off;
    a->describing_ns += off;
}

void operators_sum_up(struct operators *o, struct kernels *kernels,
        size_t count)
{
    find_describing(o);
    guess_describing(o);
    for (size_t i = 0; i < o->count; i++) {
        struct operator_sum *x = &o->items[i];

        if (!x->session)
            continue; /* of none that we know */

        struct operator_account *a = operators_account(o, x->session);

        find_kernel(a, x);
        if (x->contains)
            continue;

        /* Of those times that were not seen. */
        double describing = x->raw_ns - x->bracketed_raw_ns -
                            (x->kernel_ns - x->bracketed_ns);

        a->kernels_ns += x->kernel_ns;
        if (x->method != OPERATOR_RAW) {
            a->describing_ns += describing;
            a->control_flow_ns -= describing;
        }
        if (x->count && x->method > a->method)
            a->method = x->method;
    }
    for (size_t i = 0; i < o->account_count; i++)
        o->accounts[i].control_flow_ns -= o->accounts[i].kernels_ns;
    find_typical(o, kernels, count);
    for (size_t i = 0; i < o->account_count; i++)
        fit(o, (uint32_t)i + 1, &o->accounts[i]);
    if (o->count)
        qsort(o->items, o->count, sizeof(*o->items), by_kernel);
}
