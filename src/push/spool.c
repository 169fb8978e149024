#include "push/spool.h"

#include "base/alloc.h"

#include <stdlib.h>

struct waiting {
    struct waiting *next;
    struct buf body;
    uint64_t items;
};

struct spool {
    struct waiting *oldest, *newest;
    size_t count, bytes, most_bytes;
    uint64_t items, dropped;
};

struct spool *spool_new(size_t most_bytes)
{
    struct spool *s = alloc_zero(1, sizeof(*s));

    s->most_bytes = most_bytes;
    return s;
}

bool spool_take(struct spool *s, struct buf *body, uint64_t *items)
{
    struct waiting *w = s->oldest;

    if (!w)
        return false;
    s->oldest = w->next;
    if (!s->oldest)
        s->newest = NULL;
    s->count--;
    s->bytes -= w->body.len;
    s->items -= w->items;
    buf_release(body);
    *body = w->body;
    *items = w->items;
    free(w);
    return true;
}

static void drop_oldest(struct spool *s)
{
    struct buf body = { 0 };
    uint64_t items = 0;

    (void)spool_take(s, &body, &items);
    s->dropped += items;
    buf_release(&body);
}

void spool_put(struct spool *s, struct buf *body, uint64_t items)
{
    if (body->len > s->most_bytes) {
        s->dropped += items;
        buf_release(body);
        return;
    }
    while (s->bytes + body->len > s->most_bytes)
        drop_oldest(s);

    struct waiting *w = alloc_zero(1, sizeof(*w));

    w->body = *body;
    w->items = items;
    *body = (struct buf){ 0 };
    if (s->newest)
        s->newest->next = w;
    else
        s->oldest = w;
    s->newest = w;
    s->count++;
    s->bytes += w->body.len;
    s->items += items;
}

void spool_free(struct spool *s)
{
    struct buf body = { 0 };
    uint64_t items;

    if (!s)
        return;
    while (spool_take(s, &body, &items))
        ;
    buf_release(&body);
    free(s);
}

size_t spool_bytes(const struct spool *s)
{
    return s->bytes;
}

size_t spool_count(const struct spool *s)
{
    return s->count;
}

uint64_t spool_dropped(const struct spool *s)
{
    return s->dropped;
}

uint64_t spool_items(const struct spool *s)
{
    return s->items;
}
