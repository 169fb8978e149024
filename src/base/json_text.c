#include "base/json_text.h"

#include <string.h>

static int hex(const char *at)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    int value = 0;

    for (int i = 0; i < 4; i++) {
        const char *d = at[i] ? strchr(digits, at[i]) : NULL;

        if (!d)
            return -1;
        value = value * 16 +
                (int)(d - digits < 16 ? d - digits : d - digits - 6);
    }
    return value;
}

static char *put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* \uXXXX, or two of them for one character.  Half a pair is U+FFFD. */
static char *unescape_code(char *to, const char **at, const char *end)
{
    int code = end - *at >= 4 ? hex(*at) : -1;

    if (code < 0)
        return put_utf8(to, 'u'); /* no escape of JSON's: as it stands */
    *at += 4;
    if (code < 0xd800 || code > 0xdfff)
        return put_utf8(to, (uint32_t)code);

    int low = end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u'
                      ? hex(*at + 2)
                      : -1;

    if (code > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return put_utf8(to, 0xfffd);
    *at += 6;
    return put_utf8(to, 0x10000 + ((uint32_t)(code - 0xd800) << 10) +
                                (uint32_t)(low - 0xdc00));
}

size_t json_unescape(char *to, struct str text)
{
    static const char from[] = "bfnrt", into[] = "\b\f\n\r\t";
    const char *at = text.p, *end = text.p + text.len;
    char *begin = to;

    while (at < end) {
        if (*at != '\\' || at + 1 == end) {
            *to++ = *at++;
            continue;
        }

        char code = at[1];
        const char *known = code ? strchr(from, code) : NULL;

        at += 2;
        if (code == 'u')
            to = unescape_code(to, &at, end);
        else if (known)
            *to++ = into[known - from];
        else
            *to++ = code;
    }
    return (size_t)(to - begin);
}
