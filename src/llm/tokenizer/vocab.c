#include "llm/tokenizer/vocab.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MIX UINT64_C(0x9e3779b97f4a7c15)

uint64_t text_hash(struct str text)
{
    uint64_t hash = text.len * MIX, word;
    size_t at = 0;

    for (; at + sizeof(word) <= text.len; at += sizeof(word)) {
        memcpy(&word, text.p + at, sizeof(word));
        hash = (hash ^ word) * MIX;
        hash ^= hash >> 29;
    }
    word = 0;
    for (; at < text.len; at++)
        word = word << 8 | (unsigned char)text.p[at];
    hash = (hash ^ word) * MIX;
    return hash ^ hash >> 32;
}

static struct vocab_entry *seat(const struct vocab *v, struct str text)
{
    size_t i = (size_t)text_hash(text) & (v->cap - 1);

    for (;; i = (i + 1) & (v->cap - 1)) {
        struct vocab_entry *e = &v->entries[i];

        if (e->id == TOKEN_NONE ||
                (e->len == text.len &&
                        (!text.len || memcmp(v->texts.p + e->at, text.p,
                                              text.len) == 0)))
            return e;
    }
}

static void grow(struct vocab *v)
{
    struct vocab_entry *old = v->entries;
    size_t old_cap = v->cap;

    v->cap = old_cap ? 2 * old_cap : 1024;
    v->entries = alloc_zero(v->cap, sizeof(*v->entries));
    for (size_t i = 0; i < v->cap; i++)
        v->entries[i].id = TOKEN_NONE;
    for (size_t i = 0; i < old_cap; i++)
        if (old[i].id != TOKEN_NONE)
            *seat(v, (struct str){ v->texts.p + old[i].at, old[i].len }) =
                    old[i];
    free(old);
}

static void note_id(struct vocab *v, uint32_t id, size_t at, size_t len)
{
    if (id >= v->room) {
        uint32_t room = v->room * 2 > id + 1 ? v->room * 2 : id + 1;

        v->by_id = alloc_resize(v->by_id, room * sizeof(*v->by_id));
        memset(v->by_id + v->room, 0, (room - v->room) * sizeof(*v->by_id));
        v->room = room;
    }
    if (id >= v->size)
        v->size = id + 1;
    if (!v->by_id[id].known)
        v->by_id[id] = (struct vocab_text){ at, (uint32_t)len, true };
}

void vocab_add(struct vocab *v, struct str text, uint32_t id)
{
    if (4 * (v->count + 1) > 3 * v->cap)
        grow(v);

    struct vocab_entry *e = seat(v, text);

    if (e->id == TOKEN_NONE) {
        *e = (struct vocab_entry){ v->texts.len, (uint32_t)text.len, id };
        v->count++;
        buf_add(&v->texts, text.p, text.len);
    }
    e->id = id;
    note_id(v, id, e->at, e->len);
}

uint32_t vocab_find(const struct vocab *v, struct str text)
{
    return v->cap ? seat(v, text)->id : TOKEN_NONE;
}

bool vocab_text(const struct vocab *v, uint32_t id, struct str *out)
{
    if (id >= v->size || !v->by_id[id].known)
        return false;
    *out = (struct str){ v->texts.p + v->by_id[id].at, v->by_id[id].len };
    return true;
}

void vocab_release(struct vocab *v)
{
    buf_release(&v->texts);
    free(v->entries);
    free(v->by_id);
    *v = (struct vocab){ 0 };
}
