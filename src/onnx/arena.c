#include "onnx/arena.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 16)

struct arena_chunk {
    struct arena_chunk *before;
    size_t cap;
    alignas(max_align_t) unsigned char bytes[];
};

static struct arena_chunk *chunk_new(struct arena_chunk *before, size_t cap)
{
    struct arena_chunk *c = alloc_zero(1, sizeof(*c) + cap);

    c->before = before;
    c->cap = cap;
    return c;
}

void *arena_take(struct arena *a, size_t count, size_t size)
{
    size_t align = alignof(max_align_t);

    /* More than half of all addresses: no file asks for that. */
    if (size && count > SIZE_MAX / 2 / size)
        return alloc_zero(count, size);

    size_t len = (count * size + align - 1) / align * align;

    a->total += len;
    /* What is large gets a chunk of its own, behind the one in use. */
    if (a->last && len > CHUNK_BYTES / 4) {
        a->last->before = chunk_new(a->last->before, len);
        return a->last->before->bytes;
    }
    if (!a->last || len > a->last->cap - a->used) {
        a->last = chunk_new(a->last, len > CHUNK_BYTES ? len : CHUNK_BYTES);
        a->used = 0;
    }

    void *taken = a->last->bytes + a->used;

    a->used += len;
    return taken;
}

struct str arena_text(struct arena *a, struct str s)
{
    char *copy = arena_take(a, s.len + 1, 1);

    if (s.len)
        memcpy(copy, s.p, s.len);
    return (struct str){ copy, s.len };
}

void arena_release(struct arena *a)
{
    while (a->last) {
        struct arena_chunk *before = a->last->before;

        free(a->last);
        a->last = before;
    }
    a->used = a->total = 0;
}
