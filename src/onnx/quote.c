#include "onnx/quote.h"

#include <stdio.h>
#include <string.h>

#define NAME_BYTES 72
#define PATH_BYTES 120

static bool continues(struct str s, size_t at, size_t count)
{
    if (s.len - at < count)
        return false;
    for (size_t i = at; i < at + count; i++)
        if (((unsigned char)s.p[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* Bytes of the UTF-8 character that begins `s`; 0: it is none, is longer than
 * it need be, or no character of Unicode. */
static size_t character(struct str s)
{
    unsigned char first = (unsigned char)s.p[0];
    unsigned char second = s.len > 1 ? (unsigned char)s.p[1] : 0;

    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf && continues(s, 1, 1))
        return 2;
    if (first >= 0xe0 && first <= 0xef && continues(s, 1, 2)) {
        if ((first == 0xe0 && second < 0xa0) ||
                (first == 0xed && second >= 0xa0))
            return 0;
        return 3;
    }
    if (first >= 0xf0 && first <= 0xf4 && continues(s, 1, 3)) {
        if ((first == 0xf0 && second < 0x90) ||
                (first == 0xf4 && second >= 0x90))
            return 0;
        return 4;
    }
    return 0;
}

/* U+0080 to U+009F are control characters, too. */
static bool is_control(struct str s, size_t len)
{
    unsigned char first = (unsigned char)s.p[0];

    return (len == 1 && (first < 0x20 || first == 0x7f)) ||
           (len == 2 && first == 0xc2 && (unsigned char)s.p[1] < 0xa0);
}

/* The next character, quoted; takes it off `rest`. */
static size_t next(char out[16], struct str *rest)
{
    size_t len = character(*rest);
    size_t taken = len ? len : 1;
    int made;

    if (!len || is_control(*rest, len)) {
        unsigned char byte = (unsigned char)rest->p[taken - 1];

        if (byte == '\n')
            made = snprintf(out, 16, "\\n");
        else if (byte == '\t')
            made = snprintf(out, 16, "\\t");
        else
            made = snprintf(out, 16, "\\x%02x", byte);
    } else if (rest->p[0] == '\\') {
        made = snprintf(out, 16, "\\\\");
    } else {
        made = snprintf(out, 16, "%.*s", (int)len, rest->p);
    }
    *rest = (struct str){ rest->p + taken, rest->len - taken };
    return (size_t)made;
}

void quote_add(struct buf *out, struct str name)
{
    char piece[16];

    while (name.len) {
        size_t len = next(piece, &name);

        buf_add(out, piece, len);
    }
}

const char *quote_name(char out[QUOTE_NAME], struct str name)
{
    size_t at = 0;
    char piece[16];

    out[at++] = '\'';
    while (name.len) {
        size_t len = next(piece, &name);

        if (at + len > NAME_BYTES) {
            memcpy(out + at, "…", strlen("…"));
            at += strlen("…");
            break;
        }
        memcpy(out + at, piece, len);
        at += len;
    }
    out[at++] = '\'';
    out[at] = 0;
    return out;
}

const char *quote_path(char out[QUOTE_PATH], const char *path)
{
    struct buf whole = { 0 };

    quote_add(&whole, str_of(path));

    const char *from = buf_cstr(&whole);
    bool cut = whole.len > PATH_BYTES;

    if (cut)
        from += whole.len - PATH_BYTES;
    /* Not in the middle of a character. */
    while (cut && ((unsigned char)*from & 0xc0) == 0x80)
        from++;
    (void)snprintf(out, QUOTE_PATH, "%s%s", cut ? "…" : "", from);
    buf_release(&whole);
    return out;
}
