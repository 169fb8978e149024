/* Filters, tests and methods: those that chat templates use. */
#include "llm/jinja/jinja_state.h"
#include "llm/unicode/unicode.h"

#include <errno.h>
#include <string.h>

struct jinja_value jinja_arg(const struct jinja_args *args, size_t place,
        const char *name)
{
    for (size_t i = 0; i < args->count; i++)
        if (args->name[i].len ? str_is(args->name[i], name) : i == place)
            return args->value[i];
    return jinja_undefined();
}

struct str jinja_str(struct jinja *j, struct jinja_value v)
{
    if (v.kind == JINJA_TEXT)
        return v.text;
    jinja_fault(j, -EINVAL, "a text is needed where the template has type %s",
            jinja_kind_name(v));
    return (struct str){ "", 0 };
}

static struct jinja_value unknown(struct jinja *j, const char *what,
        struct str name)
{
    return jinja_fault(j, -ENOTSUP, "the template's %s '%.*s' is not known",
            what, (int)(name.len < 60 ? name.len : 60), name.p);
}

/* --- texts
 * ----------------------------------------------------------------------------
 */

static bool is_stripped(uint32_t c, struct jinja_value these)
{
    size_t at = 0;

    if (these.kind != JINJA_TEXT)
        return unicode_is_space(c) || (c >= 0x1c && c <= 0x1f);
    while (at < these.text.len)
        if (unicode_next(these.text, &at) == c)
            return true;
    return false;
}

static struct jinja_value strip(struct str text, bool left, bool right,
        struct jinja_value these)
{
    size_t from = 0, end = text.len;

    for (size_t next = 0; left && from < end; from = next)
        if (!is_stripped(unicode_next(text, &next), these))
            break;
    while (right && end > from) {
        size_t before = unicode_before(text, end), at = before;

        if (!is_stripped(unicode_next(text, &at), these))
            break;
        end = before;
    }
    return jinja_text((struct str){ text.p + from, end - from });
}

static size_t find_from(struct str text, struct str part, size_t at)
{
    for (; part.len && at + part.len <= text.len; at++)
        if (memcmp(text.p + at, part.p, part.len) == 0)
            return at;
    return SIZE_MAX;
}

static struct jinja_value split_words(struct jinja *j, struct str text)
{
    struct jinja_value list = jinja_new_list(j);
    struct str word;

    while ((word = str_word(&text)).len)
        jinja_append(j, list.list, jinja_text(word));
    return list;
}

static struct jinja_value split(struct jinja *j, struct str text,
        const struct jinja_args *args)
{
    struct jinja_value by = jinja_arg(args, 0, "sep"), list;
    struct jinja_value most = jinja_arg(args, 1, "maxsplit");
    int64_t left = most.kind == JINJA_INT && most.integer >= 0 ? most.integer
                                                               : INT64_MAX;
    size_t from = 0, at;

    if (by.kind != JINJA_TEXT || !by.text.len)
        return split_words(j, text);
    list = jinja_new_list(j);
    while (left-- > 0 && (at = find_from(text, by.text, from)) != SIZE_MAX) {
        jinja_append(j, list.list,
                jinja_text((struct str){ text.p + from, at - from }));
        from = at + by.text.len;
    }
    jinja_append(j, list.list,
            jinja_text((struct str){ text.p + from, text.len - from }));
    return list;
}

static struct jinja_value replace(struct jinja *j, struct str text,
        const struct jinja_args *args)
{
    struct str old = jinja_str(j, jinja_arg(args, 0, "old"));
    struct str with = jinja_str(j, jinja_arg(args, 1, "new"));
    struct buf out = { 0 };
    size_t from = 0, at;

    while ((at = find_from(text, old, from)) != SIZE_MAX) {
        buf_add(&out, text.p + from, at - from);
        buf_add(&out, with.p, with.len);
        from = at + old.len;
        if (out.len > JINJA_OUTPUT)
            break;
    }
    buf_add(&out, text.p + from, text.len - from);

    struct jinja_value v = jinja_copy(j, buf_str(&out));

    buf_release(&out);
    return v;
}

/* ASCII alone: names of roles and the like. */
static struct jinja_value change_case(struct jinja *j, struct str text,
        struct str how)
{
    struct jinja_value v = jinja_copy(j, text);
    char *p = jinja_alloc(j, text.len + 1, 1);
    bool begins = true;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool up = str_is(how, "upper") ||
                  (begins && !str_is(how, "lower") && letter);

        if (letter)
            c = (char)(up ? c & ~0x20 : c | 0x20);
        begins = str_is(how, "title") ? !letter : false;
        p[i] = c;
    }
    v.text.p = p;
    return v;
}

static bool starts(struct str text, struct str part)
{
    return text.len >= part.len && memcmp(text.p, part.p, part.len) == 0;
}

static bool ends(struct str text, struct str part)
{
    return text.len >= part.len &&
           memcmp(text.p + text.len - part.len, part.p, part.len) == 0;
}

/* startswith() takes several, too. */
static struct jinja_value meets(struct jinja *j, struct str text,
        struct jinja_value what, bool (*does)(struct str, struct str))
{
    if (what.kind != JINJA_LIST)
        return jinja_bool(does(text, jinja_str(j, what)));
    for (size_t i = 0; i < what.list->count; i++)
        if (does(text, jinja_str(j, what.list->item[i])))
            return jinja_bool(true);
    return jinja_bool(false);
}

static struct jinja_value join(struct jinja *j, struct jinja_value v,
        struct str between)
{
    const struct jinja_list *l = jinja_items(j, v);
    struct buf out = { 0 };

    for (size_t i = 0; i < l->count && !j->rc; i++) {
        if (i)
            buf_add(&out, between.p, between.len);
        jinja_print(j, &out, l->item[i], false);
    }
    v = jinja_copy(j, buf_str(&out));
    buf_release(&out);
    return v;
}

static bool is_case(struct str name)
{
    return str_is(name, "upper") || str_is(name, "lower") ||
           str_is(name, "title") || str_is(name, "capitalize");
}

static struct jinja_value text_method(struct jinja *j, struct str name,
        struct str text, const struct jinja_args *args)
{
    struct jinja_value first = jinja_arg(args, 0, "");

    if (str_is(name, "strip"))
        return strip(text, true, true, first);
    if (str_is(name, "lstrip"))
        return strip(text, true, false, first);
    if (str_is(name, "rstrip"))
        return strip(text, false, true, first);
    if (str_is(name, "split"))
        return split(j, text, args);
    if (str_is(name, "replace"))
        return replace(j, text, args);
    if (str_is(name, "startswith"))
        return meets(j, text, first, starts);
    if (str_is(name, "endswith"))
        return meets(j, text, first, ends);
    if (str_is(name, "join"))
        return join(j, first, text);
    if (is_case(name))
        return change_case(j, text, name);
    return unknown(j, "method", name);
}

/* --- dicts and lists
 * ---------------------------------------------------------------------- */

static struct jinja_value pairs(struct jinja *j, struct jinja_value v)
{
    struct jinja_value list = jinja_new_list(j);

    for (size_t i = 0; v.kind == JINJA_DICT && i < v.dict->count; i++) {
        struct jinja_value pair = jinja_new_list(j);

        jinja_append(j, pair.list, jinja_text(v.dict->pair[i].key));
        jinja_append(j, pair.list, v.dict->pair[i].value);
        jinja_append(j, list.list, pair);
    }
    return list;
}

static struct jinja_value dict_method(struct jinja *j, struct str name,
        struct jinja_value v, const struct jinja_args *args)
{
    struct jinja_value list;

    if (str_is(name, "items"))
        return pairs(j, v);
    if (str_is(name, "get")) {
        const struct jinja_value *found =
                jinja_get(v.dict, jinja_str(j, jinja_arg(args, 0, "key")));
        struct jinja_value other = jinja_arg(args, 1, "default");

        if (found)
            return *found;
        return other.kind == JINJA_UNDEFINED ? jinja_none() : other;
    }
    if (!str_is(name, "keys") && !str_is(name, "values"))
        return unknown(j, "method", name);
    list = jinja_new_list(j);
    for (size_t i = 0; i < v.dict->count; i++)
        jinja_append(j, list.list,
                name.p[0] == 'k' ? jinja_text(v.dict->pair[i].key)
                                 : v.dict->pair[i].value);
    return list;
}

struct jinja_value jinja_method(struct jinja *j, struct str name,
        struct jinja_value v, const struct jinja_args *args)
{
    if (v.kind == JINJA_TEXT)
        return text_method(j, name, v.text, args);
    if (v.kind == JINJA_DICT)
        return dict_method(j, name, v, args);
    if (v.kind == JINJA_LIST && str_is(name, "append")) {
        jinja_append(j, v.list, jinja_arg(args, 0, "object"));
        return jinja_none();
    }
    if (v.kind == JINJA_UNDEFINED)
        return jinja_fault(j, -EINVAL,
                "the template calls '%.*s' of what is not defined",
                (int)(name.len < 60 ? name.len : 60), name.p);
    return unknown(j, "method", name);
}

/* --- tests
 * --------------------------------------------------------------------------------
 */

static int test_kind(struct str name, struct jinja_value v)
{
    enum jinja_kind k = v.kind;
    bool number = k == JINJA_INT || k == JINJA_FLOAT;

    if (str_is(name, "defined"))
        return k != JINJA_UNDEFINED;
    if (str_is(name, "undefined"))
        return k == JINJA_UNDEFINED;
    if (str_is(name, "none"))
        return k == JINJA_NONE;
    if (str_is(name, "string"))
        return k == JINJA_TEXT;
    if (str_is(name, "number"))
        return number || k == JINJA_BOOL;
    if (str_is(name, "integer"))
        return k == JINJA_INT;
    if (str_is(name, "float"))
        return k == JINJA_FLOAT;
    if (str_is(name, "boolean"))
        return k == JINJA_BOOL;
    if (str_is(name, "true"))
        return k == JINJA_BOOL && v.truth;
    if (str_is(name, "false"))
        return k == JINJA_BOOL && !v.truth;
    if (str_is(name, "mapping"))
        return k == JINJA_DICT;
    if (str_is(name, "iterable"))
        return k == JINJA_TEXT || k == JINJA_LIST || k == JINJA_DICT ||
               k == JINJA_UNDEFINED;
    if (str_is(name, "sequence"))
        return k == JINJA_TEXT || k == JINJA_LIST || k == JINJA_DICT;
    if (str_is(name, "callable"))
        return k == JINJA_MACRO;
    return -1;
}

bool jinja_test(struct jinja *j, struct str name, struct jinja_value v,
        const struct jinja_args *args)
{
    struct jinja_value other = jinja_arg(args, 0, "");
    int found = test_kind(name, v);

    if (found >= 0)
        return found;
    if (str_is(name, "equalto") || str_is(name, "eq") || str_is(name, "sameas"))
        return jinja_equal(j, v, other);
    if (str_is(name, "ne"))
        return !jinja_equal(j, v, other);
    if (str_is(name, "in"))
        return jinja_contains(j, other, v);
    if (v.kind == JINJA_INT && str_is(name, "odd"))
        return v.integer % 2 != 0;
    if (v.kind == JINJA_INT && str_is(name, "even"))
        return v.integer % 2 == 0;
    if (v.kind == JINJA_INT && str_is(name, "divisibleby") &&
            other.kind == JINJA_INT && other.integer > 0)
        return v.integer % other.integer == 0;
    unknown(j, "test", name);
    return false;
}

/* --- filters
 * -------------------------------------------------------------------------------
 */

/* selectattr("role", "equalto", "user") and its kin; without a test: whether it
 * is true. */
static struct jinja_value choose(struct jinja *j, struct str name,
        struct jinja_value v, const struct jinja_args *args)
{
    bool member = ends(name, str_of("attr"));
    bool rejects = starts(name, str_of("reject"));
    const struct jinja_list *l = jinja_items(j, v);
    struct jinja_value list = jinja_new_list(j);
    size_t skip = member ? 1 : 0;

    for (size_t i = 0; i < l->count && !j->rc; i++) {
        struct jinja_value of = l->item[i];
        bool passes;

        if (member)
            of = jinja_member(j, of, jinja_str(j, jinja_arg(args, 0, "")));
        if (args->count > skip) {
            struct jinja_args rest = { args->value + skip + 1,
                args->name + skip + 1, args->count - skip - 1 };

            passes = jinja_test(j, jinja_str(j, args->value[skip]), of, &rest);
        } else {
            passes = jinja_truth(of);
        }
        if (passes != rejects)
            jinja_append(j, list.list, l->item[i]);
    }
    return list;
}

static struct jinja_value map(struct jinja *j, struct jinja_value v,
        const struct jinja_args *args)
{
    const struct jinja_list *l = jinja_items(j, v);
    struct jinja_value list = jinja_new_list(j);
    struct jinja_value member = jinja_arg(args, SIZE_MAX, "attribute");

    for (size_t i = 0; i < l->count && !j->rc; i++) {
        if (member.kind == JINJA_TEXT) {
            jinja_append(j, list.list,
                    jinja_member(j, l->item[i], member.text));
        } else if (args->count) {
            struct jinja_args rest = { args->value + 1, args->name + 1,
                args->count - 1 };

            jinja_append(j, list.list,
                    jinja_filter(j, jinja_str(j, args->value[0]), l->item[i],
                            &rest));
        }
    }
    return list;
}

static struct jinja_value length(struct jinja *j, struct jinja_value v)
{
    if (v.kind == JINJA_DICT)
        return jinja_int((int64_t)v.dict->count);
    return jinja_int((int64_t)jinja_items(j, v)->count);
}

static struct jinja_value as_json(struct jinja *j, struct jinja_value v,
        const struct jinja_args *args)
{
    struct jinja_value indent = jinja_arg(args, SIZE_MAX, "indent");
    struct buf out = { 0 };

    jinja_json(j, &out, v,
            indent.kind == JINJA_INT && indent.integer > 0 &&
                            indent.integer <= 16
                    ? indent.integer
                    : 0,
            0);
    v = jinja_copy(j, buf_str(&out));
    buf_release(&out);
    return v;
}

static struct jinja_value as_text(struct jinja *j, struct jinja_value v)
{
    struct buf out = { 0 };

    if (v.kind == JINJA_TEXT)
        return v;
    jinja_print(j, &out, v, false);
    v = jinja_copy(j, buf_str(&out));
    buf_release(&out);
    return v;
}

static struct jinja_value copy_list(struct jinja *j, struct jinja_value v,
        bool backwards)
{
    const struct jinja_list *l = jinja_items(j, v);
    struct jinja_value list = jinja_new_list(j);

    for (size_t i = 0; i < l->count; i++)
        jinja_append(j, list.list, l->item[backwards ? l->count - 1 - i : i]);
    return list;
}

static struct jinja_value end_of(struct jinja *j, struct jinja_value v,
        bool last)
{
    const struct jinja_list *l = jinja_items(j, v);

    return l->count ? l->item[last ? l->count - 1 : 0] : jinja_undefined();
}

static struct jinja_value as_int(struct jinja_value v)
{
    if (v.kind == JINJA_FLOAT && v.real > -9e18 && v.real < 9e18)
        return jinja_int((int64_t)v.real);
    if (v.kind == JINJA_BOOL)
        return jinja_int(v.truth);
    if (v.kind == JINJA_TEXT) {
        int64_t number = 0;

        (void)str_i64(&number, str_trim(v.text));
        return jinja_int(number);
    }
    return v.kind == JINJA_INT ? v : jinja_int(0);
}

static struct jinja_value otherwise(struct jinja_value v,
        const struct jinja_args *args)
{
    struct jinja_value other = jinja_arg(args, 0, "default_value");
    bool falsy = jinja_truth(jinja_arg(args, 1, "boolean"));

    if (v.kind != JINJA_UNDEFINED && !(falsy && !jinja_truth(v)))
        return v;
    return other.kind == JINJA_UNDEFINED ? jinja_text(str_of("")) : other;
}

static struct jinja_value filter_list(struct jinja *j, struct str name,
        struct jinja_value v, const struct jinja_args *args)
{
    struct jinja_value between = jinja_arg(args, 0, "d");

    if (str_is(name, "list"))
        return copy_list(j, v, false);
    if (str_is(name, "reverse"))
        return copy_list(j, v, true);
    if (str_is(name, "first") || str_is(name, "last"))
        return end_of(j, v, name.p[0] == 'l');
    if (str_is(name, "join"))
        return join(j, v,
                between.kind == JINJA_TEXT ? between.text : str_of(""));
    if (str_is(name, "items"))
        return pairs(j, v);
    if (str_is(name, "map"))
        return map(j, v, args);
    if (str_is(name, "selectattr") || str_is(name, "rejectattr") ||
            str_is(name, "select") || str_is(name, "reject"))
        return choose(j, name, v, args);
    return unknown(j, "filter", name);
}

struct jinja_value jinja_filter(struct jinja *j, struct str name,
        struct jinja_value v, const struct jinja_args *args)
{
    if (str_is(name, "trim"))
        return strip(as_text(j, v).text, true, true,
                jinja_arg(args, 0, "chars"));
    if (str_is(name, "length") || str_is(name, "count"))
        return length(j, v);
    if (str_is(name, "tojson"))
        return as_json(j, v, args);
    if (str_is(name, "string"))
        return as_text(j, v);
    if (str_is(name, "safe"))
        return v;
    if (str_is(name, "int"))
        return as_int(v);
    if (str_is(name, "default") || str_is(name, "d"))
        return otherwise(v, args);
    if (str_is(name, "replace"))
        return replace(j, as_text(j, v).text, args);
    if (is_case(name))
        return change_case(j, as_text(j, v).text, name);
    return filter_list(j, name, v, args);
}
