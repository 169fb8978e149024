#include "ort/profile_event.h"

#include "base/compiler.h"
#include "base/json_text.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* --- what members there are ----------------------------------------------- */

enum member_kind {
    MEMBER_TEXT,
    MEMBER_NAME, /* a text that people make up */
    MEMBER_NUMBER,
    MEMBER_MICROSECONDS,
    MEMBER_PHASE, /* how the event is meant: "X" took time */
    MEMBER_ARGS,  /* an object with members of its own */
};

struct member {
    const char *key;
    size_t len;
    enum member_kind kind;
    size_t at; /* in struct profile_event */
};

#define MEMBER(key, kind, field)                      \
    {                                                 \
        key, sizeof(key) - 1, MEMBER_##kind,          \
                offsetof(struct profile_event, field) \
    }
#define TEXT(field)   MEMBER(#field, TEXT, field)
#define NUMBER(field) MEMBER(#field, NUMBER, field)

static const struct member members[] = {
    MEMBER("cat", TEXT, category),
    NUMBER(pid),
    NUMBER(tid),
    MEMBER("dur", MICROSECONDS, duration_ns),
    MEMBER("ts", MICROSECONDS, start_ns),
    { "ph", 2, MEMBER_PHASE, 0 },
    MEMBER("name", NAME, name),
    { "args", 4, MEMBER_ARGS, 0 },
};

static const struct member args[] = {
    TEXT(op_name),
    TEXT(provider),
    TEXT(input_type_shape),
    TEXT(output_type_shape),
    TEXT(thread_scheduling_stats),
    TEXT(parent_name),
    NUMBER(node_index),
    MEMBER("graph_index", NUMBER, node_index), /* until 1.10 */
    NUMBER(activation_size),
    NUMBER(parameter_size),
    NUMBER(output_size),
    NUMBER(mem_bytes_in_use),
    NUMBER(mem_in_use_delta),
    NUMBER(mem_in_use_peak),
    NUMBER(mem_bytes_requested_in_use),
    NUMBER(mem_requested_in_use_delta),
    NUMBER(mem_arena_held),
    NUMBER(mem_arena_held_delta),
};

struct members {
    const struct member *all;
    size_t count;
    size_t next; /* the one that will likely come: they keep their order */
};

static const struct member *find(struct members *m, struct str key)
{
    for (size_t i = 0, at = m->next; i < m->count; i++, at++) {
        at = at < m->count ? at : 0;
        if (m->all[at].len == key.len &&
                !memcmp(m->all[at].key, key.p, key.len)) {
            m->next = at + 1;
            return &m->all[at];
        }
    }
    return NULL;
}

/* --- values --------------------------------------------------------------- */

/* So that sums and differences of two times cannot overflow: 73 years. */
#define MOST_US (INT64_MAX / 4000)

/* Microseconds, perhaps with a fraction, as whole nanoseconds. */
static int64_t nanoseconds(struct str text)
{
    int64_t whole;
    double us;

    if (!str_i64(&whole, text))
        return whole > -MOST_US && whole < MOST_US ? whole * 1000
                                                   : PROFILE_ABSENT;
    if (!str_f64(&us, text) && fabs(us) < (double)MOST_US)
        return llround(us * 1000);
    return PROFILE_ABSENT;
}

static int64_t number(struct str text)
{
    int64_t value;

    return str_i64(&value, text) ? PROFILE_ABSENT : value;
}

/* --- reading -------------------------------------------------------------- */

struct cursor {
    const char *at, *end;
    enum profile_spelling spelling;
    bool in_name; /* the value to come is the event's name */
    struct str phase;
    char *scratch; /* what is unescaped goes here */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && is_blank(*c->at))
        c->at++;
}

static bool take(struct cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

/* Whether `,"key" :` begins here, as ONNX Runtime writes it. */
static bool another_member(const char *at, const char *end)
{
    if (end - at < 2 || at[0] != ',' || at[1] != '"')
        return false;
    for (at += 2; at < end && is_word(*at);)
        at++;
    return end - at >= 3 && !memcmp(at, "\" :", 3);
}

/* Whether the object ends here, and with it, perhaps, all. */
static bool end_of_object(const char *at, const char *end)
{
    return at < end && *at == '}' &&
           (at + 1 == end || is_blank(at[1]) || strchr(",}]", at[1]));
}

/* The quote that ends a text in which quotes may stand: behind it something
 * begins that can follow a text.  NULL: there is none. */
static const char *unescaped_end(const struct cursor *c)
{
    static const char behind_name[] = "\",\"args\" : {";
    const char *quote;

    /* Names are what people make up; but for the oldest, args follow. */
    if (c->in_name && (quote = memmem(c->at, c->end - c->at, behind_name,
                               strlen(behind_name))))
        return quote;
    for (const char *at = c->at; at < c->end; at = quote + 1) {
        quote = memchr(at, '"', c->end - at);
        if (!quote)
            return NULL;
        if (another_member(quote + 1, c->end) ||
                end_of_object(quote + 1, c->end))
            return quote;
    }
    return NULL;
}

static bool escaped_text(struct cursor *c, struct str *out)
{
    const char *from = c->at;
    bool escapes = false;

    for (; c->at < c->end && *c->at != '"'; c->at++)
        if (*c->at == '\\') {
            escapes = true;
            if (++c->at == c->end)
                return false;
        }
    if (c->at == c->end)
        return false;
    *out = (struct str){ from, (size_t)(c->at - from) };
    c->at++;
    if (escapes) {
        out->len = json_unescape(c->scratch, *out);
        out->p = c->scratch;
        c->scratch += out->len;
    }
    return true;
}

static bool text_value(struct cursor *c, struct str *out)
{
    if (c->spelling == PROFILE_SPELLING_JSON)
        return escaped_text(c, out);

    const char *quote = unescaped_end(c);

    if (!quote)
        return false;
    *out = (struct str){ c->at, (size_t)(quote - c->at) };
    c->at = quote + 1;
    return true;
}

/* Up to where brackets are even again, heeding texts or not. */
static const char *balanced_end(const struct cursor *c, bool heed_texts)
{
    int depth = 0;
    bool in_text = false;

    for (const char *at = c->at; at < c->end; at++) {
        if (in_text) {
            at += *at == '\\' && at + 1 < c->end;
            in_text = *at != '"';
            continue;
        }
        switch (*at) {
        case '"': in_text = heed_texts; break;
        case '{':
        case '[': depth++; break;
        case '}':
        case ']':
            if (!--depth)
                return at + 1;
            break;
        default: break;
        }
    }
    return NULL;
}

/* An object or a list, as it stands.  A quote too many in one of its texts
 * leaves the brackets, which are then all there is to go by. */
static bool raw_value(struct cursor *c, struct str *out)
{
    const char *end = balanced_end(c, true);

    if (!end && c->spelling == PROFILE_SPELLING_RUNTIME)
        end = balanced_end(c, false);
    if (!end)
        return false;
    *out = (struct str){ c->at, (size_t)(end - c->at) };
    c->at = end;
    return true;
}

static bool value_of(struct cursor *c, struct str *out)
{
    skip_blanks(c);
    if (c->at == c->end)
        return false;
    if (*c->at == '"') {
        c->at++;
        return text_value(c, out);
    }
    if (*c->at == '{' || *c->at == '[')
        return raw_value(c, out);

    const char *from = c->at;

    while (c->at < c->end && !is_blank(*c->at) && *c->at != ',' &&
            *c->at != '}')
        c->at++;
    *out = (struct str){ from, (size_t)(c->at - from) };
    return out->len > 0;
}

static bool key_of(struct cursor *c, struct str *out)
{
    if (!take(c, '"'))
        return false;

    const char *quote =
            c->at < c->end ? memchr(c->at, '"', c->end - c->at) : NULL;

    if (!quote)
        return false;
    *out = (struct str){ c->at, (size_t)(quote - c->at) };
    c->at = quote + 1;
    return take(c, ':');
}

/* Behind a member: true and `*more`, another one; true, the end. */
static bool separator(struct cursor *c, bool *more)
{
    *more = take(c, ',');
    if (*more) {
        skip_blanks(c);
        *more = c->at < c->end && *c->at != '}';
        if (*more)
            return true;
    }
    return take(c, '}');
}

static void keep(struct cursor *c, struct profile_event *e,
        const struct member *m, struct str value)
{
    char *to = (char *)e + m->at;
    int64_t n;

    switch (m->kind) {
    case MEMBER_TEXT:
    case MEMBER_NAME: memcpy(to, &value, sizeof(value)); break;
    case MEMBER_NUMBER:
        n = number(value);
        memcpy(to, &n, sizeof(n));
        break;
    case MEMBER_MICROSECONDS:
        n = nanoseconds(value);
        memcpy(to, &n, sizeof(n));
        break;
    case MEMBER_PHASE: c->phase = value; break;
    case MEMBER_ARGS: break; /* no object: nothing to know */
    }
}

static bool object(struct cursor *c, struct profile_event *e,
        struct members known)
{
    struct members inner = { args, LEN(args), 0 };
    bool more = true;

    if (!take(c, '{'))
        return false;
    if (take(c, '}'))
        return true;
    while (more) {
        struct str key, value;

        if (!key_of(c, &key))
            return false;
        skip_blanks(c);

        const struct member *m = find(&known, key);

        c->in_name = m && m->kind == MEMBER_NAME;
        if (m && m->kind == MEMBER_ARGS && c->at < c->end && *c->at == '{') {
            if (!object(c, e, inner))
                return false;
        } else {
            if (!value_of(c, &value))
                return false;
            if (m)
                keep(c, e, m, value);
        }
        if (!separator(c, &more))
            return false;
    }
    return true;
}

static struct profile_event nothing(void)
{
    const int64_t absent = PROFILE_ABSENT;
    struct profile_event e = {
        .pid = -1,
        .tid = -1,
        .start_ns = absent,
        .duration_ns = absent,
    };

    for (size_t i = 0; i < LEN(args); i++)
        if (args[i].kind == MEMBER_NUMBER)
            memcpy((char *)&e + args[i].at, &absent, sizeof(absent));
    return e;
}

enum profile_verdict profile_event_parse(struct profile_event *out,
        size_t *used, struct str text, enum profile_spelling spelling,
        char *scratch)
{
    struct cursor c = {
        .at = text.p,
        .end = text.p + text.len,
        .spelling = spelling,
        .phase = { "X", 1 },
        .scratch = scratch,
    };

    *out = nothing();
    if (!object(&c, out, (struct members){ members, LEN(members), 0 }))
        return PROFILE_NOT_WHOLE;
    *used = (size_t)(c.at - text.p);
    if (!str_is(c.phase, "X") || !out->name.len ||
            out->start_ns == PROFILE_ABSENT || out->duration_ns < 0)
        return PROFILE_WHOLE_OTHER;
    return PROFILE_WHOLE;
}
