/* operators_sum.c -- kernels that were not seen, accounts, the order. */
#include "analyse/operators_state.h"

#include <stdlib.h>

/* What a bracket takes in besides the kernel: two readings of the clock, and
 * code that fell out of the cache while the node was described. */
#define SLOWED_MOST_NS 220.0

/* Two sums of the same are as near to each other. */
#define ROUNDING (1 + 1e-9)

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

/* Takes off what looking into them added to the kernels, where it shows; it
 * goes to the describing, so the account still adds up. */
static void take_off(struct operators *o, uint32_t session,
        struct operator_account *a)
{
    double most = a->plain_median_ns * (double)a->inferences, before = 0;
    double runs = 0, sum = 0;

    a->slowed = 1;
    if (!a->plain_inferences || a->overlapping ||
            a->kernels_ns <= most * ROUNDING)
        return;
    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].session == session && !o->items[i].contains)
            runs += (double)o->items[i].count;
    before = a->kernels_ns;
    a->slowed_each_ns = (before - most) / runs;
    if (a->slowed_each_ns > SLOWED_MOST_NS)
        a->slowed_each_ns = SLOWED_MOST_NS;
    for (size_t i = 0; i < o->count; i++) {
        struct operator_sum *x = &o->items[i];

        if (x->session != session || x->contains)
            continue;
        x->kernel_ns -= a->slowed_each_ns * (double)x->count;
        x->kernel_ns = x->kernel_ns > 0 ? x->kernel_ns : 0;
        sum += x->kernel_ns;
    }
    if (sum > most)
        a->slowed = sum / most;
    for (size_t i = 0; i < o->count && a->slowed > 1; i++)
        if (o->items[i].session == session && !o->items[i].contains)
            o->items[i].kernel_ns /= a->slowed;
    a->kernels_ns = sum / a->slowed;
    a->describing_ns += before - a->kernels_ns;
}

void operators_sum_up(struct operators *o)
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
        if (x->method > a->method)
            a->method = x->method;
    }
    for (size_t i = 0; i < o->account_count; i++) {
        o->accounts[i].control_flow_ns -= o->accounts[i].kernels_ns;
        take_off(o, (uint32_t)i + 1, &o->accounts[i]);
    }
    if (o->count)
        qsort(o->items, o->count, sizeof(*o->items), by_kernel);
}
