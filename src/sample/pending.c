#include "sample/pending.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MUCH 16384

void pending_release(struct pending *p)
{
    free(p->items);
    *p = (struct pending){ 0 };
}

void pending_add(struct pending *p, const struct batch *batch)
{
    size_t count = p->count + batch->count;

    if (count > p->cap) {
        p->cap = 2 * count;
        p->items = alloc_resize(p->items, p->cap * sizeof(*p->items));
    }
    if (batch->count)
        memcpy(p->items + p->count, batch->items,
                batch->count * sizeof(*batch->items));
    p->count = count;
}

bool pending_is_much(const struct pending *p)
{
    return p->count >= MUCH;
}
