#include "llm/tokenizer/normalise.h"

#include "llm/tokenizer/bytes.h"
#include "llm/unicode/unicode.h"

static void lower(struct buf *out, struct str text)
{
    for (size_t at = 0; at < text.len;)
        normal_form_lower(out, unicode_next(text, &at));
}

static void strip(struct buf *out, struct str text, bool left, bool right)
{
    size_t from = 0, end = text.len;

    for (size_t next = 0; left && from < end; from = next)
        if (!unicode_is_space(unicode_next(text, &next)))
            break;
    while (right && end > from) {
        size_t before = unicode_before(text, end), at = before;

        if (!unicode_is_space(unicode_next(text, &at)))
            break;
        end = before;
    }
    buf_add(out, text.p + from, end - from);
}

static void strip_accents(struct buf *out, struct str text, bool only_mn)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t c = unicode_next(text, &at);

        if (only_mn ? unicode_class_8(c) != UNICODE_MN : !unicode_is_mark(c))
            unicode_add(out, c);
    }
}

static void replace(struct buf *out, struct str text, const struct pattern *p,
        const struct buf *content)
{
    size_t at = 0, from, end;

    while (pattern_find(p, text, at, &from, &end)) {
        buf_add(out, text.p + at, from - at);
        buf_add(out, content->p, content->len);
        at = end;
    }
    buf_add(out, text.p + at, text.len - at);
}

static void clean(struct buf *out, struct str text)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t c = unicode_next(text, &at);
        enum unicode_class kind = unicode_class_8(c);
        bool kept = c == '\t' || c == '\n' || c == '\r';

        if (!c || c == 0xfffd ||
                (!kept && (kind == UNICODE_CC || kind == UNICODE_CF ||
                                  kind == UNICODE_CO)))
            continue;
        unicode_add(out, unicode_is_space(c) ? ' ' : c);
    }
}

/* The ranges as the reference has them, gaps and all. */
static bool is_chinese(uint32_t c)
{
    return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||
           (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2b81f) ||
           (c >= 0x2b920 && c <= 0x2ceaf) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0x2f800 && c <= 0x2fa1f);
}

static void space_chinese(struct buf *out, struct str text)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t c = unicode_next(text, &at);
        bool spaced = is_chinese(c);

        if (spaced)
            buf_char(out, ' ');
        unicode_add(out, c);
        if (spaced)
            buf_char(out, ' ');
    }
}

static void apply(const struct normaliser *n, struct buf *out, struct str text)
{
    switch (n->kind) {
    case NORMALISER_FORM: normal_form_add(out, text, n->form); break;
    case NORMALISER_LOWER: lower(out, text); break;
    case NORMALISER_STRIP: strip(out, text, n->left, n->right); break;
    case NORMALISER_STRIP_ACCENTS: strip_accents(out, text, n->only_mn); break;
    case NORMALISER_REPLACE:
        replace(out, text, &n->pattern, &n->content);
        break;
    case NORMALISER_PREPEND:
        if (text.len)
            buf_add(out, n->content.p, n->content.len);
        buf_add(out, text.p, text.len);
        break;
    case NORMALISER_CHARSMAP: charsmap_add(n->map, out, text); break;
    case NORMALISER_CLEAN: clean(out, text); break;
    case NORMALISER_CHINESE: space_chinese(out, text); break;
    case NORMALISER_BYTES: bytes_to_characters(out, text); break;
    }
}

void normalise(const struct normalisers *n, struct buf *out, struct buf *spare,
        struct str text)
{
    buf_clear(out);
    if (!n->count)
        buf_add(out, text.p, text.len);
    for (size_t i = 0; i < n->count; i++) {
        struct buf filled = *out;

        buf_clear(spare);
        apply(&n->item[i], spare, i ? buf_str(&filled) : text);
        *out = *spare;
        *spare = filled;
    }
}
