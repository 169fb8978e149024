/* The table begins with the length of the double array in bytes, then the array
 * in units of 32 bits, all little-endian; then texts that end with zero bytes,
 * to which the array's values point.  A unit has a label in its lowest byte, a
 * flag for a value at 8, and where its children are in the bits above. */
#include "llm/tokenizer/charsmap.h"

#include "base/alloc.h"
#include "llm/unicode/normal_form.h"
#include "llm/unicode/unicode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longer graphemes are looked at character by character. */
#define GRAPHEME_MAX 5

struct charsmap {
    struct buf bytes;
    size_t units;     /* of the array, which begins at byte 4 */
    struct str texts; /* in `bytes` */
};

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool base64_read(struct buf *out, struct str text)
{
    uint32_t bits = 0;
    int count = 0;

    while (text.len && text.p[text.len - 1] == '=')
        text.len--;
    for (size_t i = 0; i < text.len; i++) {
        int digit = base64_digit(text.p[i]);

        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            buf_char(out, (char)(bits >> count & 0xff));
        }
    }
    return true;
}

static uint32_t word_at(const struct charsmap *m, size_t at)
{
    const unsigned char *p = (const unsigned char *)m->bytes.p + at;

    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

int charsmap_new(struct charsmap **out, struct str base64, struct error *e)
{
    struct charsmap *m = alloc_zero(1, sizeof(*m));
    size_t len;

    if (!base64_read(&m->bytes, base64) || m->bytes.len < 8 ||
            (len = word_at(m, 0)) > m->bytes.len - 4 || len < 4) {
        charsmap_free(m);
        return fail(e, -EINVAL, "its precompiled_charsmap is damaged");
    }
    m->units = len / 4;
    m->texts = (struct str){ m->bytes.p + 4 + len, m->bytes.len - 4 - len };
    *out = m;
    return 0;
}

void charsmap_free(struct charsmap *m)
{
    if (!m)
        return;
    buf_release(&m->bytes);
    free(m);
}

static bool unit_at(const struct charsmap *m, size_t place, uint32_t *out)
{
    if (place >= m->units)
        return false;
    *out = word_at(m, 4 + 4 * place);
    return true;
}

static size_t children(uint32_t unit)
{
    return (size_t)(unit >> 10) << ((unit & 0x200) >> 6);
}

/* Adds what stands for the shortest beginning of `part` that the table has:
 * that is how the reference reads it, also where a longer one is there. */
static bool replace(const struct charsmap *m, struct buf *out, struct str part)
{
    uint32_t unit, value;
    size_t place;

    if (!unit_at(m, 0, &unit))
        return false;
    place = children(unit);
    for (size_t i = 0; i < part.len && part.p[i]; i++) {
        place ^= (unsigned char)part.p[i];
        if (!unit_at(m, place, &unit) ||
                (unit & 0x800000ffu) != (unsigned char)part.p[i])
            return false;
        place ^= children(unit);
        if (!(unit & 0x100))
            continue;
        if (!unit_at(m, place, &value))
            return false;
        value &= 0x7fffffff;
        if (value > m->texts.len)
            return false;

        const char *text = m->texts.p + value;
        const char *zero = memchr(text, 0, m->texts.len - value);

        buf_add(out, text, zero ? (size_t)(zero - text) : m->texts.len - value);
        return true;
    }
    return false;
}

static void add_grapheme(const struct charsmap *m, struct buf *out,
        struct str part)
{
    if (part.len <= GRAPHEME_MAX && replace(m, out, part))
        return;
    for (size_t at = 0, next = 0; at < part.len; at = next) {
        (void)unicode_next(part, &next);

        struct str character = { part.p + at, next - at };

        if (!replace(m, out, character))
            buf_add(out, character.p, character.len);
    }
}

void charsmap_add(const struct charsmap *m, struct buf *out, struct str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = normal_form_grapheme(text, at);

        add_grapheme(m, out, (struct str){ text.p + at, end - at });
        at = end;
    }
}
