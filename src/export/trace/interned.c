#include "export/trace/interned.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t interned_number(struct interned *x, const char *text, bool *fresh)
{
    uint64_t hash = hash_of(text);
    const uint64_t *found;

    /* Another text may have the same hash: then the next one is ours. */
    while ((found = map_find(&x->by_hash, hash))) {
        if (strcmp(x->texts[*found - 1], text) == 0)
            return *found;
        hash++;
    }
    x->texts = alloc_resize(x->texts, (x->count + 1) * sizeof(*x->texts));
    x->texts[x->count++] = alloc_text(text);
    map_put(&x->by_hash, hash, x->count);
    *fresh = true;
    return x->count;
}

void interned_release(struct interned *x)
{
    for (size_t i = 0; i < x->count; i++)
        free(x->texts[i]);
    free(x->texts);
    map_release(&x->by_hash);
    *x = (struct interned){ 0 };
}
