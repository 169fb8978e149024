#include "export/generation_list.h"

#include "base/alloc.h"

#include <stdlib.h>

struct listing {
    struct generation_list *list;
    struct generations *generations;
};

static uint64_t key_of(uint32_t session, uint32_t thread)
{
    return (uint64_t)session << 32 | thread;
}

static void ended(void *to, const struct generation_told *g)
{
    struct generation_list *l = to;
    uint64_t key = key_of(g->session, g->thread);
    const uint64_t *last = map_find(&l->last, key);

    if (l->count == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 16;
        l->items = alloc_resize(l->items, l->cap * sizeof(*l->items));
    }
    if (last)
        map_put(&l->next, *last, l->count);
    else
        map_put(&l->cursor, key, l->count);
    map_put(&l->last, key, l->count);
    l->items[l->count++] = *g;
}

static void take_inference(void *to, const struct inference *i)
{
    struct listing *x = to;
    uint64_t end_ns = i->start_ns + i->duration_ns;

    if (end_ns > x->list->last_end_ns)
        x->list->last_end_ns = end_ns;
    if (!(i->flags & FLAG_FAILED))
        generations_add(x->generations, i);
}

int generation_list_read(struct generation_list *l, struct store *s,
        int64_t run, struct error *e)
{
    struct generation_listener listener = { .context = l, .ended = ended };
    struct listing x = { l, generations_new() };
    struct summary_tokens sum;

    generations_listen(x.generations, &listener);

    int rc = store_each_inference(s, run, take_inference, &x, e);

    generations_finish(x.generations, &sum);
    return rc;
}

bool generation_list_find(struct generation_list *l, const struct span *s,
        size_t *item)
{
    uint64_t *cursor = map_find(&l->cursor, key_of(s->id, s->thread));

    if (!cursor || (s->phase != PHASE_PREFILL && s->phase != PHASE_DECODE))
        return false;
    while (l->items[*cursor].last_token_ns < s->start_ns + s->duration_ns) {
        const uint64_t *next = map_find(&l->next, *cursor);

        if (!next)
            return false;
        *cursor = *next;
    }
    *item = (size_t)*cursor;
    return l->items[*item].start_ns <= s->start_ns;
}

void generation_list_release(struct generation_list *l)
{
    free(l->items);
    map_release(&l->cursor);
    map_release(&l->next);
    map_release(&l->last);
    *l = (struct generation_list){ 0 };
}
