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
    if (o->timed) {
        o->kernel_ns = o->timed_ns / (double)o->timed * (double)o->count;
        o->method = OPERATOR_TIMED;
        return;
    }
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

/* To those times that ONNX Runtime did not describe. */
static void extend_raw(struct operator_sum *o)
{
    uint64_t described = o->count - o->timed;

    if (described)
        o->raw_ns *= (double)o->count / (double)described;
}

static int by_self(const void *a, const void *b)
{
    double x = ((const struct operator_sum *)a)->self_ns;
    double y = ((const struct operator_sum *)b)->self_ns;

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
    const struct kernels *k = a, *l = b;
    double x = k->seen_ns + k->flow_ns, y = l->seen_ns + l->flow_ns;

    return x < y ? -1 : x > y;
}

/* Of a session, first those that were timed. */
static int by_session(const void *a, const void *b)
{
    const struct kernels *x = a, *y = b;

    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return x->timed != y->timed ? (int)y->timed - (int)x->timed : by_time(a, b);
}

/* The median, since it is compared with one: a mean would count whatever else
 * the machine did meanwhile. */
static void find_typical(struct operators *o, struct kernels *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct kernels *k = &all[i];

        k->seen_ns = k->speed * time_of(&o->accounts[k->session - 1], k);
        k->flow_ns *= k->speed;
    }
    if (count)
        qsort(all, count, sizeof(*all), by_session);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && all[end].session == all[i].session;)
            end++;

        struct operator_account *a = &o->accounts[all[i].session - 1];
        size_t last = a->timed ? i + a->timed : end;
        const struct kernels *low = &all[(i + last - 1) / 2];
        const struct kernels *high = &all[(i + last) / 2];

        a->typical_kernels_ns = (low->seen_ns + high->seen_ns) / 2;
        a->typical_flow_ns = (low->flow_ns + high->flow_ns) / 2;
        if (a->typical_flow_ns < 0) /* too little to be told */
            a->typical_flow_ns = 0;
    }
}

/* --- brackets that cannot be true ----------------------------------------- */

/* What is left of a kernel that took `ns`, less the constant: but at least half
 * of it, for there it was. */
static double less(double ns, double constant_ns)
{
    return constant_ns < ns / 2 ? ns - constant_ns : ns / 2;
}

/* Of all kernels of the session. */
static double sum_less(const struct operators *o, uint32_t session,
        double constant_ns)
{
    double sum = 0;

    for (size_t i = 0; i < o->count; i++) {
        const struct operator_sum *x = &o->items[i];
        double n = (double)x->count;

        if (x->session == session && !x->contains && x->count)
            sum += n * less(x->kernel_ns / n, constant_ns);
    }
    return sum;
}

/* The constant that leaves the share of all kernels. */
static double find_constant(const struct operators *o, uint32_t session,
        double wanted_ns)
{
    double low = 0, high = 1;

    while (sum_less(o, session, high) > wanted_ns && high < 1e9)
        high *= 2;
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;

        if (sum_less(o, session, middle) > wanted_ns)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* After the describing a kernel finds the caches cold.  Many that take less
 * than a microsecond may so add up to far more than the inference: then each
 * gives as much, such that they fit. */
static void fit(struct operators *o, uint32_t session,
        struct operator_account *a)
{
    double seen = a->typical_kernels_ns + a->typical_flow_ns;
    double room = a->plain_median_ns - a->typical_flow_ns;

    if (!a->plain_inferences || a->overlapping || a->timed ||
            a->method != OPERATOR_BRACKET ||
            seen <= a->plain_median_ns * BELIEVED || room <= 0)
        return;

    double wanted = a->kernels_ns * room / a->typical_kernels_ns;
    double constant = find_constant(o, session, wanted);
    double scale = wanted / sum_less(o, session, constant);

    for (size_t i = 0; i < o->count; i++) {
        struct operator_sum *x = &o->items[i];
        double n = (double)x->count;

        if (x->session != session || x->contains || !x->count)
            continue;
        x->kernel_ns = n * less(x->kernel_ns / n, constant) * scale;
        x->method = OPERATOR_FITTED;
    }
    a->method = OPERATOR_FITTED;
    a->seen_ns = seen;
    a->fitted_each_ns = constant;
    a->typical_kernels_ns = room;
    a->describing_ns += a->kernels_ns - wanted;
    a->kernels_ns = wanted;
}

static void find_self(struct operators *o)
{
    for (size_t i = 0; i < o->count; i++) {
        struct operator_sum *x = &o->items[i];

        x->self_ns = !x->contains     ? x->kernel_ns
                     : x->flow_ns > 0 ? x->flow_ns
                                      : 0;
    }
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

        /* What was seen beyond that, or not seen to be the kernel. */
        double describing = x->raw_ns - x->bracketed_raw_ns + x->bracketed_ns +
                            x->timed_ns - x->kernel_ns;

        a->kernels_ns += x->kernel_ns;
        if (x->method != OPERATOR_RAW) {
            a->describing_ns += describing;
            a->control_flow_ns -= describing;
        }
        if (x->count && x->method > a->method)
            a->method = x->method;
    }
    for (size_t i = 0; i < o->count; i++)
        extend_raw(&o->items[i]);
    for (size_t i = 0; i < o->account_count; i++)
        o->accounts[i].control_flow_ns -= o->accounts[i].kernels_ns;
    find_typical(o, kernels, count);
    for (size_t i = 0; i < o->account_count; i++)
        fit(o, (uint32_t)i + 1, &o->accounts[i]);
    find_self(o);
    if (o->count)
        qsort(o->items, o->count, sizeof(*o->items), by_self);
}
