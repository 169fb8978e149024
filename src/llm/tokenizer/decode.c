#include "llm/tokenizer/decode.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "llm/tokenizer/bytes.h"
#include "llm/unicode/unicode.h"

#include <stdlib.h>
#include <string.h>

/* --- texts in a row ---------------------------------------------------------
 */

/* Ends a piece of what was added to p->text. */
static void token_texts_close(struct token_texts *p)
{
    if (p->count == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 16;
        p->end = alloc_resize(p->end, p->cap * sizeof(*p->end));
    }
    p->end[p->count++] = p->text.len;
}

void token_texts_add(struct token_texts *p, struct str text)
{
    buf_add(&p->text, text.p, text.len);
    token_texts_close(p);
}

void token_texts_clear(struct token_texts *p)
{
    buf_clear(&p->text);
    p->count = 0;
}

void token_texts_release(struct token_texts *p)
{
    buf_release(&p->text);
    free(p->end);
    *p = (struct token_texts){ 0 };
}

struct str token_texts_at(const struct token_texts *p, size_t i)
{
    size_t from = i ? p->end[i - 1] : 0;

    return (struct str){ buf_cstr(&p->text) + from, p->end[i] - from };
}

/* --- one kind each ----------------------------------------------------------
 */

/* The bytes that a token stands for; false: not all its characters do. */
static bool add_bytes(struct buf *out, struct str token)
{
    size_t before = out->len;

    for (size_t at = 0; at < token.len;) {
        int byte = byte_of_character(unicode_next(token, &at));

        if (byte < 0) {
            out->len = before;
            return false;
        }
        buf_char(out, (char)byte);
    }
    return true;
}

static void byte_level(struct token_texts *to, const struct token_texts *from)
{
    struct buf bytes = { 0 };

    for (size_t i = 0; i < from->count; i++) {
        struct str token = token_texts_at(from, i);

        if (!add_bytes(&bytes, token))
            buf_add(&bytes, token.p, token.len);
    }
    utf8_add(&to->text, buf_str(&bytes));
    token_texts_close(to);
    buf_release(&bytes);
}

static void replace(struct token_texts *to, struct str token,
        const struct decoder *d)
{
    size_t at = 0, from, end;

    while (pattern_find(&d->pattern, token, at, &from, &end)) {
        buf_add(&to->text, token.p + at, from - at);
        buf_add(&to->text, d->content.p, d->content.len);
        at = end;
    }
    buf_add(&to->text, token.p + at, token.len - at);
    token_texts_close(to);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "<0xE2>": the byte; -1: it is none. */
static int named_byte(struct str token)
{
    if (token.len != 6 || memcmp(token.p, "<0x", 3) != 0 || token.p[5] != '>')
        return -1;

    int high = hex_digit(token.p[3]), low = hex_digit(token.p[4]);

    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* Bytes in a row are one text if they are one; else each is replaced. */
static void close_bytes(struct token_texts *to, struct buf *bytes)
{
    if (!bytes->len)
        return;
    if (utf8_is_sound(buf_str(bytes)))
        token_texts_add(to, buf_str(bytes));
    else
        for (size_t i = 0; i < bytes->len; i++)
            token_texts_add(to, str_of(UTF8_REPLACEMENT));
    buf_clear(bytes);
}

static void byte_fallback(struct token_texts *to,
        const struct token_texts *from)
{
    struct buf bytes = { 0 };

    for (size_t i = 0; i < from->count; i++) {
        int byte = named_byte(token_texts_at(from, i));

        if (byte >= 0) {
            buf_char(&bytes, (char)byte);
            continue;
        }
        close_bytes(to, &bytes);
        token_texts_add(to, token_texts_at(from, i));
    }
    close_bytes(to, &bytes);
    buf_release(&bytes);
}

static bool has(struct str text, const struct buf *part)
{
    return part->len && text.len >= part->len &&
           memcmp(text.p, part->p, part->len) == 0;
}

static void strip(struct token_texts *to, struct str token,
        const struct decoder *d)
{
    size_t len = d->content.len;

    for (int64_t i = 0; i < d->start && has(token, &d->content); i++) {
        token.p += len;
        token.len -= len;
    }
    for (int64_t i = 0; i < d->stop && token.len >= len; i++) {
        struct str tail = { token.p + token.len - len, len };

        if (!has(tail, &d->content))
            break;
        token.len -= len;
    }
    token_texts_add(to, token);
}

static void metaspace(struct token_texts *to, struct str token, bool first,
        const struct decoder *d)
{
    while (token.len) {
        bool mark = has(token, &d->content);
        size_t len = mark ? d->content.len : 1;

        if (!mark)
            buf_char(&to->text, token.p[0]);
        else if (!first || d->keep_first)
            buf_char(&to->text, ' ');
        token.p += len;
        token.len -= len;
    }
    token_texts_close(to);
}

/* As transformers tidies up English. */
static void tidy(struct buf *text)
{
    static const char *const pairs[][2] = { { " .", "." }, { " ?", "?" },
        { " !", "!" }, { " ,", "," }, { " ' ", "'" }, { " n't", "n't" },
        { " 'm", "'m" }, { " do not", " don't" }, { " 's", "'s" },
        { " 've", "'ve" }, { " 're", "'re" } };

    for (size_t i = 0; i < LEN(pairs); i++) {
        struct str rest = buf_str(text);
        struct buf done = { 0 };
        const char *hit;

        while ((hit = str_find(rest, pairs[i][0]))) {
            size_t before = (size_t)(hit - rest.p);

            buf_add(&done, rest.p, before);
            buf_text(&done, pairs[i][1]);
            before += strlen(pairs[i][0]);
            rest = (struct str){ rest.p + before, rest.len - before };
        }
        buf_add(&done, rest.p, rest.len);
        buf_release(text);
        *text = done;
    }
}

static void wordpiece(struct token_texts *to, struct str token, bool first,
        const struct decoder *d)
{
    struct buf text = { 0 };
    size_t skip = !first && has(token, &d->content) ? d->content.len : 0;

    if (!first && !skip)
        buf_char(&text, ' ');
    buf_add(&text, token.p + skip, token.len - skip);
    if (d->cleanup)
        tidy(&text);
    token_texts_add(to, buf_str(&text));
    buf_release(&text);
}

static void bpe_suffix(struct token_texts *to, struct str token, bool last,
        const struct decoder *d)
{
    while (token.len) {
        bool mark = has(token, &d->content);
        size_t len = mark ? d->content.len : 1;

        if (!mark)
            buf_char(&to->text, token.p[0]);
        else if (!last)
            buf_char(&to->text, ' ');
        token.p += len;
        token.len -= len;
    }
    token_texts_close(to);
}

/* --- the whole --------------------------------------------------------------
 */

static void apply_each(const struct decoder *d, const struct token_texts *from,
        struct token_texts *to)
{
    for (size_t i = 0; i < from->count; i++) {
        struct str token = token_texts_at(from, i);

        switch (d->kind) {
        case DECODER_REPLACE: replace(to, token, d); break;
        case DECODER_STRIP: strip(to, token, d); break;
        case DECODER_METASPACE: metaspace(to, token, i == 0, d); break;
        case DECODER_WORDPIECE: wordpiece(to, token, i == 0, d); break;
        case DECODER_BPE: bpe_suffix(to, token, i + 1 == from->count, d); break;
        default: break;
        }
    }
}

static void apply(const struct decoder *d, const struct token_texts *from,
        struct token_texts *to)
{
    switch (d->kind) {
    case DECODER_BYTE_LEVEL: byte_level(to, from); break;
    case DECODER_BYTE_FALLBACK: byte_fallback(to, from); break;
    case DECODER_FUSE: token_texts_add(to, buf_str(&from->text)); break;
    default: apply_each(d, from, to); break;
    }
}

void decode_texts(const struct decoders *d, struct token_texts *tokens,
        struct token_texts *spare, struct buf *out)
{
    for (size_t i = 0; i < d->count; i++) {
        struct token_texts swap = *tokens;

        token_texts_clear(spare);
        apply(&d->item[i], tokens, spare);
        *tokens = *spare;
        *spare = swap;
    }
    for (size_t i = 0; d->spaced && i < tokens->count; i++) {
        if (i)
            buf_char(out, ' ');
        buf_add(out, token_texts_at(tokens, i).p,
                token_texts_at(tokens, i).len);
    }
    if (!d->spaced)
        buf_add(out, tokens->text.p, tokens->text.len);
}
