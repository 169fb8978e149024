#include "base/str.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F64_CHARS 400 /* -DBL_MAX with 90 decimals */

struct str str_of(const char *terminated)
{
    return (struct str){ terminated, strlen(terminated) };
}

static struct str from(struct str s, size_t at)
{
    /* Nothing is added to NULL, the text of an empty struct. */
    return (struct str){ at ? s.p + at : s.p, s.len - at };
}

/* Where the first `c` lies; s.len if there is none. */
static size_t find(struct str s, char c)
{
    size_t at = 0;

    while (at < s.len && s.p[at] != c)
        at++;
    return at;
}

bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (!a.len || !memcmp(a.p, b.p, a.len));
}

bool str_is(struct str s, const char *terminated)
{
    return str_eq(s, str_of(terminated));
}

const char *str_find(struct str s, const char *terminated)
{
    size_t len = strlen(terminated);

    for (size_t i = 0; i + len <= s.len; i++)
        if (memcmp(s.p + i, terminated, len) == 0)
            return s.p + i;
    return NULL;
}

bool str_starts(struct str s, const char *terminated)
{
    size_t len = strlen(terminated);

    return s.len >= len && str_is((struct str){ s.p, len }, terminated);
}

struct str str_before(struct str s, char c)
{
    return (struct str){ s.p, find(s, c) };
}

struct str str_after(struct str s, char c)
{
    size_t at = find(s, c);

    return from(s, at < s.len ? at + 1 : at);
}

struct str str_after_last(struct str s, char c)
{
    for (size_t i = s.len; i > 0; i--)
        if (s.p[i - 1] == c)
            return from(s, i);
    return (struct str){ s.p, 0 };
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
    while (s.len && is_blank(s.p[s.len - 1]))
        s.len--;

    size_t start = 0;

    while (start < s.len && is_blank(s.p[start]))
        start++;
    return from(s, start);
}

struct str str_word(struct str *rest)
{
    size_t start = 0;

    while (start < rest->len && is_blank(rest->p[start]))
        start++;

    struct str word = from(*rest, start);
    size_t len = 0;

    while (len < word.len && !is_blank(word.p[len]))
        len++;
    *rest = from(word, len);
    word.len = len;
    return word;
}

bool str_line(struct str *line, struct str *rest)
{
    if (!rest->len)
        return false;

    struct str found = str_before(*rest, '\n');
    bool ended = found.len < rest->len;

    *rest = from(*rest, found.len + ended);
    if (ended && found.len && found.p[found.len - 1] == '\r')
        found.len--;
    *line = found;
    return true;
}

int str_u64(uint64_t *out, struct str s)
{
    uint64_t value = 0;

    if (!s.len)
        return -EINVAL;
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return -EINVAL;

        uint64_t digit = (uint64_t)(s.p[i] - '0');

        if (value > (UINT64_MAX - digit) / 10)
            return -ERANGE;
        value = value * 10 + digit;
    }
    *out = value;
    return 0;
}

int str_i64(int64_t *out, struct str s)
{
    bool negative = str_starts(s, "-");
    uint64_t size = 0;
    int rc = str_u64(&size, from(s, negative));

    if (rc)
        return rc;
    if (size > (uint64_t)INT64_MAX + negative)
        return -ERANGE;
    /* -INT64_MIN has no int64_t: turned in unsigned arithmetic. */
    *out = (int64_t)(negative ? 0 - size : size);
    return 0;
}

/* Steps over digits; how many there were. */
static size_t skip_digits(struct str *rest)
{
    size_t count = 0;

    while (count < rest->len && rest->p[count] >= '0' && rest->p[count] <= '9')
        count++;
    *rest = from(*rest, count);
    return count;
}

static bool skip_one(struct str *rest, const char *of_these)
{
    if (!rest->len || !rest->p[0] || !strchr(of_these, rest->p[0]))
        return false;
    *rest = from(*rest, 1);
    return true;
}

static bool is_f64(struct str s)
{
    (void)skip_one(&s, "-");

    size_t digits = skip_digits(&s);

    if (skip_one(&s, "."))
        digits += skip_digits(&s);
    if (!digits)
        return false;
    if (skip_one(&s, "eE")) {
        (void)skip_one(&s, "+-");
        if (!skip_digits(&s))
            return false;
    }
    return !s.len;
}

int str_f64(double *out, struct str s)
{
    struct str whole = str_before(s, '.');
    struct str decimals = str_after(s, '.');
    /* strtod() reads the locale's point, and no other. */
    const char *point = whole.len < s.len ? localeconv()->decimal_point : "";
    char text[F64_CHARS + 16];
    char *end;

    if (!is_f64(s))
        return -EINVAL;
    if (s.len > F64_CHARS ||
            snprintf(text, sizeof(text), "%.*s%s%.*s", (int)whole.len, whole.p,
                    point, (int)decimals.len, decimals.p) >= (int)sizeof(text))
        return -ERANGE;

    double value = strtod(text, &end);

    if (*end)
        return -EINVAL;
    if (!isfinite(value))
        return -ERANGE;
    *out = value;
    return 0;
}
