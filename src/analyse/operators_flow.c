/* operators_flow.c -- what If, Loop and Scan take themselves.
 *
 * In an inference that was only timed that is their kernel, less those in it.
 *
 * Where nodes were described, much of the rest is describing.  Between the
 * kernels of two nodes, one after the other, lies their describing,
 * and next to nothing else.  Between the start of an If and the first kernel in
 * it, and between the last one and the If's end, lies the same once, together,
 * and what the If does itself: it makes a place for its nodes to run in, hands
 * them their inputs, and takes their outputs.  So that is the difference. */
#include "analyse/operators_state.h"

/* Nodes within nodes; deeper ones are nobody's. */
#define DEPTH_MOST 16

/* Nodes of one depth, in the node that is still to come. */
struct row {
    bool any;
    uint64_t first_ns, last_ns;
    double kernels_ns;
};

struct between {
    double ns;
    uint64_t count;
};

static uint64_t end_of(const struct operator_run *x)
{
    return x->start_ns + x->kernel_ns;
}

static double distance(uint64_t from_ns, uint64_t to_ns)
{
    return (double)(int64_t)(to_ns - from_ns);
}

static void add_to_row(struct row *row, struct between *b,
        const struct operator_run *x)
{
    if (row->any) {
        b->ns += distance(row->last_ns, x->start_ns);
        b->count++;
    } else {
        row->first_ns = x->start_ns;
        row->kernels_ns = 0;
    }
    row->any = true;
    row->kernels_ns += (double)x->kernel_ns;
    row->last_ns = end_of(x);
}

static double own_time(const struct operator_run *x, const struct row *inner)
{
    if (!inner->any)
        return 0;
    if (x->raw_unknown)
        return (double)x->kernel_ns - inner->kernels_ns;
    return distance(x->start_ns, inner->first_ns) +
           distance(inner->last_ns, end_of(x));
}

bool operators_flow(double *own_ns, const struct operator_run *runs,
        size_t count)
{
    struct row rows[DEPTH_MOST + 1] = { 0 };
    struct between between = { 0 };

    for (size_t i = 0; i < count; i++) {
        const struct operator_run *x = &runs[i];

        if (!x->bracketed || x->depth >= DEPTH_MOST ||
                x->thread != runs->thread)
            return false;

        struct row *inner = &rows[x->depth + 1];

        own_ns[i] = own_time(x, inner);
        inner->any = false;
        add_to_row(&rows[x->depth], &between, x);
    }
    if (!between.count)
        return false;

    double usual_ns = between.ns / (double)between.count;

    for (size_t i = 0; i < count; i++)
        if (own_ns[i] != 0 && !runs[i].raw_unknown)
            own_ns[i] -= usual_ns;
    return true;
}
