/* json_split.c -- one letter at a time.
 *
 *     { "key" : value , "key" : [ element , element ] }
 *     ^ KEY   ^ VALUE ^ KEY     ^ FIRST     ^ ELEMENT ^ KEY or END
 *
 * A value is copied until it ends: a text at its quote, an object or an array
 * at its own bracket, all else before what cannot be part of it. */
#include "base/json_split.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_VALUE ((size_t)64 << 20)

enum place {
    PLACE_START,
    PLACE_FIRST_KEY, /* or the object's end */
    PLACE_KEY,
    PLACE_IN_KEY,
    PLACE_COLON,
    PLACE_VALUE,
    PLACE_FIRST, /* element, or the array's end */
    PLACE_ELEMENT,
    PLACE_AFTER_ELEMENT,
    PLACE_AFTER_VALUE,
    PLACE_END,
};

struct json_split {
    void (*take)(void *context, struct str key, struct str value);
    void *context;
    enum place place;
    struct buf key, value;
    bool in_array;
    /* Within a value. */
    bool in_value, in_text, escaped;
    int depth;
    int failed;
};

struct json_split *json_split_new(
        void (*take)(void *context, struct str key, struct str value),
        void *context)
{
    struct json_split *s = alloc_zero(1, sizeof(*s));

    s->take = take;
    s->context = context;
    return s;
}

void json_split_free(struct json_split *s)
{
    if (!s)
        return;
    buf_release(&s->key);
    buf_release(&s->value);
    free(s);
}

bool json_split_ended(const struct json_split *s)
{
    return !s->failed && s->place == PLACE_END;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void hand_over(struct json_split *s)
{
    s->in_value = false;
    s->take(s->context, buf_str(&s->key), buf_str(&s->value));
    buf_clear(&s->value);
    s->place = s->in_array ? PLACE_AFTER_ELEMENT : PLACE_AFTER_VALUE;
}

/* A letter inside a text; the quote that ends it is left to the caller. */
static void text_letter(struct json_split *s, char c)
{
    if (s->escaped)
        s->escaped = false;
    else if (c == '\\')
        s->escaped = true;
    else if (c == '"')
        s->in_text = false;
}

/* One letter of a value.  False: it was not part of it any more. */
static bool value_letter(struct json_split *s, char c)
{
    bool scalar = !s->depth && s->value.len && *s->value.p != '"';

    if (s->in_text) {
        text_letter(s, c);
        buf_char(&s->value, c);
        if (!s->in_text && !s->depth)
            hand_over(s);
        return true;
    }
    if (scalar && (is_blank(c) || c == ',' || c == ']' || c == '}')) {
        hand_over(s);
        return false;
    }
    if (c == '"')
        s->in_text = true;
    else if (c == '{' || c == '[')
        s->depth++;
    else if (c == '}' || c == ']')
        s->depth--;
    buf_char(&s->value, c);
    if ((c == '}' || c == ']') && !s->depth)
        hand_over(s);
    return true;
}

static int begin_value(struct json_split *s, char c)
{
    if (c == ',' || c == ']' || c == '}' || c == ':')
        return -EINVAL;
    s->in_value = true;
    s->depth = 0;
    (void)value_letter(s, c);
    return 0;
}

/* To the place where this letter leads. */
static int go(struct json_split *s, enum place place)
{
    s->place = place;
    return 0;
}

static int key_letter(struct json_split *s, char c)
{
    if (s->place == PLACE_FIRST_KEY && c == '}')
        return go(s, PLACE_END);
    if (c != '"')
        return -EINVAL;
    buf_clear(&s->key);
    s->in_text = true;
    return go(s, PLACE_IN_KEY);
}

static int letter(struct json_split *s, char c)
{
    switch (s->place) {
    case PLACE_START: return c == '{' ? go(s, PLACE_FIRST_KEY) : -EINVAL;
    case PLACE_FIRST_KEY:
    case PLACE_KEY: return key_letter(s, c);
    case PLACE_IN_KEY: break;
    case PLACE_COLON: return c == ':' ? go(s, PLACE_VALUE) : -EINVAL;
    case PLACE_VALUE:
        s->in_array = c == '[';
        return s->in_array ? go(s, PLACE_FIRST) : begin_value(s, c);
    case PLACE_FIRST:
        return c == ']' ? go(s, PLACE_AFTER_VALUE) : begin_value(s, c);
    case PLACE_ELEMENT: return begin_value(s, c);
    case PLACE_AFTER_ELEMENT:
        return c == ','   ? go(s, PLACE_ELEMENT)
               : c == ']' ? go(s, PLACE_AFTER_VALUE)
                          : -EINVAL;
    case PLACE_AFTER_VALUE:
        return c == ','   ? go(s, PLACE_KEY)
               : c == '}' ? go(s, PLACE_END)
                          : -EINVAL;
    case PLACE_END: break;
    }
    return -EINVAL;
}

static int one(struct json_split *s, char c)
{
    if (s->place == PLACE_IN_KEY) {
        text_letter(s, c);
        if (s->in_text)
            buf_char(&s->key, c);
        else
            s->place = PLACE_COLON;
        return s->key.len > LONGEST_VALUE ? -EFBIG : 0;
    }
    if (s->in_value && value_letter(s, c))
        return s->value.len > LONGEST_VALUE ? -EFBIG : 0;
    return is_blank(c) ? 0 : letter(s, c);
}

int json_split_feed(struct json_split *s, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len && !s->failed; i++)
        s->failed = one(s, bytes[i]);
    return s->failed;
}
