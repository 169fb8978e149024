/* bpe_read.c -- reads the model of byte-pair encoding from a tokenizer.json. */
#include "base/json_member.h"
#include "base/json_read.h"
#include "llm/setting.h"
#include "llm/tokenizer/bpe.h"
#include "llm/tokenizer/bytes.h"
#include "llm/unicode/unicode.h"

#include <errno.h>
#include <string.h>

static void find_bytes(struct bpe *b)
{
    static const char hex[] = "0123456789ABCDEF";

    b->has_all_bytes = true;
    for (int byte = 0; byte < 256; byte++) {
        char named[] = { '<', '0', 'x', hex[byte >> 4], hex[byte & 15], '>' };
        struct str text = { named, sizeof(named) };

        if (b->byte_level) {
            buf_clear(&b->spare);
            unicode_add(&b->spare, byte_character((unsigned char)byte));
            text = buf_str(&b->spare);
        }
        b->byte_id[byte] = vocab_find(b->vocab, text);
        b->has_all_bytes = b->has_all_bytes && b->byte_id[byte] != TOKEN_NONE;
    }
}

/* Two texts, or one with a blank between: the halves, in `text`. */
static bool read_halves(struct buf *text, struct str value, struct str *left,
        struct str *right)
{
    struct str rest = value, one;
    size_t middle;

    buf_clear(text);
    if (json_kind(value) == '"') {
        if (json_read_text(text, value))
            return false;
        *left = str_before(buf_str(text), ' ');
        *right = str_after(buf_str(text), ' ');
        return right->len > 0;
    }
    if (json_next_element(&rest, &one) <= 0 || json_read_text(text, one))
        return false;
    middle = text->len;
    if (json_next_element(&rest, &one) <= 0 || json_read_text(text, one))
        return false;
    *left = (struct str){ text->p, middle };
    *right = (struct str){ text->p + middle, text->len - middle };
    return true;
}

static int read_merge(struct bpe *b, struct buf *text, struct str value,
        uint32_t rank, struct error *e)
{
    struct str left, right;

    if (!read_halves(text, value, &left, &right))
        return fail(e, -EINVAL, "its merge %u is no pair", rank);

    uint32_t a = vocab_find(b->vocab, left), c = vocab_find(b->vocab, right);
    size_t skip = b->prefix.len <= right.len ? b->prefix.len : right.len;

    buf_clear(&b->spare);
    buf_add(&b->spare, left.p, left.len);
    buf_add(&b->spare, right.p + skip, right.len - skip);

    uint32_t whole = vocab_find(b->vocab, buf_str(&b->spare));

    if (a == TOKEN_NONE || c == TOKEN_NONE || whole == TOKEN_NONE)
        return fail(e, -EINVAL,
                "its merge %u names a token that its vocabulary lacks", rank);
    map_put(&b->merges, (uint64_t)a << 32 | c, (uint64_t)rank << 32 | whole);
    return 0;
}

static int read_merges(struct bpe *b, struct str rest, struct error *e)
{
    struct buf text = { 0 };
    struct str value;
    uint32_t rank = 0;
    int rc;

    while ((rc = json_next_element(&rest, &value)) > 0) {
        rc = read_merge(b, &text, value, rank++, e);
        if (rc)
            break;
    }
    if (rc == -EINVAL && !rank)
        rc = fail(e, rc, "it has no list of merges");
    buf_release(&text);
    return rc;
}

int bpe_read(struct bpe *b, const struct vocab *vocab, struct str model,
        bool byte_level, struct error *e)
{
    struct buf unknown = { 0 };

    *b = (struct bpe){ .vocab = vocab, .byte_level = byte_level };
    b->unknown = TOKEN_NONE;
    if (json_member_text(&unknown, model, "unk_token"))
        b->unknown = vocab_find(vocab, buf_str(&unknown));
    buf_release(&unknown);
    (void)json_member_text(&b->prefix, model, "continuing_subword_prefix");
    (void)json_member_text(&b->suffix, model, "end_of_word_suffix");
    b->fuse_unknown = setting_bool(model, "fuse_unk", false);
    b->byte_fallback = setting_bool(model, "byte_fallback", false);
    b->ignore_merges = setting_bool(model, "ignore_merges", false);
    find_bytes(b);
    if (byte_level && (b->prefix.len || b->suffix.len))
        return fail(e, -ENOTSUP,
                "its ByteLevel with a prefix or suffix is not known");
    return read_merges(b, json_member(model, "merges"), e);
}
