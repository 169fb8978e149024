#include "base/json_read.h"

#include "base/json_text.h"
#include "base/utf8.h"

#include <errno.h>
#include <string.h>

#define MOST_DEPTH 64

struct cursor {
    const char *p, *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->p < c->end &&
            (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r'))
        c->p++;
}

static bool take(struct cursor *c, char letter)
{
    if (c->p == c->end || *c->p != letter)
        return false;
    c->p++;
    return true;
}

/* --- one value, stepped over ---------------------------------------------- */

static bool hex4(struct cursor *c)
{
    for (int i = 0; i < 4; i++, c->p++)
        if (c->p == c->end || !((*c->p >= '0' && *c->p <= '9') ||
                                      (*c->p >= 'a' && *c->p <= 'f') ||
                                      (*c->p >= 'A' && *c->p <= 'F')))
            return false;
    return true;
}

static bool skip_text(struct cursor *c)
{
    if (!take(c, '"'))
        return false;
    while (c->p < c->end) {
        char letter = *c->p++;

        if (letter == '"')
            return true;
        if ((unsigned char)letter < ' ')
            return false;
        if (letter != '\\')
            continue;
        if (c->p == c->end)
            return false;
        letter = *c->p++;
        if (letter == 'u' ? !hex4(c) : !letter || !strchr("\"\\/bfnrt", letter))
            return false;
    }
    return false;
}

static bool skip_digits(struct cursor *c)
{
    const char *from = c->p;

    while (c->p < c->end && *c->p >= '0' && *c->p <= '9')
        c->p++;
    return c->p > from;
}

static bool skip_number(struct cursor *c)
{
    (void)take(c, '-');
    if (!take(c, '0') && !skip_digits(c))
        return false;
    if (take(c, '.') && !skip_digits(c))
        return false;
    if (take(c, 'e') || take(c, 'E')) {
        if (!take(c, '+'))
            (void)take(c, '-');
        return skip_digits(c);
    }
    return true;
}

static bool skip_word(struct cursor *c, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(c->end - c->p) < len || memcmp(c->p, word, len) != 0)
        return false;
    c->p += len;
    return true;
}

/* What is neither an object nor an array. */
static bool skip_scalar(struct cursor *c)
{
    if (c->p == c->end)
        return false;
    switch (*c->p) {
    case '"': return skip_text(c);
    case 't': return skip_word(c, "true");
    case 'f': return skip_word(c, "false");
    case 'n': return skip_word(c, "null");
    default: return skip_number(c);
    }
}

static bool skip_key(struct cursor *c)
{
    skip_blanks(c);
    if (!skip_text(c))
        return false;
    skip_blanks(c);
    return take(c, ':');
}

/* After a value: closes what ends here, and goes on to the next member.  False:
 * neither is there. */
static bool after_value(struct cursor *c, const char *open, int *depth)
{
    while (*depth) {
        bool object = open[*depth - 1] == '{';

        skip_blanks(c);
        if (take(c, ','))
            return !object || skip_key(c);
        if (!take(c, object ? '}' : ']'))
            return false;
        --*depth;
    }
    return true;
}

/* No recursion: what is hostile may be deep. */
static bool skip_value(struct cursor *c)
{
    char open[MOST_DEPTH];
    int depth = 0;

    do {
        skip_blanks(c);
        if (c->p < c->end && (*c->p == '{' || *c->p == '[')) {
            if (depth == MOST_DEPTH)
                return false;
            open[depth++] = *c->p++;
            skip_blanks(c);
            if (take(c, open[depth - 1] == '{' ? '}' : ']'))
                depth--;
            else if (open[depth - 1] != '{' || skip_key(c))
                continue;
            else
                return false;
        } else if (!skip_scalar(c)) {
            return false;
        }
        if (!after_value(c, open, &depth))
            return false;
    } while (depth);
    return true;
}

bool json_is_sound(struct str text)
{
    struct cursor c = { text.p, text.p + text.len };

    if (!utf8_is_sound(text) || !skip_value(&c))
        return false;
    skip_blanks(&c);
    return c.p == c.end;
}

void json_if_sound(struct json *j, const char *key, const char *value)
{
    if (value && json_is_sound(str_of(value)))
        json_raw(j, key, value);
}

/* --- members and elements ------------------------------------------------- */

/* To the next value in what began with `first` and ends with `last`.  `rest` of
 * a walk that has begun begins with the comma, or the end. */
static int next(struct cursor *c, char first, char last)
{
    bool began;

    skip_blanks(c);
    began = !take(c, first);
    skip_blanks(c);
    if (take(c, last)) {
        skip_blanks(c);
        return c->p == c->end ? 0 : -EINVAL;
    }
    if (began && !take(c, ','))
        return -EINVAL;
    skip_blanks(c);
    return 1;
}

/* The value, behind which the next one or the end must come. */
static int take_value(struct cursor *c, char last, struct str *rest,
        struct str *value)
{
    const char *from;

    skip_blanks(c);
    from = c->p;
    if (!skip_value(c))
        return -EINVAL;
    *value = (struct str){ from, (size_t)(c->p - from) };
    skip_blanks(c);
    if (c->p == c->end || (*c->p != ',' && *c->p != last))
        return -EINVAL;
    *rest = (struct str){ c->p, (size_t)(c->end - c->p) };
    return 1;
}

/* What is absent is NULL, to which nothing may be added. */
static struct cursor cursor_of(struct str text)
{
    return (struct cursor){ text.p, text.len ? text.p + text.len : text.p };
}

int json_next_member(struct str *rest, struct str *key, struct str *value)
{
    struct cursor c = cursor_of(*rest);
    int rc = next(&c, '{', '}');
    const char *from = c.p;

    if (rc <= 0)
        return rc;
    if (!skip_text(&c))
        return -EINVAL;
    *key = (struct str){ from + 1, (size_t)(c.p - from) - 2 };
    skip_blanks(&c);
    if (!take(&c, ':'))
        return -EINVAL;
    return take_value(&c, '}', rest, value);
}

int json_next_element(struct str *rest, struct str *value)
{
    struct cursor c = cursor_of(*rest);
    int rc = next(&c, '[', ']');

    return rc <= 0 ? rc : take_value(&c, ']', rest, value);
}

int json_read_text(struct buf *out, struct str value)
{
    if (value.len < 2 || *value.p != '"')
        return -EINVAL;

    struct buf text = { 0 };

    /* Never longer than with its escapes. */
    buf_add(&text, value.p + 1, value.len - 2);

    size_t len =
            json_unescape(text.p, (struct str){ value.p + 1, value.len - 2 });

    utf8_add(out, (struct str){ text.p, len });
    buf_release(&text);
    return 0;
}

char json_kind(struct str value)
{
    if (!value.len)
        return 0;
    if (*value.p == '-' || (*value.p >= '0' && *value.p <= '9'))
        return '0';
    return *value.p;
}
