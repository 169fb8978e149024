/* From a template's text to a tree.  What stands between tags is text; blanks
 * around tags go as "-" says, else as transformers sets it: the newline behind
 * a block, and the blanks before it on its line. */
#include "llm/jinja/jinja_parse.h"

#include <errno.h>
#include <string.h>

struct jinja_node *parse_new(struct parser *p, enum jinja_node_kind kind)
{
    struct jinja_node *n = jinja_alloc(p->j, 1, sizeof(*n));

    n->kind = kind;
    return n;
}

void parse_fault(struct parser *p, const char *wanted)
{
    size_t line = 1;

    for (size_t i = 0; i < p->at && i < p->text.len; i++)
        line += p->text.p[i] == '\n';
    jinja_fault(p->j, -EINVAL, "line %zu of the template: expected %s", line,
            wanted);
}

/* --- text between tags
 * ----------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' ||
           c == '\f';
}

static const char *find_tag(const struct parser *p)
{
    for (size_t i = p->at; i + 1 < p->text.len; i++)
        if (p->text.p[i] == '{' && strchr("{%#", p->text.p[i + 1]))
            return p->text.p + i;
    return p->text.p + p->text.len;
}

/* Where the text before a block ends: without the blanks on the block's own
 * line, if nothing else is before it there. */
static size_t before_block(const struct parser *p, size_t from, size_t end)
{
    size_t at = end;

    while (at > from && (p->text.p[at - 1] == ' ' || p->text.p[at - 1] == '\t'))
        at--;
    if (at > from ? p->text.p[at - 1] == '\n' : p->line_starts)
        return at;
    return end;
}

/* The text up to the next tag; the tag's opening is then passed.  NULL: there
 * is none.  `kind` becomes '{', '%', '#', or 0 at the end. */
static struct jinja_node *take_text(struct parser *p, char *kind)
{
    size_t from = p->at, end = (size_t)(find_tag(p) - p->text.p);
    struct jinja_node *n = NULL;
    size_t cut = end;

    *kind = (char)(end < p->text.len ? p->text.p[end + 1] : 0);
    p->at = end;
    if (*kind) {
        char sign = (char)(end + 2 < p->text.len ? p->text.p[end + 2] : 0);

        p->at += 2 + (sign == '-' || sign == '+');
        if (sign == '-')
            while (cut > from && is_blank(p->text.p[cut - 1]))
                cut--;
        else if (*kind != '{' && sign != '+')
            cut = before_block(p, from, end);
    }
    if (cut > from) {
        n = parse_new(p, NODE_TEXT);
        n->text = (struct str){ p->text.p + from, cut - from };
    }
    p->line_starts = false;
    return n;
}

/* Passes a tag's end, and the blanks behind it that go. */
void parse_close(struct parser *p, char first)
{
    bool trims = p->at < p->text.len && p->text.p[p->at] == '-';
    bool keeps = p->at < p->text.len && p->text.p[p->at] == '+';

    p->at += trims || keeps;
    if (p->at + 2 > p->text.len || p->text.p[p->at] != first ||
            p->text.p[p->at + 1] != '}') {
        parse_fault(p, first == '}' ? "}}" : "%}");
        return;
    }
    p->at += 2;
    p->line_starts = false;
    if (trims) {
        while (p->at < p->text.len && is_blank(p->text.p[p->at])) {
            p->line_starts = p->text.p[p->at] == '\n';
            p->at++;
        }
    } else if (first != '}' && !keeps && p->at < p->text.len &&
               p->text.p[p->at] == '\n') {
        p->at++;
        p->line_starts = true;
    }
}

static void skip_comment(struct parser *p)
{
    while (p->at + 1 < p->text.len &&
            !(p->text.p[p->at] == '#' && p->text.p[p->at + 1] == '}'))
        p->at++;
    if (p->at && p->text.p[p->at - 1] == '-')
        p->at--;
    parse_close(p, '#');
}

/* --- tags
 * ------------------------------------------------------------------------ */

static struct jinja_node *parse_body(struct parser *p, const char *const *ends,
        struct str *end);

static bool at_word(struct parser *p, const char *word)
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

static void close_block(struct parser *p)
{
    if (p->token.kind != TOKEN_END)
        parse_fault(p, "the end of the block");
    else
        parse_close(p, '%');
}

static struct jinja_node *parse_if(struct parser *p)
{
    static const char *const ends[] = { "elif", "else", "endif", NULL };
    static const char *const last[] = { "endif", NULL };
    struct jinja_node *n = parse_new(p, NODE_IF);
    struct str end = { 0 };

    n->a = parse_expression(p);
    close_block(p);
    n->body = parse_body(p, ends, &end);
    if (str_is(end, "elif")) {
        n->orelse = parse_if(p); /* it takes the endif, too */
        return n;
    }
    if (str_is(end, "else")) {
        close_block(p);
        n->orelse = parse_body(p, last, &end);
    }
    close_block(p);
    return n;
}

static void parse_names(struct parser *p, struct jinja_node *n)
{
    do {
        if (p->token.kind != TOKEN_NAME) {
            parse_fault(p, "a name");
            return;
        }
        parse_add(p, n, NULL, p->token.text);
        parse_next(p);
    } while (parse_take(p, ","));
}

static struct jinja_node *parse_for(struct parser *p)
{
    static const char *const ends[] = { "else", "endfor", NULL };
    static const char *const last[] = { "endfor", NULL };
    struct jinja_node *n = parse_new(p, NODE_FOR);
    struct str end = { 0 };

    parse_names(p, n);
    if (!take_word(p, "in"))
        parse_fault(p, "'in'");
    n->a = parse_or(p);
    if (take_word(p, "if"))
        n->b = parse_expression(p);
    close_block(p);
    n->body = parse_body(p, ends, &end);
    if (str_is(end, "else")) {
        close_block(p);
        n->orelse = parse_body(p, last, &end);
    }
    close_block(p);
    return n;
}

static struct jinja_node *parse_set(struct parser *p)
{
    static const char *const ends[] = { "endset", NULL };
    struct jinja_node *n = parse_new(p, NODE_SET);
    struct str end;

    n->a = parse_postfix(p);
    if (n->a->kind != NODE_NAME && n->a->kind != NODE_MEMBER &&
            n->a->kind != NODE_INDEX)
        parse_fault(p, "a name to set");
    if (parse_take(p, "=")) {
        n->b = parse_expression(p);
        close_block(p);
        return n;
    }
    close_block(p);
    n->body = parse_body(p, ends, &end);
    close_block(p);
    return n;
}

static struct jinja_node *parse_macro(struct parser *p)
{
    static const char *const ends[] = { "endmacro", NULL };
    struct jinja_node *n = parse_new(p, NODE_MACRO);
    struct str end;

    n->text = p->token.text;
    parse_next(p);
    if (!parse_take(p, "("))
        parse_fault(p, "(");
    while (!p->j->rc && p->token.kind == TOKEN_NAME) {
        struct str name = p->token.text;

        parse_next(p);
        parse_add(p, n, parse_take(p, "=") ? parse_expression(p) : NULL, name);
        if (!parse_take(p, ","))
            break;
    }
    if (!parse_take(p, ")"))
        parse_fault(p, ")");
    close_block(p);
    n->body = parse_body(p, ends, &end);
    if (p->token.kind == TOKEN_NAME) /* endmacro may repeat the name */
        parse_next(p);
    close_block(p);
    return n;
}

/* {% generation %} marks what a model said, for training. */
static struct jinja_node *parse_generation(struct parser *p)
{
    static const char *const ends[] = { "endgeneration", NULL };
    struct str end;
    struct jinja_node *body;

    close_block(p);
    body = parse_body(p, ends, &end);
    close_block(p);
    return body;
}

static struct jinja_node *parse_block(struct parser *p, struct str name)
{
    struct jinja_node *n = NULL;

    if (str_is(name, "if"))
        return parse_if(p);
    if (str_is(name, "for"))
        return parse_for(p);
    if (str_is(name, "set"))
        return parse_set(p);
    if (str_is(name, "macro"))
        return parse_macro(p);
    if (str_is(name, "generation"))
        return parse_generation(p);
    if (str_is(name, "break"))
        n = parse_new(p, NODE_BREAK);
    else if (str_is(name, "continue"))
        n = parse_new(p, NODE_CONTINUE);
    else
        jinja_fault(p->j, -ENOTSUP, "the template's block '%.*s' is not known",
                (int)(name.len < 60 ? name.len : 60), name.p);
    close_block(p);
    return n;
}

static bool is_one_of(struct str name, const char *const *names)
{
    for (; names && *names; names++)
        if (str_is(name, *names))
            return true;
    return false;
}

/* Links what a tag gave behind the rest. */
static void link_node(struct jinja_node ***tail, struct jinja_node *n)
{
    **tail = n;
    while (**tail)
        *tail = &(**tail)->next;
}

/* The statements up to a block of one of these names, whose name is passed and
 * whose end is not; NULL: up to the template's end. */
static struct jinja_node *parse_body(struct parser *p, const char *const *ends,
        struct str *end)
{
    struct jinja_node *first = NULL, **tail = &first;

    if (++p->depth > JINJA_DEPTH)
        jinja_fault(p->j, -E2BIG, "the template's blocks lie too deep");
    while (!p->j->rc) {
        char kind;

        link_node(&tail, take_text(p, &kind));
        if (!kind) {
            if (ends)
                parse_fault(p, *ends);
            break;
        }
        if (kind == '#') {
            skip_comment(p);
            continue;
        }
        p->nested = 0;
        parse_next(p);
        if (kind == '{') {
            struct jinja_node *n = parse_new(p, NODE_PRINT);

            n->a = parse_expression(p);
            link_node(&tail, n);
            parse_close(p, '}');
            continue;
        }

        struct str name = p->token.text;

        if (p->token.kind != TOKEN_NAME) {
            parse_fault(p, "a block's name");
            break;
        }
        parse_next(p);
        if (is_one_of(name, ends)) {
            *end = name;
            break;
        }
        link_node(&tail, parse_block(p, name));
    }
    p->depth--;
    return first;
}

struct jinja_node *jinja_parse(struct jinja *j, struct str template)
{
    struct parser p = { .j = j, .text = template, .line_starts = true };
    struct str end;

    return parse_body(&p, NULL, &end);
}
