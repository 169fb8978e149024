#include "collect/texts.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX  ((size_t)64 * 1024)
#define TEXTS_MAX ((size_t)64 * 1024 * 1024)
#define TEXT_COST 64 /* what a text takes beside its bytes */

struct text {
    uint32_t len;
    uint32_t got;
    char bytes[];
};

static struct text *find(const struct texts *t, uint64_t hash)
{
    uint64_t *found = map_find(&t->by_hash, hash);

    return found ? (struct text *)(uintptr_t)*found : NULL;
}

bool texts_take(struct texts *t, const struct record *piece)
{
    uint64_t hash = piece->text.hash;
    uint32_t len = piece->text.len, at = piece->text.at;
    struct text *text = find(t, hash);

    if (!text) {
        if (!hash || len > TEXT_MAX || at ||
                t->bytes + len + TEXT_COST > TEXTS_MAX)
            return false;
        text = alloc_zero(1, sizeof(*text) + len + 1);
        text->len = len;
        t->bytes += len + TEXT_COST;
        map_put(&t->by_hash, hash, (uintptr_t)text);
    }
    /* Sent twice, by two threads at once: the pieces in their order count. */
    if (len != text->len || at > text->got)
        return false;
    if (at < text->got)
        return true;

    uint32_t n = text->len - text->got;

    if (n > RECORD_TEXT_BYTES)
        n = RECORD_TEXT_BYTES;
    memcpy(text->bytes + text->got, piece->text.bytes, n);
    text->got += n;
    return true;
}

const char *texts_find(const struct texts *t, uint64_t hash)
{
    const struct text *text = hash ? find(t, hash) : NULL;

    return text && text->got == text->len ? text->bytes : NULL;
}

void texts_release(struct texts *t)
{
    for (size_t i = 0; i < t->by_hash.cap; i++)
        if (t->by_hash.entries[i].used)
            free((void *)(uintptr_t)t->by_hash.entries[i].value);
    map_release(&t->by_hash);
    t->bytes = 0;
}
