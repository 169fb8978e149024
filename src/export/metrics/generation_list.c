#include "export/metrics/generation_list.h"

#include "base/alloc.h"

#include <stdlib.h>

struct listing {
    struct generation_list *list;
    struct generations *generations;
    uint64_t number; /* of the last inference */
};

static void ended(void *to, const struct generation_told *g)
{
    struct generation_list *l = to;

    if (l->count == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 16;
        l->items = alloc_resize(l->items, l->cap * sizeof(*l->items));
    }
    map_put(&l->item, g->key, l->count);
    l->items[l->count++] = *g;
}

static void take_inference(void *to, const struct inference *i)
{
    struct listing *x = to;
    uint64_t end_ns = i->start_ns + i->duration_ns;

    x->number++;
    if (end_ns > x->list->last_end_ns)
        x->list->last_end_ns = end_ns;
    if (i->flags & FLAG_FAILED)
        return;

    uint64_t key = generations_add(x->generations, i);

    if (key)
        map_put(&x->list->key, x->number, key);
}

int generation_list_read(struct generation_list *l, struct store *s,
        int64_t run, struct error *e)
{
    struct generation_listener listener = { .context = l, .ended = ended };
    struct listing x = { l, generations_new(NULL), 0 };
    struct summary_tokens sum;

    generations_listen(x.generations, &listener);

    int rc = store_each_inference(s, run, take_inference, &x, e);

    generations_finish(x.generations, &sum);
    return rc;
}

bool generation_list_find(const struct generation_list *l, const struct span *s,
        size_t *item)
{
    const uint64_t *key = map_find(&l->key, s->inference);
    const uint64_t *at = key ? map_find(&l->item, *key) : NULL;

    if (!at)
        return false;
    *item = (size_t)*at;
    return true;
}

void generation_list_release(struct generation_list *l)
{
    free(l->items);
    map_release(&l->key);
    map_release(&l->item);
    *l = (struct generation_list){ 0 };
}
