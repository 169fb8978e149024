#include "onnx/symbols.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a, and its high bits folded in: the table takes the low ones. */
static uint32_t hash(struct str text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < text.len; i++)
        h = (h ^ (unsigned char)text.p[i]) * UINT64_C(0x100000001b3);
    return (uint32_t)(h ^ h >> 32);
}

/* Where the text is, or the free slot where it would go. */
static uint32_t *seat(const struct symbols *s, struct str text)
{
    uint32_t i = hash(text) & (s->slots_cap - 1);

    while (s->slots[i] && !str_eq(s->texts[s->slots[i]], text))
        i = (i + 1) & (s->slots_cap - 1);
    return &s->slots[i];
}

static void grow_slots(struct symbols *s)
{
    free(s->slots);
    s->slots_cap = s->slots_cap ? 2 * s->slots_cap : 256;
    s->slots = alloc_zero(s->slots_cap, sizeof(*s->slots));
    for (uint32_t i = 1; i < s->count; i++)
        *seat(s, s->texts[i]) = i;
}

static uint32_t append(struct symbols *s, struct str text)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 256;
        s->texts = alloc_resize(s->texts, s->cap * sizeof(*s->texts));
    }
    s->texts[s->count] = arena_text(&s->arena, text);
    return s->count++;
}

uint32_t symbol_add(struct symbols *s, struct str text)
{
    if (!s->count)
        (void)append(s, str_of(""));
    if (!text.len)
        return SYMBOL_EMPTY;
    if (4 * ((uint64_t)s->count + 1) > 3 * (uint64_t)s->slots_cap)
        grow_slots(s);

    uint32_t *slot = seat(s, text);

    if (!*slot)
        *slot = append(s, text);
    return *slot;
}

uint32_t symbol_find(const struct symbols *s, struct str text)
{
    return text.len && s->slots_cap ? *seat(s, text) : SYMBOL_EMPTY;
}

struct str symbol_text(const struct symbols *s, uint32_t symbol)
{
    return symbol < s->count ? s->texts[symbol] : str_of("");
}

void symbols_release(struct symbols *s)
{
    free(s->texts);
    free(s->slots);
    arena_release(&s->arena);
    *s = (struct symbols){ 0 };
}
