#include "etw/text16.h"

#include "base/utf8.h"
#include "etw/bytes.h"

static void add_code(struct buf *out, uint32_t c)
{
    if (c < 0x80) {
        buf_char(out, (char)c);
        return;
    }
    if (c < 0x800)
        buf_char(out, (char)(0xc0 | c >> 6));
    else if (c < 0x10000) {
        buf_char(out, (char)(0xe0 | c >> 12));
        buf_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
    } else {
        buf_char(out, (char)(0xf0 | c >> 18));
        buf_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
        buf_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
    }
    buf_char(out, (char)(0x80 | (c & 0x3f)));
}

void text16_add(struct buf *out, const unsigned char *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t c = get_u16(p + 2 * i);
        uint32_t low = i + 1 < count ? get_u16(p + 2 * i + 2) : 0;

        if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            i++;
        } else if (c >= 0xd800 && c < 0xe000)
            c = 0xfffd;
        add_code(out, c);
    }
}

size_t text16_count(const unsigned char *p, size_t len)
{
    size_t count = 0;

    while (count < len / 2 && get_u16(p + 2 * count))
        count++;
    return count;
}

static void add_unit(struct buf *out, uint32_t unit)
{
    buf_char(out, (char)unit);
    buf_char(out, (char)(unit >> 8));
}

/* Of one sound character of UTF-8. */
static uint32_t code_of(const unsigned char *p, size_t len)
{
    static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t c = p[0] & mask[len];

    for (size_t i = 1; i < len; i++)
        c = c << 6 | (p[i] & 0x3f);
    return c;
}

void text16_from(struct buf *out, struct str text)
{
    const unsigned char *p = (const unsigned char *)text.p;

    for (size_t at = 0; at < text.len;) {
        size_t bad = 1, len = utf8_len(p + at, text.len - at, &bad);
        uint32_t c = len ? code_of(p + at, len) : 0xfffd;

        if (c >= 0x10000) {
            add_unit(out, 0xd800 + ((c - 0x10000) >> 10));
            add_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
        } else
            add_unit(out, c);
        at += len ? len : bad;
    }
}
