#include "llm/tokenizer/unigram.h"

#include "base/alloc.h"
#include "base/json_member.h"
#include "base/json_read.h"
#include "llm/setting.h"
#include "llm/unicode/unicode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much less likely than the least likely token an unknown one is. */
#define UNKNOWN_PENALTY 10.0

static int read_piece(struct unigram *u, struct vocab *vocab, struct buf *text,
        struct str value, uint32_t id)
{
    struct str rest = value, one;

    buf_clear(text);
    if (id >= TOKEN_MAX || json_next_element(&rest, &one) <= 0 ||
            json_read_text(text, one) || json_next_element(&rest, &one) <= 0 ||
            str_f64(&u->score[id], one))
        return -EINVAL;
    vocab_add(vocab, buf_str(text), id);
    if (u->score[id] < u->least || id == 0)
        u->least = u->score[id];
    if (text->len > u->longest)
        u->longest = text->len;
    return 0;
}

int unigram_read(struct unigram *u, struct vocab *vocab, struct str model,
        struct error *e)
{
    struct str rest = json_member(model, "vocab"), value;
    struct buf text = { 0 };
    int64_t unknown;
    uint32_t id = 0;
    int rc;

    *u = (struct unigram){ .vocab = vocab, .unknown = TOKEN_NONE };
    while ((rc = json_next_element(&rest, &value)) > 0) {
        if ((id & (id - 1)) == 0 || id == 0)
            u->score = alloc_resize(u->score,
                    (id ? 2 * (size_t)id : 2) * sizeof(*u->score));
        rc = read_piece(u, vocab, &text, value, id);
        if (rc)
            break;
        id++;
    }
    buf_release(&text);
    if (rc)
        return fail(e, rc, "token %u of its Unigram vocabulary is damaged", id);
    if (setting_i64(&unknown, model, "unk_id")) {
        if (unknown < 0 || unknown >= id)
            return fail(e, -EINVAL, "its unk_id %lld is no token",
                    (long long)unknown);
        u->unknown = (uint32_t)unknown;
    }
    u->byte_fallback = setting_bool(model, "byte_fallback", false);
    return 0;
}

void unigram_release(struct unigram *u)
{
    free(u->score);
    free(u->node);
    ids_release(&u->spare);
    *u = (struct unigram){ 0 };
}

static void reach(struct unigram *u, size_t from, size_t end, double score,
        uint32_t id)
{
    struct unigram_node *node = &u->node[end];

    score += u->node[from].score;
    if (node->reached && score <= node->score)
        return;
    *node = (struct unigram_node){ score, id, from, true };
}

/* All tokens that begin here, the shortest first. */
static void extend(struct unigram *u, struct str word, size_t at, size_t next)
{
    size_t most = word.len - at < u->longest ? word.len - at : u->longest;
    bool single = false;

    for (size_t len = 1; len <= most; len++) {
        if (at + len < word.len &&
                ((unsigned char)word.p[at + len] & 0xc0) == 0x80)
            continue;

        uint32_t id = vocab_find(u->vocab, (struct str){ word.p + at, len });

        if (id == TOKEN_NONE)
            continue;
        reach(u, at, at + len, u->score[id], id);
        single = single || at + len == next;
    }
    if (!single)
        reach(u, at, next, u->least - UNKNOWN_PENALTY, u->unknown);
}

static void add_unknown(const struct unigram *u, struct str part,
        struct ids *out)
{
    uint32_t id = vocab_find(u->vocab, part);
    size_t before = out->count;

    for (size_t i = 0; id == TOKEN_NONE && u->byte_fallback && i < part.len;
            i++) {
        char name[8];

        (void)snprintf(name, sizeof(name), "<0x%02X>",
                (unsigned)(unsigned char)part.p[i]);

        uint32_t byte = vocab_find(u->vocab, str_of(name));

        if (byte == TOKEN_NONE) {
            out->count = before;
            break;
        }
        ids_add(out, byte);
    }
    if (out->count > before)
        return;
    if (id == TOKEN_NONE)
        id = u->unknown;
    if (id != TOKEN_NONE)
        ids_add(out, id);
}

void unigram_encode(struct unigram *u, struct str word, struct ids *out)
{
    if (u->node_cap <= word.len) {
        u->node_cap = 2 * word.len + 64;
        u->node = alloc_resize(u->node, u->node_cap * sizeof(*u->node));
    }
    memset(u->node, 0, (word.len + 1) * sizeof(*u->node));
    for (size_t at = 0, next = 0; at < word.len; at = next) {
        (void)unicode_next(word, &next);
        extend(u, word, at, next);
    }

    /* From the end back; unknown ones in a row are one. */
    u->spare.count = 0;
    for (size_t end = word.len; end; end = u->node[end].from)
        ids_add(&u->spare, (uint32_t)end);
    for (size_t i = u->spare.count, from = 0; i--;) {
        size_t end = u->spare.id[i];

        if (u->node[end].id != u->unknown) {
            ids_add(out, u->node[end].id);
            from = end;
        } else if (!i || u->node[u->spare.id[i - 1]].id != u->unknown) {
            add_unknown(u, (struct str){ word.p + from, end - from }, out);
            from = end;
        }
    }
}
