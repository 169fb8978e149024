#include "llm/ids.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void make_room(struct ids *l, size_t count)
{
    if (l->cap - l->count >= count)
        return;
    l->cap = l->cap * 2 > l->count + count ? l->cap * 2 : l->count + count + 16;
    l->id = alloc_resize(l->id, l->cap * sizeof(*l->id));
}

void ids_add(struct ids *l, uint32_t id)
{
    make_room(l, 1);
    l->id[l->count++] = id;
}

void ids_add_all(struct ids *l, const uint32_t *id, size_t count)
{
    if (!count)
        return;
    make_room(l, count);
    memcpy(l->id + l->count, id, count * sizeof(*id));
    l->count += count;
}

void ids_release(struct ids *l)
{
    free(l->id);
    *l = (struct ids){ 0 };
}
