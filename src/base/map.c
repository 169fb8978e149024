#include "base/map.h"

#include "base/alloc.h"

#include <stdlib.h>

static size_t home(const struct map *m, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->cap - 1);
}

/* Where the key is, or the free place where it would go. */
static struct map_entry *seat(const struct map *m, uint64_t key)
{
    size_t i = home(m, key);

    while (m->entries[i].used && m->entries[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return &m->entries[i];
}

uint64_t *map_find(const struct map *m, uint64_t key)
{
    if (!m->cap)
        return NULL;

    struct map_entry *e = seat(m, key);

    return e->used ? &e->value : NULL;
}

static void grow(struct map *m)
{
    struct map old = *m;

    m->cap = old.cap ? 2 * old.cap : 16;
    m->entries = alloc_zero(m->cap, sizeof(*m->entries));
    for (size_t i = 0; i < old.cap; i++)
        if (old.entries[i].used)
            *seat(m, old.entries[i].key) = old.entries[i];
    free(old.entries);
}

void map_put(struct map *m, uint64_t key, uint64_t value)
{
    if (4 * (m->count + 1) > 3 * m->cap)
        grow(m);

    struct map_entry *e = seat(m, key);

    m->count += !e->used;
    *e = (struct map_entry){ key, value, true };
}

/* Moves what follows up, so that no search stops at the gap. */
void map_remove(struct map *m, uint64_t key)
{
    if (!m->cap || !seat(m, key)->used)
        return;

    size_t gap = (size_t)(seat(m, key) - m->entries);

    for (size_t i = (gap + 1) & (m->cap - 1); m->entries[i].used;
            i = (i + 1) & (m->cap - 1)) {
        size_t from_home = (i - home(m, m->entries[i].key)) & (m->cap - 1);
        size_t from_gap = (i - gap) & (m->cap - 1);

        if (from_home >= from_gap) {
            m->entries[gap] = m->entries[i];
            gap = i;
        }
    }
    m->entries[gap].used = false;
    m->count--;
}

void map_release(struct map *m)
{
    free(m->entries);
    *m = (struct map){ 0 };
}
