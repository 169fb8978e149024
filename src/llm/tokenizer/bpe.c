#include "llm/tokenizer/bpe.h"

#include "base/alloc.h"
#include "llm/tokenizer/bytes.h"
#include "llm/unicode/unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to here looking through all pairs beats a heap. */
#define SHORT_WORD 24

void bpe_release(struct bpe *b)
{
    map_release(&b->merges);
    buf_release(&b->prefix);
    buf_release(&b->suffix);
    buf_release(&b->spare);
    free(b->symbol);
    free(b->heap);
    *b = (struct bpe){ 0 };
}

/* --- from characters to symbols --------------------------------------------
 */

static void add_symbol(struct bpe *b, uint32_t id)
{
    if (b->symbol_count == b->symbol_cap) {
        b->symbol_cap = b->symbol_cap ? 2 * b->symbol_cap : 64;
        b->symbol = alloc_resize(b->symbol, b->symbol_cap * sizeof(*b->symbol));
    }

    int32_t at = (int32_t)b->symbol_count++;

    b->symbol[at] = (struct bpe_symbol){ id, at - 1, at + 1 };
}

static void begin_bytes(struct bpe *b, struct str word)
{
    for (size_t i = 0; i < word.len; i++) {
        uint32_t id = b->byte_id[(unsigned char)word.p[i]];

        if (id == TOKEN_NONE)
            id = b->unknown;
        if (id != TOKEN_NONE)
            add_symbol(b, id);
    }
}

/* A character that stands at [at, end) of the word, with what belongs around
 * it there. */
static uint32_t find_character(struct bpe *b, struct str word, size_t at,
        size_t end)
{
    struct str character = { word.p + at, end - at };

    if ((!b->prefix.len || !at) && (!b->suffix.len || end < word.len))
        return vocab_find(b->vocab, character);
    buf_clear(&b->spare);
    if (at)
        buf_add(&b->spare, b->prefix.p, b->prefix.len);
    buf_add(&b->spare, character.p, character.len);
    if (end == word.len)
        buf_add(&b->spare, b->suffix.p, b->suffix.len);
    return vocab_find(b->vocab, buf_str(&b->spare));
}

/* Adds the bytes of a character that is no token.  False: they are none. */
static bool add_bytes(struct bpe *b, struct str character)
{
    if (!b->byte_fallback)
        return false;
    for (size_t i = 0; i < character.len; i++)
        if (b->byte_id[(unsigned char)character.p[i]] == TOKEN_NONE)
            return false;
    for (size_t i = 0; i < character.len; i++)
        add_symbol(b, b->byte_id[(unsigned char)character.p[i]]);
    return true;
}

/* As the reference does: an unknown one is held back until a known one comes,
 * also past bytes. */
static void begin_characters(struct bpe *b, struct str word)
{
    bool held = false;

    for (size_t at = 0, end = 0; at < word.len; at = end) {
        (void)unicode_next(word, &end);

        uint32_t id = find_character(b, word, at, end);

        if (id != TOKEN_NONE) {
            if (held)
                add_symbol(b, b->unknown);
            held = false;
            add_symbol(b, id);
            continue;
        }
        if (add_bytes(b, (struct str){ word.p + at, end - at }) ||
                b->unknown == TOKEN_NONE)
            continue;
        if (held && !b->fuse_unknown)
            add_symbol(b, b->unknown);
        held = true;
    }
    if (held)
        add_symbol(b, b->unknown);
}

/* --- joining ----------------------------------------------------------------
 */

static const uint64_t *find_merge(const struct bpe *b, uint32_t left,
        uint32_t right)
{
    return map_find(&b->merges, (uint64_t)left << 32 | right);
}

static void join_short(struct bpe *b)
{
    uint64_t merge[SHORT_WORD]; /* of each symbol with the next */
    struct bpe_symbol *s = b->symbol;
    size_t count = b->symbol_count;

    for (size_t i = 0; i + 1 < count; i++) {
        const uint64_t *found = find_merge(b, s[i].id, s[i + 1].id);

        merge[i] = found ? *found : UINT64_MAX;
    }
    while (count > 1) {
        size_t best = 0;

        for (size_t i = 1; i + 1 < count; i++)
            if (merge[i] >> 32 < merge[best] >> 32)
                best = i;
        if (merge[best] == UINT64_MAX)
            break;
        s[best].id = (uint32_t)merge[best];
        count--;
        for (size_t i = best + 1; i < count; i++) {
            s[i].id = s[i + 1].id;
            merge[i - 1] = merge[i];
        }
        for (size_t i = best ? best - 1 : 0; i <= best && i + 1 < count; i++) {
            const uint64_t *found = find_merge(b, s[i].id, s[i + 1].id);

            merge[i] = found ? *found : UINT64_MAX;
        }
    }
    b->symbol_count = count;
}

static void heap_push(struct bpe *b, int32_t left)
{
    int32_t right = left < 0 ? -1 : b->symbol[left].next;

    if (right < 0)
        return;

    const uint64_t *merge =
            find_merge(b, b->symbol[left].id, b->symbol[right].id);

    if (!merge)
        return;
    if (b->heap_count == b->heap_cap) {
        b->heap_cap = b->heap_cap ? 2 * b->heap_cap : 64;
        b->heap = alloc_resize(b->heap, b->heap_cap * sizeof(*b->heap));
    }

    struct bpe_pair pair = { (*merge & 0xffffffff00000000) | (uint32_t)left,
        (uint32_t)*merge };
    size_t i = b->heap_count++;

    for (; i && b->heap[(i - 1) / 2].order > pair.order; i = (i - 1) / 2)
        b->heap[i] = b->heap[(i - 1) / 2];
    b->heap[i] = pair;
}

static struct bpe_pair heap_pop(struct bpe *b)
{
    struct bpe_pair top = b->heap[0], last = b->heap[--b->heap_count];
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < b->heap_count; i = child) {
        if (child + 1 < b->heap_count &&
                b->heap[child + 1].order < b->heap[child].order)
            child++;
        if (last.order <= b->heap[child].order)
            break;
        b->heap[i] = b->heap[child];
    }
    b->heap[i] = last;
    return top;
}

/* Joins a pair, unless one of the two has changed since it was pushed. */
static void join(struct bpe *b, struct bpe_pair pair)
{
    int32_t left = (int32_t)(uint32_t)pair.order;
    struct bpe_symbol *s = b->symbol;
    int32_t right = s[left].id == TOKEN_NONE ? -1 : s[left].next;

    if (right < 0)
        return;

    const uint64_t *merge = find_merge(b, s[left].id, s[right].id);

    if (!merge || (uint32_t)*merge != pair.id)
        return;
    s[left].id = pair.id;
    s[left].next = s[right].next;
    if (s[right].next >= 0)
        s[s[right].next].previous = left;
    s[right].id = TOKEN_NONE;
    heap_push(b, s[left].previous);
    heap_push(b, left);
}

static void join_long(struct bpe *b)
{
    b->symbol[b->symbol_count - 1].next = -1;
    b->heap_count = 0;
    for (size_t i = 0; i + 1 < b->symbol_count; i++)
        heap_push(b, (int32_t)i);
    while (b->heap_count)
        join(b, heap_pop(b));
}

/* --- the whole --------------------------------------------------------------
 */

static bool find_whole(struct bpe *b, struct str word, struct ids *out)
{
    if (b->byte_level) {
        buf_clear(&b->spare);
        bytes_to_characters(&b->spare, word);
        word = buf_str(&b->spare);
    }

    uint32_t id = vocab_find(b->vocab, word);

    if (id != TOKEN_NONE)
        ids_add(out, id);
    return id != TOKEN_NONE;
}

void bpe_encode(struct bpe *b, struct str word, struct ids *out)
{
    if (b->ignore_merges && find_whole(b, word, out))
        return;
    b->symbol_count = 0;
    if (b->byte_level)
        begin_bytes(b, word);
    else
        begin_characters(b, word);
    if (!b->symbol_count)
        return;
    if (b->symbol_count <= SHORT_WORD)
        join_short(b);
    else
        join_long(b);
    for (size_t i = 0; i < b->symbol_count; i++)
        if (b->symbol[i].id != TOKEN_NONE)
            ids_add(out, b->symbol[i].id);
}

bool bpe_may_cut(const struct bpe *b, struct str mark)
{
    if (b->byte_level || b->prefix.len || b->suffix.len || b->ignore_merges ||
            vocab_find(b->vocab, mark) == TOKEN_NONE)
        return false;
    for (size_t i = 0; i < b->merges.cap; i++) {
        struct str text;
        bool other = false;

        if (!b->merges.entries[i].used ||
                !vocab_text(b->vocab, (uint32_t)b->merges.entries[i].value,
                        &text))
            continue;
        while (text.len >= mark.len) {
            bool is_mark = memcmp(text.p, mark.p, mark.len) == 0;

            if (is_mark && other)
                return false;
            other = !is_mark;
            text.p += is_mark ? mark.len : 1;
            text.len -= is_mark ? mark.len : 1;
        }
    }
    return true;
}
