/* arena.h -- many small things that live and die together.
 *
 * Starts zeroed: `struct arena a = { 0 };`.  Memory is there or we stop. */
#pragma once

#include "base/str.h"

#include <stddef.h>

struct arena {
    struct arena_chunk *last; /* the one in use; each knows the one before */
    size_t used;              /* bytes of it */
    size_t total;             /* bytes taken in all */
};

/* Zeroed, aligned for any type, valid until arena_release(). */
void *arena_take(struct arena *a, size_t count, size_t size);

/* A copy of the text, with a zero byte behind it that its length leaves out. */
struct str arena_text(struct arena *a, struct str s);

/* Frees all of it; the arena may be used again. */
void arena_release(struct arena *a);
