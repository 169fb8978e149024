/* jinja_value.c -- values of a template: lists, dicts, texts, and how they
 * print. */
#include "base/alloc.h"
#include "base/json.h"
#include "base/json_read.h"
#include "llm/jinja/jinja_state.h"
#include "llm/unicode/unicode.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *jinja_alloc(struct jinja *j, size_t count, size_t size)
{
    size_t need = (count * size + sizeof(max_align_t) - 1) /
                  sizeof(max_align_t) * sizeof(max_align_t);
    struct jinja_block *b = j->memory;

    if (!b || b->cap - b->used < need) {
        size_t cap = need > 65536 ? need : 65536;

        b = alloc_zero(1, sizeof(*b) + cap);
        b->cap = cap;
        b->next = j->memory;
        j->memory = b;
        j->taken += cap;
        if (j->taken > JINJA_MEMORY)
            jinja_fault(j, -E2BIG, "the template takes too much memory");
    }

    void *p = (char *)b->data + b->used;

    b->used += need;
    return p;
}

struct jinja_value jinja_fault(struct jinja *j, int code, const char *fmt, ...)
{
    char text[sizeof(j->e->text)];
    va_list args;

    if (!j->rc) {
        va_start(args, fmt);
        (void)vsnprintf(text, sizeof(text), fmt, args);
        va_end(args);
        j->rc = fail(j->e, code, "%s", text);
    }
    return jinja_undefined();
}

struct jinja_value jinja_undefined(void)
{
    return (struct jinja_value){ .kind = JINJA_UNDEFINED };
}

struct jinja_value jinja_none(void)
{
    return (struct jinja_value){ .kind = JINJA_NONE };
}

struct jinja_value jinja_bool(bool truth)
{
    return (struct jinja_value){ .kind = JINJA_BOOL, .truth = truth };
}

struct jinja_value jinja_int(int64_t value)
{
    return (struct jinja_value){ .kind = JINJA_INT, .integer = value };
}

struct jinja_value jinja_text(struct str text)
{
    return (struct jinja_value){ .kind = JINJA_TEXT, .text = text };
}

struct jinja_value jinja_copy(struct jinja *j, struct str text)
{
    char *p = jinja_alloc(j, text.len + 1, 1);

    if (text.len)
        memcpy(p, text.p, text.len);
    return jinja_text((struct str){ p, text.len });
}

struct jinja_value jinja_new_list(struct jinja *j)
{
    return (struct jinja_value){ .kind = JINJA_LIST,
        .list = jinja_alloc(j, 1, sizeof(struct jinja_list)) };
}

struct jinja_value jinja_new_dict(struct jinja *j)
{
    return (struct jinja_value){ .kind = JINJA_DICT,
        .dict = jinja_alloc(j, 1, sizeof(struct jinja_dict)) };
}

void jinja_append(struct jinja *j, struct jinja_list *l, struct jinja_value v)
{
    if (l->count == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 8;
        struct jinja_value *item = jinja_alloc(j, cap, sizeof(*item));

        if (l->count)
            memcpy(item, l->item, l->count * sizeof(*item));
        l->item = item;
        l->cap = cap;
    }
    l->item[l->count++] = v;
}

struct jinja_value *jinja_get(const struct jinja_dict *d, struct str key)
{
    for (size_t i = 0; i < d->count; i++)
        if (str_eq(d->pair[i].key, key))
            return &d->pair[i].value;
    return NULL;
}

void jinja_put(struct jinja *j, struct jinja_dict *d, struct str key,
        struct jinja_value v)
{
    struct jinja_value *old = jinja_get(d, key);

    if (old) {
        *old = v;
        return;
    }
    if (d->count == d->cap) {
        size_t cap = d->cap ? 2 * d->cap : 8;
        struct jinja_pair *pair = jinja_alloc(j, cap, sizeof(*pair));

        if (d->count)
            memcpy(pair, d->pair, d->count * sizeof(*pair));
        d->pair = pair;
        d->cap = cap;
    }
    d->pair[d->count++] = (struct jinja_pair){ key, v };
}

bool jinja_truth(struct jinja_value v)
{
    switch (v.kind) {
    case JINJA_BOOL: return v.truth;
    case JINJA_INT: return v.integer != 0;
    case JINJA_FLOAT: return v.real < 0 || v.real > 0;
    case JINJA_TEXT: return v.text.len > 0;
    case JINJA_LIST: return v.list->count > 0;
    case JINJA_DICT: return v.dict->count > 0;
    case JINJA_MACRO: return true;
    default: return false;
    }
}

static bool number_of(struct jinja_value v, double *out)
{
    if (v.kind == JINJA_BOOL)
        *out = v.truth;
    else if (v.kind == JINJA_INT)
        *out = (double)v.integer;
    else if (v.kind == JINJA_FLOAT)
        *out = v.real;
    else
        return false;
    return true;
}

static bool equal_lists(struct jinja *j, const struct jinja_list *a,
        const struct jinja_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!jinja_equal(j, a->item[i], b->item[i]))
            return false;
    return true;
}

static bool equal_dicts(struct jinja *j, const struct jinja_dict *a,
        const struct jinja_dict *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct jinja_value *other = jinja_get(b, a->pair[i].key);

        if (!other || !jinja_equal(j, a->pair[i].value, *other))
            return false;
    }
    return true;
}

/* Whether one more level may be entered; if so, it is. */
static bool enter(struct jinja *j)
{
    if (++j->steps > JINJA_STEPS)
        jinja_fault(j, -E2BIG, "the template does not end");
    if (j->depth >= JINJA_DEPTH)
        jinja_fault(j, -E2BIG, "the template's values lie too deep");
    if (j->rc)
        return false;
    j->depth++;
    return true;
}

bool jinja_equal(struct jinja *j, struct jinja_value a, struct jinja_value b)
{
    double x, y;
    bool same = false;

    if (number_of(a, &x) && number_of(b, &y))
        return !(x < y) && !(x > y);
    if (a.kind != b.kind)
        return false;
    if (a.kind == JINJA_TEXT)
        return str_eq(a.text, b.text);
    if (a.kind <= JINJA_NONE)
        return true;
    if (!enter(j))
        return false;
    if (a.kind == JINJA_LIST)
        same = equal_lists(j, a.list, b.list);
    else if (a.kind == JINJA_DICT)
        same = a.dict == b.dict || equal_dicts(j, a.dict, b.dict);
    j->depth--;
    return same;
}

bool jinja_contains(struct jinja *j, struct jinja_value in,
        struct jinja_value what)
{
    if (in.kind == JINJA_TEXT) {
        struct str part = jinja_str(j, what);

        for (size_t i = 0; i + part.len <= in.text.len; i++)
            if (!part.len || memcmp(in.text.p + i, part.p, part.len) == 0)
                return true;
        return false;
    }
    if (in.kind == JINJA_DICT)
        return what.kind == JINJA_TEXT && jinja_get(in.dict, what.text);
    if (in.kind != JINJA_LIST) {
        jinja_fault(j, -EINVAL, "'in' looks into a value of type %s",
                jinja_kind_name(in));
        return false;
    }
    for (size_t i = 0; i < in.list->count; i++)
        if (jinja_equal(j, in.list->item[i], what))
            return true;
    return false;
}

const char *jinja_kind_name(struct jinja_value v)
{
    static const char *const names[] = {
        [JINJA_UNDEFINED] = "undefined",
        [JINJA_NONE] = "none",
        [JINJA_BOOL] = "boolean",
        [JINJA_INT] = "integer",
        [JINJA_FLOAT] = "float",
        [JINJA_TEXT] = "string",
        [JINJA_LIST] = "list",
        [JINJA_DICT] = "mapping",
        [JINJA_MACRO] = "macro",
    };

    return names[v.kind];
}

/* --- as text
 * -------------------------------------------------------------------- */

static void print_real(struct buf *out, double value)
{
    struct json j = json_line_into(out);
    size_t before = out->len;

    json_real(&j, NULL, value);

    struct str text = { buf_cstr(out) + before, out->len - before };

    if (!str_find(text, ".") && !str_find(text, "e"))
        buf_text(out, ".0");
}

static void print_quoted(struct buf *out, struct str text)
{
    char quote =
            memchr(text.p, '\'', text.len) && !memchr(text.p, '"', text.len)
                    ? '"'
                    : '\'';

    buf_char(out, quote);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];

        if (c == quote || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c == '\n')
            buf_text(out, "\\n");
        else if (c == '\t')
            buf_text(out, "\\t");
        else if (c == '\r')
            buf_text(out, "\\r");
        else
            buf_char(out, c);
    }
    buf_char(out, quote);
}

static void print_many(struct jinja *j, struct buf *out, struct jinja_value v)
{
    if (!enter(j))
        return;
    buf_char(out, v.kind == JINJA_LIST ? '[' : '{');
    for (size_t i = 0; v.kind == JINJA_LIST && i < v.list->count; i++) {
        buf_text(out, i ? ", " : "");
        jinja_print(j, out, v.list->item[i], true);
    }
    for (size_t i = 0; v.kind == JINJA_DICT && i < v.dict->count; i++) {
        buf_text(out, i ? ", " : "");
        print_quoted(out, v.dict->pair[i].key);
        buf_text(out, ": ");
        jinja_print(j, out, v.dict->pair[i].value, true);
    }
    buf_char(out, v.kind == JINJA_LIST ? ']' : '}');
    j->depth--;
}

void jinja_print(struct jinja *j, struct buf *out, struct jinja_value v,
        bool quoted)
{
    switch (v.kind) {
    case JINJA_NONE: buf_text(out, "None"); break;
    case JINJA_BOOL: buf_text(out, v.truth ? "True" : "False"); break;
    case JINJA_INT: buf_printf(out, "%lld", (long long)v.integer); break;
    case JINJA_FLOAT: print_real(out, v.real); break;
    case JINJA_TEXT:
        if (quoted)
            print_quoted(out, v.text);
        else
            buf_add(out, v.text.p, v.text.len);
        break;
    case JINJA_LIST:
    case JINJA_DICT: print_many(j, out, v); break;
    default: break;
    }
    if (out->len > JINJA_OUTPUT)
        jinja_fault(j, -E2BIG, "the template writes more than 16 MB");
}

static void json_quoted(struct buf *out, struct str text)
{
    struct json w = json_line_into(out);

    json_str(&w, NULL, text);
}

static void new_line(struct buf *out, int64_t indent, int level)
{
    if (indent > 0)
        buf_printf(out, "\n%*s", (int)(indent * level), "");
}

static void json_many(struct jinja *j, struct buf *out, struct jinja_value v,
        int64_t indent, int level)
{
    bool list = v.kind == JINJA_LIST;
    size_t count = list ? v.list->count : v.dict->count;

    buf_char(out, list ? '[' : '{');
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_text(out, indent > 0 ? "," : ", ");
        new_line(out, indent, level + 1);
        if (!list) {
            json_quoted(out, v.dict->pair[i].key);
            buf_text(out, ": ");
        }
        jinja_json(j, out, list ? v.list->item[i] : v.dict->pair[i].value,
                indent, level + 1);
    }
    if (count)
        new_line(out, indent, level);
    buf_char(out, list ? ']' : '}');
}

void jinja_json(struct jinja *j, struct buf *out, struct jinja_value v,
        int64_t indent, int level)
{
    switch (v.kind) {
    case JINJA_NONE: buf_text(out, "null"); break;
    case JINJA_BOOL: buf_text(out, v.truth ? "true" : "false"); break;
    case JINJA_TEXT: json_quoted(out, v.text); break;
    case JINJA_LIST:
    case JINJA_DICT:
        if (enter(j)) {
            json_many(j, out, v, indent, level);
            j->depth--;
        }
        break;
    case JINJA_INT:
    case JINJA_FLOAT: jinja_print(j, out, v, false); break;
    default:
        jinja_fault(j, -EINVAL, "tojson of a value of type %s",
                jinja_kind_name(v));
        break;
    }
    if (out->len > JINJA_OUTPUT)
        jinja_fault(j, -E2BIG, "the template writes more than 16 MB");
}

/* --- from JSON
 * ------------------------------------------------------------------- */

static struct jinja_value text_from_json(struct jinja *j, struct str json)
{
    struct buf text = { 0 };

    (void)json_read_text(&text, json);

    struct jinja_value v = jinja_copy(j, buf_str(&text));

    buf_release(&text);
    return v;
}

static struct jinja_value number_from_json(struct str json)
{
    struct jinja_value v = { .kind = JINJA_INT };

    if (str_i64(&v.integer, json)) {
        v.kind = JINJA_FLOAT;
        if (str_f64(&v.real, json))
            v.real = 0;
    }
    return v;
}

/* The reader lets no more than 64 levels through. */
struct jinja_value jinja_from_json(struct jinja *j, struct str json)
{
    struct jinja_value v;
    struct str key, value;

    switch (json_kind(json)) {
    case '{':
        v = jinja_new_dict(j);
        while (json_next_member(&json, &key, &value) > 0) {
            struct str quoted = { key.p - 1, key.len + 2 };

            jinja_put(j, v.dict, text_from_json(j, quoted).text,
                    jinja_from_json(j, value));
        }
        return v;
    case '[':
        v = jinja_new_list(j);
        while (json_next_element(&json, &value) > 0)
            jinja_append(j, v.list, jinja_from_json(j, value));
        return v;
    case '"': return text_from_json(j, json);
    case '0': return number_from_json(json);
    case 't': return jinja_bool(true);
    case 'f': return jinja_bool(false);
    default: return jinja_none();
    }
}

struct jinja_list *jinja_items(struct jinja *j, struct jinja_value v)
{
    struct jinja_value list = jinja_new_list(j);

    switch (v.kind) {
    case JINJA_LIST: return v.list;
    case JINJA_UNDEFINED: break;
    case JINJA_DICT:
        for (size_t i = 0; i < v.dict->count; i++)
            jinja_append(j, list.list, jinja_text(v.dict->pair[i].key));
        break;
    case JINJA_TEXT:
        for (size_t at = 0, next = 0; at < v.text.len; at = next) {
            (void)unicode_next(v.text, &next);
            jinja_append(j, list.list,
                    jinja_text((struct str){ v.text.p + at, next - at }));
        }
        break;
    default:
        jinja_fault(j, -EINVAL, "a value of type %s cannot be walked through",
                jinja_kind_name(v));
    }
    return list.list;
}
