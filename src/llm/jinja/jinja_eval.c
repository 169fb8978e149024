#include "llm/jinja/jinja_eval.h"

#include "llm/unicode/unicode.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct jinja_value eval(struct jinja *j, const struct jinja_node *n);

/* --- variables
 * ------------------------------------------------------------------------ */

static struct jinja_value find_variable(struct jinja *j, struct str name)
{
    for (const struct jinja_dict *d = j->scope; d; d = d->outer) {
        const struct jinja_value *v = jinja_get(d, name);

        if (v)
            return *v;
    }
    return jinja_undefined();
}

static void push_scope(struct jinja *j, struct jinja_dict *outer)
{
    struct jinja_value scope = jinja_new_dict(j);

    scope.dict->outer = outer;
    j->scope = scope.dict;
}

struct jinja_value jinja_member(struct jinja *j, struct jinja_value v,
        struct str name)
{
    const struct jinja_value *found =
            v.kind == JINJA_DICT ? jinja_get(v.dict, name) : NULL;

    if (v.kind == JINJA_UNDEFINED)
        return jinja_fault(j, -EINVAL,
                "the template asks for '%.*s' of what is not defined",
                (int)(name.len < 60 ? name.len : 60), name.p);
    return found ? *found : jinja_undefined();
}

/* --- parts of lists and texts
 * ------------------------------------------------------------ */

static struct jinja_value index_of(struct jinja *j, struct jinja_value v,
        struct jinja_value at)
{
    if (at.kind == JINJA_TEXT)
        return jinja_member(j, v, at.text);
    if (v.kind == JINJA_UNDEFINED)
        return jinja_fault(j, -EINVAL,
                "the template asks for a part of what is not defined");
    if (at.kind != JINJA_INT || (v.kind != JINJA_LIST && v.kind != JINJA_TEXT))
        return jinja_undefined();

    const struct jinja_list *l = jinja_items(j, v);
    int64_t count = (int64_t)l->count;
    int64_t i = at.integer < 0 ? at.integer + count : at.integer;

    return i >= 0 && i < count ? l->item[i] : jinja_undefined();
}

static int64_t clamp(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

/* As Python does it: each bound may be left out, or count from the end. */
static int64_t slice_bound(struct jinja *j, const struct jinja_node *n,
        int64_t otherwise, int64_t count, int64_t step)
{
    struct jinja_value v = n ? eval(j, n) : jinja_none();
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? count - 1 : count;

    if (v.kind != JINJA_INT)
        return otherwise;
    return clamp(v.integer < 0 ? v.integer + count : v.integer, low, high);
}

static struct jinja_value slice(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_value v = eval(j, n->a), out = jinja_new_list(j);
    const struct jinja_list *l = jinja_items(j, v);
    struct jinja_value by = n->list[2] ? eval(j, n->list[2]) : jinja_int(1);
    int64_t count = (int64_t)l->count,
            step = by.kind == JINJA_INT ? by.integer : 1;

    if (step == 0 || step > count + 1 || step < -count - 1)
        step = step < 0 ? -count - 1 : count + 1;

    int64_t from =
            slice_bound(j, n->list[0], step < 0 ? count - 1 : 0, count, step);
    int64_t to = slice_bound(j, n->list[1], step < 0 ? -1 : count, count, step);

    for (int64_t i = from; step < 0 ? i > to : i < to; i += step)
        jinja_append(j, out.list, l->item[i]);
    if (v.kind != JINJA_TEXT)
        return out;

    struct buf text = { 0 };

    for (size_t i = 0; i < out.list->count; i++)
        jinja_print(j, &text, out.list->item[i], false);
    out = jinja_copy(j, buf_str(&text));
    buf_release(&text);
    return out;
}

/* --- operators
 * ----------------------------------------------------------------------------
 */

static struct jinja_value join_texts(struct jinja *j, struct jinja_value a,
        struct jinja_value b)
{
    struct buf both = { 0 };

    jinja_print(j, &both, a, false);
    jinja_print(j, &both, b, false);

    struct jinja_value v = jinja_copy(j, buf_str(&both));

    buf_release(&both);
    return v;
}

static struct jinja_value join_lists(struct jinja *j, struct jinja_value a,
        struct jinja_value b)
{
    struct jinja_value v = jinja_new_list(j);

    for (size_t i = 0; i < a.list->count; i++)
        jinja_append(j, v.list, a.list->item[i]);
    for (size_t i = 0; i < b.list->count; i++)
        jinja_append(j, v.list, b.list->item[i]);
    return v;
}

static bool is_number(struct jinja_value v)
{
    return v.kind == JINJA_INT || v.kind == JINJA_FLOAT || v.kind == JINJA_BOOL;
}

static double as_real(struct jinja_value v)
{
    if (v.kind == JINJA_FLOAT)
        return v.real;
    return v.kind == JINJA_BOOL ? v.truth : (double)v.integer;
}

static struct jinja_value real_of(double value)
{
    return (struct jinja_value){ .kind = JINJA_FLOAT, .real = value };
}

/* Whole numbers, which wrap where Python's would grow. */
static struct jinja_value count_with(struct jinja *j, char sign, int64_t a,
        int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (sign) {
    case '+': return jinja_int((int64_t)(x + y));
    case '-': return jinja_int((int64_t)(x - y));
    case '*': return jinja_int((int64_t)(x * y));
    default: break;
    }
    if (b == 0)
        return jinja_fault(j, -EINVAL, "the template divides by 0");
    if (b == -1)
        return jinja_int(sign == '%' ? 0 : (int64_t)(0 - x));

    int64_t rest = a % b, whole = a / b;
    bool down = rest != 0 && (rest < 0) != (b < 0);

    return jinja_int(sign == '%' ? rest + (down ? b : 0) : whole - down);
}

static struct jinja_value calculate(struct jinja *j, struct str sign,
        struct jinja_value a, struct jinja_value b)
{
    bool whole = a.kind != JINJA_FLOAT && b.kind != JINJA_FLOAT;
    double x = as_real(a), y = as_real(b);

    if (str_is(sign, "**"))
        return whole ? jinja_int(clamp((int64_t)pow(x, y),
                               -INT64_C(0x10000000000000),
                               INT64_C(0x10000000000000)))
                     : real_of(pow(x, y));
    if (whole && !str_is(sign, "/"))
        return count_with(j, (char)(str_is(sign, "//") ? 'd' : sign.p[0]),
                (int64_t)x, (int64_t)y);
    switch (sign.p[0]) {
    case '+': return real_of(x + y);
    case '-': return real_of(x - y);
    case '*': return real_of(x * y);
    default: break;
    }
    if (!(y < 0 || y > 0))
        return jinja_fault(j, -EINVAL, "the template divides by 0");
    if (str_is(sign, "/"))
        return real_of(x / y);
    return real_of(str_is(sign, "//") ? floor(x / y) : x - floor(x / y) * y);
}

static int order(struct jinja_value a, struct jinja_value b)
{
    if (a.kind != JINJA_TEXT)
        return (as_real(a) > as_real(b)) - (as_real(a) < as_real(b));

    size_t least = a.text.len < b.text.len ? a.text.len : b.text.len;
    int found = least ? memcmp(a.text.p, b.text.p, least) : 0;

    return found ? found
                 : (a.text.len > b.text.len) - (a.text.len < b.text.len);
}

static struct jinja_value compare(struct jinja *j, struct str sign,
        struct jinja_value a, struct jinja_value b)
{
    if (str_is(sign, "=="))
        return jinja_bool(jinja_equal(j, a, b));
    if (str_is(sign, "!="))
        return jinja_bool(!jinja_equal(j, a, b));
    if (str_is(sign, "in"))
        return jinja_bool(jinja_contains(j, b, a));
    if (str_is(sign, "not in"))
        return jinja_bool(!jinja_contains(j, b, a));
    if (!(is_number(a) && is_number(b)) &&
            !(a.kind == JINJA_TEXT && b.kind == JINJA_TEXT))
        return jinja_fault(j, -EINVAL,
                "the template compares a value of type %s with one of type %s",
                jinja_kind_name(a), jinja_kind_name(b));

    int found = order(a, b);

    if (sign.p[0] == '<')
        return jinja_bool(found < 0 || (sign.len == 2 && found == 0));
    return jinja_bool(found > 0 || (sign.len == 2 && found == 0));
}

static struct jinja_value repeat(struct jinja *j, struct jinja_value text,
        int64_t times)
{
    struct buf many = { 0 };

    for (int64_t i = 0; i < times && !j->rc; i++)
        jinja_print(j, &many, text, false);

    struct jinja_value v = jinja_copy(j, buf_str(&many));

    buf_release(&many);
    return v;
}

static struct jinja_value binary(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_value a = eval(j, n->a), b = eval(j, n->b);
    char sign = n->text.p[0];

    if (j->rc)
        return jinja_undefined();
    if (strchr("=!<>in", sign))
        return compare(j, n->text, a, b);
    if (sign == '~')
        return join_texts(j, a, b);
    if (is_number(a) && is_number(b))
        return calculate(j, n->text, a, b);
    if (sign == '+' && a.kind == JINJA_TEXT && b.kind == JINJA_TEXT)
        return join_texts(j, a, b);
    if (sign == '+' && a.kind == JINJA_LIST && b.kind == JINJA_LIST)
        return join_lists(j, a, b);
    if (n->text.len == 1 && sign == '*' && a.kind == JINJA_TEXT &&
            b.kind == JINJA_INT)
        return repeat(j, a, b.integer);
    return jinja_fault(j, -EINVAL,
            "the template applies '%.*s' to values of type %s and %s",
            (int)n->text.len, n->text.p, jinja_kind_name(a),
            jinja_kind_name(b));
}

/* --- calls
 * -------------------------------------------------------------------------------
 */

static struct jinja_args eval_args(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_args args = { .name = n->name, .count = n->count };

    args.value = jinja_alloc(j, n->count + 1, sizeof(*args.value));
    for (size_t i = 0; i < n->count; i++)
        args.value[i] = eval(j, n->list[i]);
    return args;
}

static struct jinja_value call_macro(struct jinja *j,
        const struct jinja_node *macro, const struct jinja_args *args)
{
    struct jinja_dict *scope = j->scope;
    struct buf text = { 0 }, *out = j->out;

    push_scope(j, j->global);
    for (size_t i = 0; i < macro->count; i++) {
        struct jinja_value v = jinja_undefined();

        if (i < args->count && !args->name[i].len)
            v = args->value[i];
        else if (macro->list[i])
            v = eval(j, macro->list[i]);
        for (size_t k = 0; k < args->count; k++)
            if (str_eq(args->name[k], macro->name[i]))
                v = args->value[k];
        jinja_put(j, j->scope, macro->name[i], v);
    }
    j->out = &text;
    jinja_run(j, macro->body);
    j->out = out;
    j->scope = scope;

    struct jinja_value v = jinja_copy(j, buf_str(&text));

    buf_release(&text);
    return v;
}

static struct jinja_value make_range(struct jinja *j,
        const struct jinja_args *args)
{
    struct jinja_value list = jinja_new_list(j);
    struct jinja_value one = jinja_arg(args, 0, ""),
                       two = jinja_arg(args, 1, "");
    struct jinja_value by = jinja_arg(args, 2, "");
    int64_t from = two.kind == JINJA_INT ? one.integer : 0;
    int64_t to = two.kind == JINJA_INT ? two.integer : one.integer;
    int64_t step = by.kind == JINJA_INT ? by.integer : 1;

    if (one.kind != JINJA_INT || step == 0 || step == INT64_MIN)
        return jinja_fault(j, -EINVAL, "the template's range() has no bounds");
    for (int64_t i = from; step < 0 ? i > to : i < to; i += step) {
        if (list.list->count > 100000)
            return jinja_fault(j, -E2BIG, "the template's range() is too long");
        jinja_append(j, list.list, jinja_int(i));
    }
    return list;
}

static struct jinja_value call_function(struct jinja *j, struct str name,
        const struct jinja_args *args)
{
    if (str_is(name, "raise_exception")) {
        struct str why = jinja_str(j, jinja_arg(args, 0, "message"));

        if (!why.len || !*why.p)
            return jinja_fault(j, -EPROTO, "for no reason that it gives");
        return jinja_fault(j, -EPROTO, "%.*s",
                (int)(why.len < 250 ? why.len : 250), why.p);
    }
    if (str_is(name, "namespace") || str_is(name, "dict")) {
        struct jinja_value v = jinja_new_dict(j);

        for (size_t i = 0; i < args->count; i++)
            if (args->name[i].len)
                jinja_put(j, v.dict, args->name[i], args->value[i]);
        return v;
    }
    if (str_is(name, "range"))
        return make_range(j, args);
    if (str_is(name, "strftime_now"))
        return jinja_text(str_of(j->date));
    return jinja_fault(j, -ENOTSUP,
            "the template's function '%.*s' is not known",
            (int)(name.len < 60 ? name.len : 60), name.p);
}

static struct jinja_value call(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_args args = eval_args(j, n);

    if (j->rc)
        return jinja_undefined();
    if (n->a->kind == NODE_MEMBER) {
        struct jinja_value of = eval(j, n->a->a);
        const struct jinja_value *own =
                of.kind == JINJA_DICT ? jinja_get(of.dict, n->a->text) : NULL;

        if (own && own->kind == JINJA_MACRO)
            return call_macro(j, own->macro, &args);
        return jinja_method(j, n->a->text, of, &args);
    }
    if (n->a->kind != NODE_NAME)
        return jinja_fault(j, -ENOTSUP, "the template calls what has no name");

    struct jinja_value v = find_variable(j, n->a->text);

    if (v.kind == JINJA_MACRO)
        return call_macro(j, v.macro, &args);
    return call_function(j, n->a->text, &args);
}

/* --- expressions
 * ------------------------------------------------------------------------- */

static struct jinja_value make_dict(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_value v = jinja_new_dict(j);

    for (size_t i = 0; i + 1 < n->count; i += 2) {
        struct str key = jinja_str(j, eval(j, n->list[i]));

        jinja_put(j, v.dict, key, eval(j, n->list[i + 1]));
    }
    return v;
}

static struct jinja_value make_list(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_value v = jinja_new_list(j);

    for (size_t i = 0; i < n->count; i++)
        jinja_append(j, v.list, eval(j, n->list[i]));
    return v;
}

static struct jinja_value negative(struct jinja *j, struct jinja_value v)
{
    if (v.kind == JINJA_FLOAT)
        return real_of(-v.real);
    if (v.kind == JINJA_INT)
        return jinja_int((int64_t)(0 - (uint64_t)v.integer));
    return jinja_fault(j, -EINVAL, "the template negates a value of type %s",
            jinja_kind_name(v));
}

/* Those that decide what else is looked at. */
static struct jinja_value decide(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_value v;

    switch (n->kind) {
    case NODE_AND: v = eval(j, n->a); return jinja_truth(v) ? eval(j, n->b) : v;
    case NODE_OR: v = eval(j, n->a); return jinja_truth(v) ? v : eval(j, n->b);
    case NODE_NOT: return jinja_bool(!jinja_truth(eval(j, n->a)));
    default: break;
    }
    if (jinja_truth(eval(j, n->b)))
        return eval(j, n->a);
    return n->c ? eval(j, n->c) : jinja_undefined();
}

static struct jinja_value apply(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_value of = eval(j, n->a);
    struct jinja_args args = eval_args(j, n);

    if (j->rc)
        return jinja_undefined();
    if (n->kind == NODE_TEST)
        return jinja_bool(jinja_test(j, n->text, of, &args));
    return jinja_filter(j, n->text, of, &args);
}

static struct jinja_value eval_node(struct jinja *j, const struct jinja_node *n)
{
    switch (n->kind) {
    case NODE_LITERAL: return n->value;
    case NODE_NAME: return find_variable(j, n->text);
    case NODE_LIST: return make_list(j, n);
    case NODE_DICT: return make_dict(j, n);
    case NODE_MEMBER: return jinja_member(j, eval(j, n->a), n->text);
    case NODE_INDEX: return index_of(j, eval(j, n->a), eval(j, n->b));
    case NODE_SLICE: return slice(j, n);
    case NODE_CALL: return call(j, n);
    case NODE_FILTER:
    case NODE_TEST: return apply(j, n);
    case NODE_NEGATIVE: return negative(j, eval(j, n->a));
    case NODE_BINARY: return binary(j, n);
    default: return decide(j, n);
    }
}

static struct jinja_value eval(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_value v = jinja_undefined();

    if (++j->steps > JINJA_STEPS || j->depth >= 4 * JINJA_DEPTH)
        return jinja_fault(j, -E2BIG, "the template does not end");
    if (j->rc)
        return v;
    j->depth++;
    v = eval_node(j, n);
    j->depth--;
    return v;
}

/* --- statements
 * -------------------------------------------------------------------------- */

static void set(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_value v, of;

    if (n->b) {
        v = eval(j, n->b);
    } else {
        struct buf text = { 0 }, *out = j->out;

        j->out = &text;
        jinja_run(j, n->body);
        j->out = out;
        v = jinja_copy(j, buf_str(&text));
        buf_release(&text);
    }
    if (n->a->kind == NODE_NAME) {
        jinja_put(j, j->scope, n->a->text, v);
        return;
    }
    of = eval(j, n->a->a);
    if (of.kind != JINJA_DICT)
        jinja_fault(j, -EINVAL,
                "the template sets a member of a value of type %s",
                jinja_kind_name(of));
    else if (n->a->kind == NODE_MEMBER)
        jinja_put(j, of.dict, n->a->text, v);
    else
        jinja_put(j, of.dict, jinja_str(j, eval(j, n->a->b)), v);
}

static void put_names(struct jinja *j, const struct jinja_node *n,
        struct jinja_value v)
{
    if (n->count == 1) {
        jinja_put(j, j->scope, n->name[0], v);
        return;
    }
    if (v.kind != JINJA_LIST || v.list->count != n->count) {
        jinja_fault(j, -EINVAL,
                "the template takes apart what is no %zu values", n->count);
        return;
    }
    for (size_t i = 0; i < n->count; i++)
        jinja_put(j, j->scope, n->name[i], v.list->item[i]);
}

static void put_loop(struct jinja *j, const struct jinja_list *l, size_t i)
{
    struct jinja_value loop = jinja_new_dict(j);
    struct jinja_dict *d = loop.dict;
    int64_t count = (int64_t)l->count, at = (int64_t)i;

    jinja_put(j, d, str_of("index0"), jinja_int(at));
    jinja_put(j, d, str_of("index"), jinja_int(at + 1));
    jinja_put(j, d, str_of("revindex0"), jinja_int(count - at - 1));
    jinja_put(j, d, str_of("revindex"), jinja_int(count - at));
    jinja_put(j, d, str_of("first"), jinja_bool(i == 0));
    jinja_put(j, d, str_of("last"), jinja_bool(i + 1 == l->count));
    jinja_put(j, d, str_of("length"), jinja_int(count));
    if (i)
        jinja_put(j, d, str_of("previtem"), l->item[i - 1]);
    if (i + 1 < l->count)
        jinja_put(j, d, str_of("nextitem"), l->item[i + 1]);
    jinja_put(j, j->scope, str_of("loop"), loop);
}

/* The items that the loop's own condition lets pass. */
static const struct jinja_list *choose_items(struct jinja *j,
        const struct jinja_node *n)
{
    struct jinja_dict *scope = j->scope;
    const struct jinja_list *all = jinja_items(j, eval(j, n->a));
    struct jinja_value chosen;

    if (!n->b)
        return all;
    chosen = jinja_new_list(j);
    for (size_t i = 0; i < all->count && !j->rc; i++) {
        push_scope(j, scope);
        put_names(j, n, all->item[i]);
        if (jinja_truth(eval(j, n->b)))
            jinja_append(j, chosen.list, all->item[i]);
    }
    j->scope = scope;
    return chosen.list;
}

static void loop(struct jinja *j, const struct jinja_node *n)
{
    struct jinja_dict *scope = j->scope;
    const struct jinja_list *l = choose_items(j, n);

    for (size_t i = 0; i < l->count && !j->rc && !j->breaks; i++) {
        push_scope(j, scope);
        put_loop(j, l, i);
        put_names(j, n, l->item[i]);
        jinja_run(j, n->body);
        j->continues = false;
    }
    j->breaks = false;
    j->scope = scope;
    if (!l->count)
        jinja_run(j, n->orelse);
}

static void run_one(struct jinja *j, const struct jinja_node *n)
{
    switch (n->kind) {
    case NODE_TEXT: buf_add(j->out, n->text.p, n->text.len); break;
    case NODE_PRINT: jinja_print(j, j->out, eval(j, n->a), false); break;
    case NODE_IF:
        jinja_run(j, jinja_truth(eval(j, n->a)) ? n->body : n->orelse);
        break;
    case NODE_FOR: loop(j, n); break;
    case NODE_SET: set(j, n); break;
    case NODE_MACRO:
        jinja_put(j, j->scope, n->text,
                (struct jinja_value){ .kind = JINJA_MACRO, .macro = n });
        break;
    case NODE_BREAK: j->breaks = true; break;
    case NODE_CONTINUE: j->continues = true; break;
    default: break;
    }
    if (j->out->len > JINJA_OUTPUT)
        jinja_fault(j, -E2BIG, "the template writes more than 16 MB");
}

void jinja_run(struct jinja *j, const struct jinja_node *n)
{
    if (j->depth >= 4 * JINJA_DEPTH)
        jinja_fault(j, -E2BIG, "the template's calls lie too deep");
    j->depth++;
    for (; n && !j->rc && !j->breaks && !j->continues; n = n->next) {
        if (++j->steps > JINJA_STEPS)
            jinja_fault(j, -E2BIG, "the template does not end");
        run_one(j, n);
    }
    j->depth--;
}
