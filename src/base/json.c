/* json.c -- RFC 8259, written front to back.
 *
 * Levels count from 0, the top, to `depth`, the innermost that is open; each
 * has a bit in `used` and one in `list`. */
#include "base/json.h"

#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH    63 /* bits in `used` and `list`, but for the top's */
#define MOST_DECIMALS 64

struct json json_into(struct buf *out)
{
    return (struct json){ .out = out, .indent = 2 };
}

struct json json_line_into(struct buf *out)
{
    return (struct json){ .out = out };
}

static uint64_t level(const struct json *j)
{
    return UINT64_C(1) << j->depth;
}

static void newline(struct json *j)
{
    if (j->indent)
        buf_printf(j->out, "\n%*s", j->indent * j->depth, "");
}

static void escape(struct buf *out, unsigned char c)
{
    static const char letter[] = {
        ['\b'] = 'b',
        ['\t'] = 't',
        ['\n'] = 'n',
        ['\f'] = 'f',
        ['\r'] = 'r',
        ['"'] = '"',
        ['\\'] = '\\',
    };

    if (letter[c])
        buf_printf(out, "\\%c", letter[c]);
    else
        buf_printf(out, "\\u%04x", c);
}

/* How many characters stand for themselves: most of them, mostly. */
static size_t plain_len(const unsigned char *p, size_t len)
{
    size_t i = 0;

    while (i < len && p[i] >= ' ' && p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

static void quoted(struct buf *out, struct str s)
{
    const unsigned char *p = (const unsigned char *)s.p;

    buf_char(out, '"');
    for (size_t i = 0, bad; i < s.len;) {
        size_t plain = plain_len(p + i, s.len - i);

        buf_add(out, p + i, plain);
        i += plain;
        if (i == s.len)
            break;

        size_t len = utf8_len(p + i, s.len - i, &bad);

        if (!len)
            buf_text(out, UTF8_REPLACEMENT);
        else if (p[i] < ' ' || p[i] == '"' || p[i] == '\\')
            escape(out, p[i]);
        else
            buf_add(out, p + i, len);
        i += len ? len : bad;
    }
    buf_char(out, '"');
}

/* All that stands before a value: comma, line, key. */
static void begin(struct json *j, const char *key)
{
    bool in_object = j->depth && !(j->list & level(j));

    assert(in_object == (key != NULL));
    assert(j->depth || !j->used);
    if (j->used & level(j))
        buf_char(j->out, ',');
    j->used |= level(j);
    if (j->depth)
        newline(j);
    if (key) {
        quoted(j->out, str_of(key));
        buf_text(j->out, j->indent ? ": " : ":");
    }
}

static void open_level(struct json *j, const char *key, bool list)
{
    begin(j, key);
    buf_char(j->out, list ? '[' : '{');
    assert(j->depth < MOST_DEPTH);
    j->depth++;
    j->used &= ~level(j);
    j->list = list ? j->list | level(j) : j->list & ~level(j);
}

void json_object(struct json *j, const char *key)
{
    open_level(j, key, false);
}

void json_array(struct json *j, const char *key)
{
    open_level(j, key, true);
}

void json_end(struct json *j)
{
    assert(j->depth);

    bool used = j->used & level(j);
    bool list = j->list & level(j);

    j->depth--;
    if (used)
        newline(j);
    buf_char(j->out, list ? ']' : '}');
}

void json_text(struct json *j, const char *key, const char *terminated)
{
    json_str(j, key, str_of(terminated));
}

void json_str(struct json *j, const char *key, struct str s)
{
    begin(j, key);
    quoted(j->out, s);
}

void json_int(struct json *j, const char *key, int64_t value)
{
    begin(j, key);
    buf_printf(j->out, "%" PRId64, value);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);

    begin(j, key);
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    buf_add(j->out, digits + at, sizeof(digits) - at);
}

void json_bool(struct json *j, const char *key, bool value)
{
    begin(j, key);
    buf_text(j->out, value ? "true" : "false");
}

/* What printf() wrote, with a point for whatever the locale put in its place,
 * be it one byte or more. */
static void number(struct json *j, const char *key, const char *printed)
{
    begin(j, key);
    while (*printed) {
        size_t plain = strspn(printed, "0123456789+-e");

        buf_add(j->out, printed, plain);
        printed += plain;
        if (*printed)
            buf_char(j->out, '.');
        printed += strcspn(printed, "0123456789");
    }
}

void json_real(struct json *j, const char *key, double value)
{
    char text[40];
    int digits = 15;

    if (!isfinite(value))
        return;
    do {
        (void)snprintf(text, sizeof(text), "%.*g", digits, value);
    } while (strtod(text, NULL) != value && ++digits <= 17);
    number(j, key, text);
}

void json_fixed(struct json *j, const char *key, double value, int decimals)
{
    char text[400]; /* -DBL_MAX has 310 before the point */

    assert(decimals >= 0 && decimals <= MOST_DECIMALS);
    if (!isfinite(value))
        return;
    (void)snprintf(text, sizeof(text), "%.*f", decimals, value);
    /* What rounds to nothing has no sign. */
    if (text[0] == '-' && strspn(text + 1, "0.") == strlen(text + 1))
        memmove(text, text + 1, strlen(text));
    number(j, key, text);
}

void json_raw(struct json *j, const char *key, const char *value)
{
    json_raw_str(j, key, str_of(value));
}

void json_raw_str(struct json *j, const char *key, struct str value)
{
    begin(j, key);
    buf_add(j->out, value.p, value.len);
}
