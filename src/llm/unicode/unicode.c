#include "llm/unicode/unicode.h"

enum unicode_class unicode_class(uint32_t point)
{
    size_t low = 0, high = unicode_range_count;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (unicode_ranges[middle] >> 8 <= point)
            low = middle;
        else
            high = middle;
    }
    return (enum unicode_class)(unicode_ranges[low] & 0xff);
}

static bool in_ranges(const uint32_t (*range)[2], size_t count, uint32_t point)
{
    for (size_t i = 0; i < count && range[i][0] <= point; i++)
        if (point <= range[i][1])
            return true;
    return false;
}

enum unicode_class unicode_class_8(uint32_t point)
{
    switch (point) { /* those that have changed since */
    case 0x295: return UNICODE_LL;
    case 0x166d: return UNICODE_PO;
    case 0x1734:
    case 0x1171e: return UNICODE_MN;
    case 0x1885:
    case 0x1886: return UNICODE_LO;
    case 0xa9bd: return UNICODE_MC;
    case 0x111c9: return UNICODE_PO;
    default: break;
    }
    if (in_ranges(unicode_late_class, unicode_late_class_count, point))
        return UNICODE_CN;
    return unicode_class(point);
}

bool unicode_has_late_form(uint32_t point)
{
    return in_ranges(unicode_late_form, unicode_late_form_count, point);
}

bool unicode_is_letter(uint32_t point)
{
    if (point < 0x80)
        return (point | 0x20) >= 'a' && (point | 0x20) <= 'z';
    return unicode_class(point) <= UNICODE_LO;
}

bool unicode_is_mark(uint32_t point)
{
    enum unicode_class kind = point < 0x300 ? UNICODE_CN : unicode_class(point);

    return kind >= UNICODE_MN && kind <= UNICODE_ME;
}

bool unicode_is_number(uint32_t point)
{
    if (point < 0x80)
        return point >= '0' && point <= '9';

    enum unicode_class kind = unicode_class(point);

    return kind >= UNICODE_ND && kind <= UNICODE_NO;
}

bool unicode_is_punctuation(uint32_t point)
{
    enum unicode_class kind = unicode_class(point);

    return kind >= UNICODE_PC && kind <= UNICODE_PO;
}

bool unicode_is_symbol(uint32_t point)
{
    enum unicode_class kind = unicode_class(point);

    return kind >= UNICODE_SM && kind <= UNICODE_SO;
}

bool unicode_is_space(uint32_t point)
{
    if (point < 0x80)
        return point == ' ' || (point >= '\t' && point <= '\r');
    return point == 0x85 || point == 0xa0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
           point == 0x2029 || point == 0x202f || point == 0x205f ||
           point == 0x3000;
}

/* Letters in circles and squares: symbols that count as alphabetic. */
static bool is_framed_letter(uint32_t point)
{
    return (point >= 0x24b6 && point <= 0x24e9) ||
           (point >= 0x1f130 && point <= 0x1f149) ||
           (point >= 0x1f150 && point <= 0x1f169) ||
           (point >= 0x1f170 && point <= 0x1f189);
}

bool unicode_is_word(uint32_t point)
{
    enum unicode_class kind = unicode_class(point);

    return kind <= UNICODE_NL || kind == UNICODE_PC || point == 0x200c ||
           point == 0x200d || is_framed_letter(point);
}

uint32_t unicode_next(struct str text, size_t *at)
{
    const unsigned char *p = (const unsigned char *)text.p + *at;

    if (p[0] < 0x80) {
        *at += 1;
        return p[0];
    }
    if (p[0] < 0xe0) {
        *at += 2;
        return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
    }
    if (p[0] < 0xf0) {
        *at += 3;
        return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    }
    *at += 4;
    return (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 |
           (p[3] & 0x3fu);
}

size_t unicode_before(struct str text, size_t at)
{
    do
        at--;
    while (at && ((unsigned char)text.p[at] & 0xc0) == 0x80);
    return at;
}

void unicode_add(struct buf *out, uint32_t c)
{
    if (c < 0x80) {
        buf_char(out, (char)c);
    } else if (c < 0x800) {
        buf_char(out, (char)(0xc0 | c >> 6));
        buf_char(out, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        buf_char(out, (char)(0xe0 | c >> 12));
        buf_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_char(out, (char)(0x80 | (c & 0x3f)));
    } else {
        buf_char(out, (char)(0xf0 | c >> 18));
        buf_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
        buf_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
        buf_char(out, (char)(0x80 | (c & 0x3f)));
    }
}
