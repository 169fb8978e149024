#include "analyse/generation/timeline_pieces.h"

#include "base/alloc.h"

#include <stdlib.h>

#define DEEP_MAX 64 /* operators within operators */

static uint64_t end_of(const struct operator_run *r)
{
    return r->start_ns + r->kernel_ns;
}

/* By start; of what starts together, the one around the other first. */
static int in_order(const void *a, const void *b)
{
    const struct operator_run *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->kernel_ns < y->kernel_ns) - (x->kernel_ns > y->kernel_ns);
}

/* Up to that moment it is the operator's. */
static void add(struct timeline_pieces *p, uint64_t *from_ns, uint64_t to_ns,
        const struct operator_run *of)
{
    if (to_ns <= *from_ns)
        return;
    if (p->count == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 256;
        p->items = alloc_resize(p->items, p->cap * sizeof(*p->items));
    }
    p->items[p->count++] = (struct timeline_piece){ *from_ns, to_ns,
        of ? of->operator_id : 0 };
    *from_ns = to_ns;
}

bool timeline_cut(struct timeline_pieces *out, struct operator_run *runs,
        size_t count, uint64_t start_ns, uint64_t end_ns)
{
    const struct operator_run *open[DEEP_MAX];
    size_t depth = 0;
    uint64_t at_ns = start_ns;

    out->count = 0;
    qsort(runs, count, sizeof(*runs), in_order);
    for (size_t i = 0; i < count; i++) {
        const struct operator_run *r = &runs[i];

        for (; depth && end_of(open[depth - 1]) <= r->start_ns; depth--)
            add(out, &at_ns, end_of(open[depth - 1]), open[depth - 1]);
        if (r->start_ns < start_ns || end_of(r) > end_ns || depth == DEEP_MAX ||
                (depth && end_of(r) > end_of(open[depth - 1])))
            return false;
        add(out, &at_ns, r->start_ns, depth ? open[depth - 1] : NULL);
        open[depth++] = r;
    }
    for (; depth; depth--)
        add(out, &at_ns, end_of(open[depth - 1]), open[depth - 1]);
    add(out, &at_ns, end_ns, NULL);
    return true;
}

void timeline_pieces_release(struct timeline_pieces *p)
{
    free(p->items);
    *p = (struct timeline_pieces){ 0 };
}
