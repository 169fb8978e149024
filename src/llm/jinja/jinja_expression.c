/* Expressions of a template: tokens, then precedence, loosest first. */
#include "llm/jinja/jinja_parse.h"

#include <errno.h>
#include <string.h>

/* --- tokens
 * ------------------------------------------------------------------------ */

static bool is_name(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}

static bool ends_tag(const struct parser *p)
{
    const char *s = p->text.p + p->at;
    size_t left = p->text.len - p->at;
    size_t sign = left && (s[0] == '-' || s[0] == '+');

    return !p->nested && left >= sign + 2 && s[sign + 1] == '}' &&
           (s[sign] == '%' || s[sign] == '}');
}

static char unescaped(char c)
{
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'b': return '\b';
    case 'f': return '\f';
    default: return c;
    }
}

static void take_text(struct parser *p, char quote)
{
    size_t from = ++p->at, len = 0;
    char *out = jinja_alloc(p->j,
            p->text.len - from + 1 > 256 ? 256 : p->text.len - from + 1, 1);
    size_t end = from;

    while (end < p->text.len && p->text.p[end] != quote)
        end += p->text.p[end] == '\\' ? 2 : 1;
    if (end >= p->text.len) {
        parse_fault(p, "the end of a text");
        return;
    }
    if (end - from > 255)
        out = jinja_alloc(p->j, end - from + 1, 1);
    for (size_t i = from; i < end; i++) {
        if (p->text.p[i] != '\\') {
            out[len++] = p->text.p[i];
            continue;
        }
        i++;
        if (p->text.p[i] != '\n')
            out[len++] = unescaped(p->text.p[i]);
    }
    p->at = end + 1;
    p->token.kind = TOKEN_TEXT;
    p->token.text = (struct str){ out, len };
}

static void take_number(struct parser *p)
{
    size_t from = p->at;
    const char *s = p->text.p;

    while (p->at < p->text.len && s[p->at] >= '0' && s[p->at] <= '9')
        p->at++;
    if (p->at + 1 < p->text.len && s[p->at] == '.' && s[p->at + 1] >= '0' &&
            s[p->at + 1] <= '9') {
        p->at++;
        while (p->at < p->text.len && s[p->at] >= '0' && s[p->at] <= '9')
            p->at++;
    }
    p->token.kind = TOKEN_NUMBER;
    p->token.text = (struct str){ s + from, p->at - from };
}

static void take_sign(struct parser *p)
{
    static const char *const doubles[] = { "==", "!=", "<=", ">=", "//", "**" };
    const char *s = p->text.p + p->at;
    size_t len = 1;

    for (size_t i = 0; i < LEN(doubles); i++)
        if (p->text.len - p->at >= 2 && memcmp(s, doubles[i], 2) == 0)
            len = 2;
    if (len == 1 && !strchr("+-*/%~|.,:()[]{}<>=", *s)) {
        parse_fault(p, "an expression");
        return;
    }
    p->nested += strchr("([{", *s) != NULL;
    p->nested -= strchr(")]}", *s) != NULL;
    p->at += len;
    p->token.kind = TOKEN_SIGN;
    p->token.text = (struct str){ s, len };
}

void parse_next(struct parser *p)
{
    while (p->at < p->text.len && strchr(" \t\r\n", p->text.p[p->at]) &&
            p->text.p[p->at])
        p->at++;
    p->token.kind = TOKEN_END;
    p->token.text = (struct str){ 0 };
    if (p->at >= p->text.len || ends_tag(p) || p->j->rc)
        return;

    char c = p->text.p[p->at];

    if (!c) {
        parse_fault(p, "an expression");
    } else if (is_name(c, true)) {
        size_t from = p->at;

        while (p->at < p->text.len && is_name(p->text.p[p->at], false))
            p->at++;
        p->token.kind = TOKEN_NAME;
        p->token.text = (struct str){ p->text.p + from, p->at - from };
    } else if (c == '\'' || c == '"') {
        take_text(p, c);
    } else if (c >= '0' && c <= '9') {
        take_number(p);
    } else {
        take_sign(p);
    }
}

static bool at_sign(const struct parser *p, const char *sign)
{
    return p->token.kind == TOKEN_SIGN && str_is(p->token.text, sign);
}

bool parse_take(struct parser *p, const char *sign)
{
    bool there = at_sign(p, sign);

    if (there)
        parse_next(p);
    return there;
}

static void need(struct parser *p, const char *sign)
{
    if (!parse_take(p, sign))
        parse_fault(p, sign);
}

static bool at_word(const struct parser *p, const char *word)
{
    return p->token.kind == TOKEN_NAME && str_is(p->token.text, word);
}

static bool take_word(struct parser *p, const char *word)
{
    bool there = at_word(p, word);

    if (there)
        parse_next(p);
    return there;
}

void parse_add(struct parser *p, struct jinja_node *n, struct jinja_node *item,
        struct str name)
{
    if (n->count == n->cap) {
        size_t cap = n->cap ? 2 * n->cap : 4;
        struct jinja_node **list =
                jinja_alloc(p->j, cap, sizeof(struct jinja_node *));
        struct str *names = jinja_alloc(p->j, cap, sizeof(*names));

        if (n->count) {
            memcpy(list, n->list, n->count * sizeof(struct jinja_node *));
            memcpy(names, n->name, n->count * sizeof(*names));
        }
        n->list = list;
        n->name = names;
        n->cap = cap;
    }
    n->list[n->count] = item;
    n->name[n->count++] = name;
}

/* --- what stands alone
 * --------------------------------------------------------------- */

static struct jinja_node *parse_unary(struct parser *p, bool filters);

static struct jinja_node *literal(struct parser *p, struct jinja_value v)
{
    struct jinja_node *n = parse_new(p, NODE_LITERAL);

    n->value = v;
    parse_next(p);
    return n;
}

static struct jinja_node *parse_number(struct parser *p)
{
    struct jinja_value v = { .kind = JINJA_INT };

    if (str_i64(&v.integer, p->token.text)) {
        v.kind = JINJA_FLOAT;
        if (str_f64(&v.real, p->token.text))
            parse_fault(p, "a number that is not so great");
    }
    return literal(p, v);
}

static struct jinja_node *parse_name(struct parser *p)
{
    struct str name = p->token.text;
    struct jinja_node *n;

    if (str_is(name, "true") || str_is(name, "True"))
        return literal(p, jinja_bool(true));
    if (str_is(name, "false") || str_is(name, "False"))
        return literal(p, jinja_bool(false));
    if (str_is(name, "none") || str_is(name, "None"))
        return literal(p, jinja_none());
    n = parse_new(p, NODE_NAME);
    n->text = name;
    parse_next(p);
    return n;
}

/* Up to the bracket that closes; in a tuple, one without a comma is itself. */
static struct jinja_node *parse_list(struct parser *p, const char *close,
        bool tuple)
{
    struct jinja_node *n = parse_new(p, NODE_LIST);
    bool comma = false;

    while (!p->j->rc && !at_sign(p, close)) {
        parse_add(p, n, parse_expression(p), (struct str){ 0 });
        comma = parse_take(p, ",");
        if (!comma)
            break;
    }
    need(p, close);
    return tuple && n->count == 1 && !comma ? n->list[0] : n;
}

static struct jinja_node *parse_dict(struct parser *p)
{
    struct jinja_node *n = parse_new(p, NODE_DICT);

    while (!p->j->rc && !at_sign(p, "}")) {
        parse_add(p, n, parse_expression(p), (struct str){ 0 });
        need(p, ":");
        parse_add(p, n, parse_expression(p), (struct str){ 0 });
        if (!parse_take(p, ","))
            break;
    }
    need(p, "}");
    return n;
}

/* Texts beside each other are one. */
static struct jinja_node *parse_texts(struct parser *p)
{
    struct jinja_node *n = literal(p, jinja_text(p->token.text));

    while (p->token.kind == TOKEN_TEXT && !p->j->rc) {
        struct buf both = { 0 };

        buf_add(&both, n->value.text.p, n->value.text.len);
        buf_add(&both, p->token.text.p, p->token.text.len);
        n->value = jinja_copy(p->j, buf_str(&both));
        buf_release(&both);
        parse_next(p);
    }
    return n;
}

static struct jinja_node *parse_primary(struct parser *p)
{
    if (p->token.kind == TOKEN_NAME)
        return parse_name(p);
    if (p->token.kind == TOKEN_TEXT)
        return parse_texts(p);
    if (p->token.kind == TOKEN_NUMBER)
        return parse_number(p);
    if (parse_take(p, "("))
        return parse_list(p, ")", true);
    if (parse_take(p, "["))
        return parse_list(p, "]", false);
    if (parse_take(p, "{"))
        return parse_dict(p);
    parse_fault(p, "an expression");
    return parse_new(p, NODE_LIST);
}

/* --- what stands behind
 * ---------------------------------------------------------------- */

static void parse_arguments(struct parser *p, struct jinja_node *n)
{
    while (!p->j->rc && !at_sign(p, ")")) {
        struct jinja_node *item = parse_expression(p);
        struct str name = { 0 };

        if (item->kind == NODE_NAME && parse_take(p, "=")) {
            name = item->text;
            item = parse_expression(p);
        }
        parse_add(p, n, item, name);
        if (!parse_take(p, ","))
            break;
    }
    need(p, ")");
}

/* [i], [from:to:step] */
static struct jinja_node *parse_index(struct parser *p, struct jinja_node *of)
{
    struct jinja_node *n = parse_new(p, NODE_INDEX), *part[3] = { 0 };
    int colons = 0;

    n->a = of;
    while (!p->j->rc && !at_sign(p, "]")) {
        if (parse_take(p, ":")) {
            if (++colons > 2)
                parse_fault(p, "]");
        } else if (part[colons]) {
            parse_fault(p, "]");
        } else {
            part[colons] = parse_expression(p);
        }
    }
    need(p, "]");
    n->b = part[0];
    if (!colons && !n->b)
        parse_fault(p, "an index");
    if (colons) {
        n->kind = NODE_SLICE;
        for (int i = 0; i < 3; i++)
            parse_add(p, n, part[i], (struct str){ 0 });
    }
    return n;
}

static struct jinja_node *parse_behind(struct parser *p, struct jinja_node *of)
{
    struct jinja_node *n;

    if (parse_take(p, "["))
        return parse_index(p, of);
    if (parse_take(p, "(")) {
        n = parse_new(p, NODE_CALL);
        n->a = of;
        parse_arguments(p, n);
        return n;
    }
    parse_next(p); /* the dot */
    n = parse_new(p, NODE_MEMBER);
    n->a = of;
    n->text = p->token.text;
    if (p->token.kind == TOKEN_NUMBER) {
        n->kind = NODE_INDEX;
        n->b = parse_number(p);
        return n;
    }
    if (p->token.kind != TOKEN_NAME)
        parse_fault(p, "a member's name");
    parse_next(p);
    return n;
}

struct jinja_node *parse_postfix(struct parser *p)
{
    struct jinja_node *n = parse_primary(p);

    while (!p->j->rc && (at_sign(p, ".") || at_sign(p, "[") || at_sign(p, "(")))
        n = parse_behind(p, n);
    return n;
}

static struct jinja_node *negate(struct parser *p, struct jinja_node *n)
{
    struct jinja_node *not = parse_new(p, NODE_NOT);

    not ->a = n;
    return not ;
}

/* is [not] NAME, NAME(...), NAME value */
static struct jinja_node *parse_test(struct parser *p, struct jinja_node *of)
{
    struct jinja_node *n = parse_new(p, NODE_TEST);
    bool no = take_word(p, "not");

    n->a = of;
    n->text = p->token.text;
    if (p->token.kind != TOKEN_NAME)
        parse_fault(p, "a test's name");
    parse_next(p);
    if (parse_take(p, "("))
        parse_arguments(p, n);
    else if (p->token.kind == TOKEN_TEXT || p->token.kind == TOKEN_NUMBER ||
             (p->token.kind == TOKEN_NAME && !at_word(p, "and") &&
                     !at_word(p, "or") && !at_word(p, "else") &&
                     !at_word(p, "is") && !at_word(p, "if") &&
                     !at_word(p, "in") && !at_word(p, "not")))
        parse_add(p, n, parse_postfix(p), (struct str){ 0 });
    return no ? negate(p, n) : n;
}

static struct jinja_node *parse_filters(struct parser *p, struct jinja_node *n)
{
    while (!p->j->rc) {
        if (take_word(p, "is")) {
            n = parse_test(p, n);
        } else if (parse_take(p, "|")) {
            struct jinja_node *filter = parse_new(p, NODE_FILTER);

            filter->a = n;
            filter->text = p->token.text;
            if (p->token.kind != TOKEN_NAME)
                parse_fault(p, "a filter's name");
            parse_next(p);
            if (parse_take(p, "("))
                parse_arguments(p, filter);
            n = filter;
        } else if (at_sign(p, ".") || at_sign(p, "[") || at_sign(p, "(")) {
            n = parse_behind(p, n);
        } else {
            break;
        }
    }
    return n;
}

/* --- precedence
 * ---------------------------------------------------------------------- */

static struct jinja_node *parse_unary(struct parser *p, bool filters)
{
    struct jinja_node *n;

    if (++p->depth > JINJA_DEPTH) {
        jinja_fault(p->j, -E2BIG, "the template's expressions lie too deep");
        p->depth--;
        return parse_new(p, NODE_LIST);
    }
    if (parse_take(p, "-")) {
        n = parse_new(p, NODE_NEGATIVE);
        n->a = parse_unary(p, false);
    } else if (parse_take(p, "+")) {
        n = parse_unary(p, false);
    } else {
        n = parse_postfix(p);
    }
    p->depth--;
    return filters ? parse_filters(p, n) : n;
}

static const char *const levels[][5] = {
    { "+", "-", NULL },
    { "~", NULL },
    { "*", "/", "//", "%", NULL },
    { "**", NULL },
};

static struct jinja_node *parse_level(struct parser *p, size_t level)
{
    struct jinja_node *n;

    if (level == LEN(levels))
        return parse_unary(p, true);
    n = parse_level(p, level + 1);
    for (size_t i = 0; levels[level][i] && !p->j->rc;) {
        struct str sign = p->token.text;

        if (!parse_take(p, levels[level][i])) {
            i++;
            continue;
        }

        struct jinja_node *both = parse_new(p, NODE_BINARY);

        both->text = sign;
        both->a = n;
        both->b = parse_level(p, level + 1);
        n = both;
        i = 0;
    }
    return n;
}

/* The comparison that stands here; its text is empty: none. */
static struct str take_comparison(struct parser *p)
{
    static const char *const signs[] = { "==", "!=", "<=", ">=", "<", ">" };
    struct str text = p->token.text;

    for (size_t i = 0; i < LEN(signs); i++)
        if (parse_take(p, signs[i]))
            return text;
    if (take_word(p, "in"))
        return str_of("in");
    if (at_word(p, "not")) {
        parse_next(p);
        if (!take_word(p, "in"))
            parse_fault(p, "'in' behind 'not'");
        return str_of("not in");
    }
    return (struct str){ 0 };
}

static struct jinja_node *parse_comparison(struct parser *p)
{
    struct jinja_node *n = parse_level(p, 0), *last = n;
    struct str sign;

    for (bool first = true; !p->j->rc; first = false) {
        struct jinja_node *one;

        sign = take_comparison(p);
        if (!sign.len)
            break;
        one = parse_new(p, NODE_BINARY);
        one->text = sign;
        one->a = last;
        one->b = last = parse_level(p, 0);
        if (!first) { /* a < b < c */
            struct jinja_node *both = parse_new(p, NODE_AND);

            both->a = n;
            both->b = one;
            one = both;
        }
        n = one;
    }
    return n;
}

static struct jinja_node *parse_not(struct parser *p)
{
    bool no = false;

    while (take_word(p, "not"))
        no = !no;

    struct jinja_node *n = parse_comparison(p);

    return no ? negate(p, n) : n;
}

static struct jinja_node *parse_and(struct parser *p)
{
    struct jinja_node *n = parse_not(p);

    while (!p->j->rc && take_word(p, "and")) {
        struct jinja_node *both = parse_new(p, NODE_AND);

        both->a = n;
        both->b = parse_not(p);
        n = both;
    }
    return n;
}

struct jinja_node *parse_or(struct parser *p)
{
    struct jinja_node *n = parse_and(p);

    while (!p->j->rc && take_word(p, "or")) {
        struct jinja_node *both = parse_new(p, NODE_OR);

        both->a = n;
        both->b = parse_and(p);
        n = both;
    }
    return n;
}

struct jinja_node *parse_expression(struct parser *p)
{
    struct jinja_node *n;

    if (++p->depth > JINJA_DEPTH)
        jinja_fault(p->j, -E2BIG, "the template's expressions lie too deep");
    n = parse_or(p);
    while (!p->j->rc && take_word(p, "if")) {
        struct jinja_node *choice = parse_new(p, NODE_CHOICE);

        choice->a = n;
        choice->b = parse_or(p);
        if (take_word(p, "else"))
            choice->c = parse_expression(p);
        n = choice;
    }
    p->depth--;
    return n;
}
