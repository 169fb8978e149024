#include "llm/tokenizer/tokenizer.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "llm/tokenizer/tokenizer_state.h"

#include <stdlib.h>
#include <string.h>

/* --- words ------------------------------------------------------------------
 */

static void encode_word(struct tokenizer *t, struct str word, struct ids *out)
{
    switch (t->model) {
    case TOKENIZER_BPE: bpe_encode(&t->bpe, word, out); break;
    case TOKENIZER_UNIGRAM: unigram_encode(&t->unigram, word, out); break;
    case TOKENIZER_WORDPIECE: wordpiece_encode(&t->wordpiece, word, out); break;
    }
}

static void forget_words(struct word_cache *c)
{
    if (!c->place)
        c->place = alloc_zero(CACHE_PLACES, sizeof(*c->place));
    else
        memset(c->place, 0, CACHE_PLACES * sizeof(*c->place));
    buf_clear(&c->texts);
    c->ids.count = 0;
}

static void remember(struct word_cache *c, struct cached_word *place,
        struct str word, const uint32_t *id, size_t count)
{
    *place = (struct cached_word){ (uint32_t)c->texts.len,
        (uint32_t)c->ids.count, (uint16_t)word.len, (uint16_t)count };
    buf_add(&c->texts, word.p, word.len);
    ids_add_all(&c->ids, id, count);
}

struct encoding {
    struct tokenizer *t;
    struct ids *out;
    bool whole; /* at its beginning, the text's own is */
    size_t at;  /* of the piece, in the text */
};

static void take_word(void *context, struct str word)
{
    struct encoding *e = context;
    struct word_cache *c = &e->t->cache;

    if (word.len > CACHE_WORD) {
        encode_word(e->t, word, e->out);
        return;
    }
    if (!c->place || c->texts.len > CACHE_BYTES)
        forget_words(c);

    struct cached_word *place = &c->place[text_hash(word) & (CACHE_PLACES - 1)];

    if (place->len == word.len &&
            memcmp(c->texts.p + place->at, word.p, word.len) == 0) {
        if (place->count)
            ids_add_all(e->out, c->ids.id + place->ids, place->count);
        return;
    }

    size_t before = e->out->count;

    encode_word(e->t, word, e->out);
    remember(c, place, word,
            e->out->count > before ? e->out->id + before : NULL,
            e->out->count - before);
}

/* Without a pre-tokeniser a text is one word, unless the model's tokens allow
 * to cut it where words begin. */
static void take_piece(void *context, struct str piece)
{
    struct encoding *e = context;
    struct str mark = e->t->cut_mark;
    bool other = false;
    size_t from = 0;

    if (!mark.len) {
        take_word(context, piece);
        return;
    }
    for (size_t at = 0; at < piece.len;) {
        bool is_mark = piece.p[at] == mark.p[0] && piece.len - at >= mark.len &&
                       memcmp(piece.p + at, mark.p, mark.len) == 0;

        if (is_mark && other) {
            take_word(context, (struct str){ piece.p + from, at - from });
            from = at;
        }
        other = !is_mark;
        at += is_mark ? mark.len : 1;
    }
    take_word(context, (struct str){ piece.p + from, piece.len - from });
}

/* --- texts ------------------------------------------------------------------
 */

static void take_normal(void *context, struct str part, size_t from,
        const struct added_token *token)
{
    struct encoding *e = context;

    if (token)
        ids_add(e->out, token->id);
    else
        pretokenise(&e->t->pretokeniser, part, e->whole && from == 0,
                take_piece, e);
}

static void take_raw(void *context, struct str part, size_t from,
        const struct added_token *token)
{
    struct encoding *e = context;
    struct tokenizer *t = e->t;

    if (token) {
        ids_add(e->out, token->id);
        return;
    }
    e->whole = from == 0;
    if (t->normalisers.count) {
        normalise(&t->normalisers, &t->normal, &t->spare, part);
        part = buf_str(&t->normal);
    }
    added_cut(&t->added, true, part, take_normal, e);
}

void tokenizer_encode(struct tokenizer *t, struct str text, bool special,
        struct ids *out)
{
    struct encoding e = { .t = t, .out = out };

    if (!utf8_is_sound(text)) {
        buf_clear(&t->sound);
        utf8_add(&t->sound, text);
        text = buf_str(&t->sound);
    }
    if (special)
        ids_add_all(out, t->prefix.id, t->prefix.count);
    if (text.len)
        added_cut(&t->added, false, text, take_raw, &e);
    if (special)
        ids_add_all(out, t->suffix.id, t->suffix.count);
}

void tokenizer_decode(struct tokenizer *t, const uint32_t *id, size_t count,
        bool skip_special, struct buf *out)
{
    struct str text;

    token_texts_clear(&t->pieces);
    for (size_t i = 0; i < count; i++) {
        if (skip_special && id[i] < t->special_count && t->special[id[i]])
            continue;
        if (vocab_text(&t->added_texts, id[i], &text) ||
                vocab_text(&t->vocab, id[i], &text))
            token_texts_add(&t->pieces, text);
    }
    decode_texts(&t->decoders, &t->pieces, &t->spare_pieces, out);
}

bool tokenizer_id(const struct tokenizer *t, struct str text, uint32_t *out)
{
    uint32_t id = vocab_find(&t->added_texts, text);

    if (id == TOKEN_NONE)
        id = vocab_find(&t->vocab, text);
    if (id == TOKEN_NONE)
        return false;
    *out = id;
    return true;
}

uint32_t tokenizer_size(const struct tokenizer *t)
{
    uint32_t added = t->added_texts.size;

    return added > t->vocab.size ? added : t->vocab.size;
}

const struct ids *tokenizer_prefix(const struct tokenizer *t)
{
    return &t->prefix;
}

void tokenizer_free(struct tokenizer *t)
{
    if (!t)
        return;
    vocab_release(&t->vocab);
    vocab_release(&t->added_texts);
    added_release(&t->added);
    free(t->special);
    normalisers_release(&t->normalisers);
    pretokeniser_release(&t->pretokeniser);
    bpe_release(&t->bpe);
    unigram_release(&t->unigram);
    wordpiece_release(&t->wordpiece);
    ids_release(&t->prefix);
    ids_release(&t->suffix);
    decoders_release(&t->decoders);
    free(t->cache.place);
    buf_release(&t->cache.texts);
    ids_release(&t->cache.ids);
    buf_release(&t->sound);
    buf_release(&t->normal);
    buf_release(&t->spare);
    token_texts_release(&t->pieces);
    token_texts_release(&t->spare_pieces);
    free(t);
}

/* --- token by token ---------------------------------------------------------
 */

static bool ends_half(const struct buf *text)
{
    return text->len >= 3 &&
           memcmp(text->p + text->len - 3, UTF8_REPLACEMENT, 3) == 0;
}

/* What was handed out last stays before what comes, as far as it is needed to
 * read it: a decoder may treat a text's beginning in another way. */
void token_stream_add(struct token_stream *s, struct tokenizer *t,
        bool skip_special, uint32_t id, struct buf *out)
{
    struct buf text = { 0 };

    if (!s->prefix.len && s->ids.count) {
        tokenizer_decode(t, s->ids.id, s->ids.count, skip_special, &text);
        if (!ends_half(&text)) {
            buf_clear(&s->prefix);
            buf_add(&s->prefix, text.p, text.len);
            s->prefix_count = s->ids.count;
        }
        buf_clear(&text);
    }
    ids_add(&s->ids, id);
    tokenizer_decode(t, s->ids.id, s->ids.count, skip_special, &text);
    if (text.len > s->prefix.len && !ends_half(&text)) {
        size_t kept = s->ids.count - s->prefix_count;

        buf_add(out, text.p + s->prefix.len, text.len - s->prefix.len);
        memmove(s->ids.id, s->ids.id + s->prefix_count,
                kept * sizeof(*s->ids.id));
        s->ids.count = kept;
        buf_clear(&s->prefix);
        tokenizer_decode(t, s->ids.id, kept, skip_special, &s->prefix);
        s->prefix_count = kept;
    }
    buf_release(&text);
}

void token_stream_release(struct token_stream *s)
{
    ids_release(&s->ids);
    buf_release(&s->prefix);
    *s = (struct token_stream){ 0 };
}
