#include "llm/tokenizer/wordpiece.h"

#include "base/json_member.h"
#include "llm/setting.h"
#include "llm/unicode/unicode.h"

#include <errno.h>

int wordpiece_read(struct wordpiece *w, const struct vocab *vocab,
        struct str model, struct error *e)
{
    struct buf text = { 0 };
    int64_t most = 100;

    *w = (struct wordpiece){ .vocab = vocab, .unknown = TOKEN_NONE };
    if (json_member_text(&text, model, "unk_token"))
        w->unknown = vocab_find(vocab, buf_str(&text));
    buf_release(&text);
    if (!json_member_text(&w->prefix, model, "continuing_subword_prefix"))
        buf_text(&w->prefix, "##");
    (void)setting_i64(&most, model, "max_input_chars_per_word");
    w->most_characters = most > 0 ? (uint64_t)most : 0;
    if (w->unknown == TOKEN_NONE)
        return fail(e, -EINVAL, "its unk_token is no token");
    return 0;
}

void wordpiece_release(struct wordpiece *w)
{
    buf_release(&w->prefix);
    buf_release(&w->spare);
    *w = (struct wordpiece){ 0 };
}

/* The longest token that stands at `at`; its end is written. */
static uint32_t longest(struct wordpiece *w, struct str word, size_t at,
        size_t *end)
{
    for (*end = word.len; *end > at; *end = unicode_before(word, *end)) {
        buf_clear(&w->spare);
        if (at)
            buf_add(&w->spare, w->prefix.p, w->prefix.len);
        buf_add(&w->spare, word.p + at, *end - at);

        uint32_t id = vocab_find(w->vocab, buf_str(&w->spare));

        if (id != TOKEN_NONE)
            return id;
    }
    return TOKEN_NONE;
}

void wordpiece_encode(struct wordpiece *w, struct str word, struct ids *out)
{
    size_t before = out->count, characters = 0;
    uint32_t id = 0;

    for (size_t at = 0; at < word.len; characters++)
        (void)unicode_next(word, &at);
    if (characters > w->most_characters)
        id = TOKEN_NONE;
    for (size_t at = 0, end; id != TOKEN_NONE && at < word.len; at = end) {
        id = longest(w, word, at, &end);
        ids_add(out, id);
    }
    if (id == TOKEN_NONE) {
        out->count = before;
        ids_add(out, w->unknown);
    }
}
