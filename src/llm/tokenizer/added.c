#include "llm/tokenizer/added.h"

#include "base/alloc.h"
#include "llm/unicode/unicode.h"

#include <stdlib.h>

static uint32_t new_node(struct added_tree *t, unsigned char byte)
{
    if (t->count == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 64;
        t->node = alloc_resize(t->node, t->cap * sizeof(*t->node));
    }
    if (!t->count) /* 0 is "none" */
        t->node[t->count++] = (struct added_node){ 0 };
    t->node[t->count] = (struct added_node){ .byte = byte };
    return (uint32_t)t->count++;
}

static uint32_t child_of(const struct added_tree *t, uint32_t node,
        unsigned char byte)
{
    uint32_t child = t->node[node].child;

    while (child && t->node[child].byte != byte)
        child = t->node[child].sibling;
    return child;
}

static void grow_tree(struct added_tree *t, struct str text, uint32_t token)
{
    uint32_t node = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.p[i];
        uint32_t next = i ? child_of(t, node, byte) : t->first[byte];

        if (!next) {
            next = new_node(t, byte);
            if (i) {
                t->node[next].sibling = t->node[node].child;
                t->node[node].child = next;
            } else {
                t->first[byte] = next;
            }
        }
        node = next;
    }
    if (text.len)
        t->node[node].token = token + 1;
}

void added_add(struct added *a, const struct added_token *token,
        struct str text)
{
    a->token = alloc_resize(a->token, (a->count + 1) * sizeof(*a->token));
    a->token[a->count] = *token;
    grow_tree(token->normalised ? &a->normalised : &a->raw, text,
            (uint32_t)a->count++);
}

void added_release(struct added *a)
{
    free(a->token);
    free(a->raw.node);
    free(a->normalised.node);
    *a = (struct added){ 0 };
}

/* The longest token that stands at `at`; NULL: none. */
static const struct added_token *token_at(const struct added *a,
        const struct added_tree *t, struct str text, size_t at, size_t *end)
{
    const struct added_token *found = NULL;
    uint32_t node = t->first[(unsigned char)text.p[at]];

    while (node) {
        at++;
        if (t->node[node].token) {
            found = &a->token[t->node[node].token - 1];
            *end = at;
        }
        node = at < text.len ? child_of(t, node, (unsigned char)text.p[at]) : 0;
    }
    return found;
}

static bool stands_alone(struct str text, size_t from, size_t end)
{
    size_t before = from ? unicode_before(text, from) : 0, after = end;

    if (from && unicode_is_word(unicode_next(text, &before)))
        return false;
    return end == text.len || !unicode_is_word(unicode_next(text, &after));
}

static size_t swallow_left(struct str text, size_t at, size_t least)
{
    while (at > least) {
        size_t before = unicode_before(text, at), next = before;

        if (!unicode_is_space(unicode_next(text, &next)))
            break;
        at = before;
    }
    return at;
}

static size_t swallow_right(struct str text, size_t at)
{
    for (size_t next = at; at < text.len; at = next)
        if (!unicode_is_space(unicode_next(text, &next)))
            break;
    return at;
}

void added_cut(const struct added *a, bool normalised, struct str text,
        void (*take)(void *context, struct str part, size_t from,
                const struct added_token *token),
        void *context)
{
    const struct added_tree *tree = normalised ? &a->normalised : &a->raw;
    size_t done = 0;

    for (size_t at = 0, end = 0; tree->count && at < text.len;) {
        const struct added_token *token = token_at(a, tree, text, at, &end);
        size_t from = at;

        if (!token) {
            at++;
            continue;
        }
        at = end;
        if (token->single_word && !stands_alone(text, from, end))
            continue;
        if (token->lstrip)
            from = swallow_left(text, from, done);
        if (token->rstrip)
            end = swallow_right(text, end);
        if (from > done)
            take(context, (struct str){ text.p + done, from - done }, done,
                    NULL);
        take(context, (struct str){ text.p + from, end - from }, from, token);
        done = end;
    }
    if (done < text.len)
        take(context, (struct str){ text.p + done, text.len - done }, done,
                NULL);
}
