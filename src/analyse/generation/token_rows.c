#include "analyse/generation/token_rows.h"

#include "analyse/generation/generation.h"
#include "base/alloc.h"

#include <stdlib.h>

#define ROWS_MAX 1000000

struct rows {
    struct generations *generations;
    struct token *tokens;
    size_t count, cap;
    bool told; /* by the program */
};

static void take_told(void *to, const struct token *t)
{
    (void)t;
    ((struct rows *)to)->told = true;
}

static void take_token(void *to, const struct token *t)
{
    struct rows *r = to;

    if (r->count == ROWS_MAX)
        return;
    if (r->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 256;
        r->tokens = alloc_resize(r->tokens, r->cap * sizeof(*r->tokens));
    }
    r->tokens[r->count] = *t;
    r->tokens[r->count++].seen = true;
}

static void take_inference(void *to, const struct inference *i)
{
    if (!(i->flags & FLAG_FAILED))
        (void)generations_add(((struct rows *)to)->generations, i);
}

static int by_time(const void *a, const void *b)
{
    const struct token *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

int token_rows_keep(struct store *s, int64_t run, struct error *e)
{
    struct rows r = { 0 };
    struct generation_listener listener = { .context = &r,
        .token = take_token };
    struct summary_tokens sum;
    int rc = store_each_token(s, run, take_told, &r, e);

    if (rc || r.told)
        return rc;
    r.generations = generations_new(NULL);
    generations_listen(r.generations, &listener);
    rc = store_each_inference(s, run, take_inference, &r, e);
    generations_finish(r.generations, &sum);
    if (r.count)
        qsort(r.tokens, r.count, sizeof(*r.tokens), by_time);
    for (size_t i = 0; !rc && i < r.count; i++)
        store_add_token(s, &r.tokens[i]);
    free(r.tokens);
    return rc;
}
