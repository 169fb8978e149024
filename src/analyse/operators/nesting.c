#include "analyse/operators/nesting.h"

#include <stdbool.h>
#include <stdlib.h>

static uint64_t end_of(const struct nesting_span *s)
{
    return s->start_ns + s->duration_ns;
}

static int by_start(const void *a, const void *b)
{
    const struct nesting_span *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->duration_ns != y->duration_ns)
        return x->duration_ns > y->duration_ns ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* What takes no time lies in what begins with it, but not in what ends. */
static bool is_within(const struct nesting_span *inner,
        const struct nesting_span *outer, uint64_t slack_ns)
{
    return inner->start_ns < end_of(outer) &&
           end_of(inner) <= end_of(outer) + slack_ns;
}

/* How much of the inner one the outer one has, too. */
static uint64_t shared(const struct nesting_span *inner,
        const struct nesting_span *outer)
{
    uint64_t room = end_of(outer) - inner->start_ns;

    return inner->duration_ns < room ? inner->duration_ns : room;
}

void nesting_find(struct nesting_span *spans, size_t count, uint64_t slack_ns)
{
    uint32_t open = NESTING_NONE; /* the innermost that may have children */

    if (count)
        qsort(spans, count, sizeof(*spans), by_start);
    for (size_t i = 0; i < count; i++) {
        struct nesting_span *s = &spans[i];

        while (open != NESTING_NONE && !is_within(s, &spans[open], slack_ns))
            open = spans[open].parent;
        s->parent = open;
        s->depth = open == NESTING_NONE ? 0 : spans[open].depth + 1;
        s->self_ns = s->duration_ns;
        if (open != NESTING_NONE) {
            uint64_t less = shared(s, &spans[open]);
            uint64_t *self_ns = &spans[open].self_ns;

            *self_ns -= less < *self_ns ? less : *self_ns;
        }
        open = (uint32_t)i;
    }
}
