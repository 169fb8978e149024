#include "analyse/generation/section_tree.h"

#include "base/alloc.h"

#include <stdlib.h>

static void take_section(void *to, const struct section *x)
{
    struct section_tree *t = to;

    if (t->count == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 256;
        t->items = alloc_resize(t->items, t->cap * sizeof(*t->items));
    }
    t->items[t->count] = (struct section_node){
        .number = t->count + 1,
        .process = x->process,
        .thread = x->thread,
        .phase = x->phase,
        .start_ns = x->start_ns,
        .end_ns = x->start_ns + x->duration_ns,
        .outer = SIZE_MAX,
    };
    t->count++;
}

static int by_thread(const struct section_node *x, uint32_t process,
        uint32_t thread)
{
    if (x->process != process)
        return x->process < process ? -1 : 1;
    return (x->thread > thread) - (x->thread < thread);
}

/* The longer first of what starts together; a child ends, and comes, before its
 * parent. */
static int in_order(const void *a, const void *b)
{
    const struct section_node *x = a, *y = b;
    int order = by_thread(x, y->process, y->thread);

    if (order)
        return order;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return (x->number < y->number) - (x->number > y->number);
}

/* Up from a place, to the first that lasts as long. */
static size_t climb(const struct section_tree *t, size_t at, uint64_t end_ns)
{
    while (at != SIZE_MAX && t->items[at].end_ns < end_ns)
        at = t->items[at].outer;
    return at;
}

int section_tree_read(struct section_tree *out, struct store *s, int64_t run,
        struct error *e)
{
    *out = (struct section_tree){ 0 };

    int rc = store_each_section(s, run, take_section, out, e);

    if (out->count)
        qsort(out->items, out->count, sizeof(*out->items), in_order);
    for (size_t i = 1; i < out->count; i++) {
        struct section_node *x = &out->items[i];

        if (by_thread(&out->items[i - 1], x->process, x->thread) == 0)
            x->outer = climb(out, i - 1, x->end_ns);
        if (x->outer != SIZE_MAX)
            x->parent = out->items[x->outer].number;
    }
    return rc;
}

void section_tree_release(struct section_tree *t)
{
    free(t->items);
    *t = (struct section_tree){ 0 };
}

struct section_node *section_tree_around(const struct section_tree *t,
        uint32_t process, uint32_t thread, uint64_t start_ns, uint64_t end_ns)
{
    size_t low = 0, high = t->count;

    while (low < high) { /* the first that starts later */
        size_t middle = low + (high - low) / 2;
        const struct section_node *x = &t->items[middle];
        int order = by_thread(x, process, thread);

        if (order > 0 || (order == 0 && x->start_ns > start_ns))
            high = middle;
        else
            low = middle + 1;
    }
    if (!low || by_thread(&t->items[low - 1], process, thread) != 0)
        return NULL;
    low = climb(t, low - 1, end_ns);
    return low == SIZE_MAX ? NULL : &t->items[low];
}
