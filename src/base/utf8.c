#include "base/utf8.h"

#include <string.h>

size_t utf8_len(const unsigned char *p, size_t len, size_t *bad)
{
    unsigned char lead = p[0];
    size_t need = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    /* The second byte rules out the overlong, surrogates and the too great. */
    unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;

    *bad = 1;
    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4)
        return 0;
    for (size_t i = 1; i < need; i++) {
        if (i >= len || p[i] < low || p[i] > high) {
            *bad = i;
            return 0;
        }
        low = 0x80;
        high = 0xbf;
    }
    return need;
}

/* How many bytes at the beginning are plain ASCII: eight at a time. */
static size_t ascii_len(struct str s)
{
    size_t at = 0;

    for (uint64_t word; at + sizeof(word) <= s.len; at += sizeof(word)) {
        memcpy(&word, s.p + at, sizeof(word));
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (at < s.len && (unsigned char)s.p[at] < 0x80)
        at++;
    return at;
}

bool utf8_is_sound(struct str s)
{
    size_t bad, at = ascii_len(s);

    while (at < s.len) {
        size_t len =
                utf8_len((const unsigned char *)s.p + at, s.len - at, &bad);

        if (!len)
            return false;
        at += len;
    }
    return true;
}

void utf8_add(struct buf *out, struct str s)
{
    for (size_t at = 0, bad; at < s.len;) {
        size_t len =
                utf8_len((const unsigned char *)s.p + at, s.len - at, &bad);

        if (len)
            buf_add(out, s.p + at, len);
        else
            buf_text(out, UTF8_REPLACEMENT);
        at += len ? len : bad;
    }
}
