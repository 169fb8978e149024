#include "sample/process/attached.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void grow(struct attached *a, size_t count)
{
    if (count <= a->count)
        return;
    a->items = alloc_resize(a->items, count * a->size);
    a->subject = alloc_resize(a->subject, count * sizeof(*a->subject));
    memset(a->items + a->count * a->size, 0, (count - a->count) * a->size);
    memset(a->subject + a->count, 0, (count - a->count) * sizeof(*a->subject));
    a->count = count;
}

static void empty(struct attached *a, size_t slot)
{
    void *item = a->items + slot * a->size;

    if (a->subject[slot] && a->release)
        a->release(item);
    memset(item, 0, a->size);
}

void *attached_to(struct attached *a, const struct targets *t,
        const struct target *x)
{
    grow(a, targets_slots(t));
    if (a->subject[x->slot] != x->subject) {
        empty(a, x->slot);
        a->subject[x->slot] = x->subject;
    }
    return a->items + x->slot * a->size;
}

void attached_release(struct attached *a)
{
    for (size_t i = 0; i < a->count; i++)
        empty(a, i);
    free(a->items);
    free(a->subject);
    a->items = NULL;
    a->subject = NULL;
    a->count = 0;
}
