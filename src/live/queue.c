#include "live/queue.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Before each event; `bytes` with it, a multiple of 8.  One that does not fit
 * before the end of the memory begins at the front again, behind a SKIP. */
struct header {
    uint32_t bytes;
    uint32_t event; /* enum run_event, or SKIP */
};

#define SKIP EVENTS

struct queue {
    char *memory;
    size_t cap;
    _Atomic uint64_t head; /* bytes that were ever put, */
    _Atomic uint64_t tail; /* and taken */
    _Atomic uint64_t dropped;
    uint64_t told; /* of those that were dropped; by who takes */
};

struct queue *queue_new(size_t bytes)
{
    struct queue *q = alloc_zero(1, sizeof(*q));

    assert(bytes >= 4096 && (bytes & (bytes - 1)) == 0);
    q->memory = alloc_zero(1, bytes);
    q->cap = bytes;
    return q;
}

void queue_free(struct queue *q)
{
    if (!q)
        return;
    free(q->memory);
    free(q);
}

uint64_t queue_dropped(const struct queue *q)
{
    return atomic_load_explicit(&q->dropped, memory_order_relaxed);
}

static struct header *at(const struct queue *q, uint64_t position)
{
    return (struct header *)(void *)(q->memory + (position & (q->cap - 1)));
}

/* --- putting -------------------------------------------------------------- */

static bool comes_in_floods(enum run_event event)
{
    return event == EVENT_inference || event == EVENT_ran_operator ||
           event == EVENT_readings || event == EVENT_changes ||
           event == EVENT_token || event == EVENT_tick;
}

static void put(struct queue *q, enum run_event event, const void *x)
{
    size_t bytes =
            sizeof(struct header) + ((event_bytes(event, x) + 7) & ~(size_t)7);
    uint64_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_acquire);
    size_t left = q->cap - (size_t)(head & (q->cap - 1));
    size_t skipped = bytes > left ? left : 0;
    size_t room = q->cap - (comes_in_floods(event) ? q->cap / 4 : 0);

    if (head - tail + skipped + bytes > room) {
        atomic_fetch_add_explicit(&q->dropped, 1, memory_order_relaxed);
        return;
    }
    if (skipped)
        *at(q, head) = (struct header){ (uint32_t)skipped, SKIP };
    head += skipped;
    *at(q, head) = (struct header){ (uint32_t)bytes, (uint32_t)event };
    event_copy(at(q, head) + 1, event, x);
    /* Release: who sees the new head also sees the event. */
    atomic_store_explicit(&q->head, head + bytes, memory_order_release);
}

#define X(event, type)                               \
    static void put_##event(void *to, const type *x) \
    {                                                \
        put(to, EVENT_##event, x);                   \
    }
SUBSCRIBER_EVENTS(X)
#undef X

struct subscriber queue_subscriber(struct queue *q)
{
    struct subscriber s = { .context = q,
#define X(event, type) .event = put_##event,
        SUBSCRIBER_EVENTS(X)
#undef X
    };

    s.end = NULL;
    return s;
}

/* --- taking --------------------------------------------------------------- */

size_t queue_take(struct queue *q, const struct subscriber *to)
{
    uint64_t head = atomic_load_explicit(&q->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    uint64_t dropped = queue_dropped(q);
    size_t count = 0;

    while (tail != head) {
        const struct header *h = at(q, tail);

        if (h->event != SKIP) {
            event_tell(to, (enum run_event)h->event, h + 1);
            count++;
        }
        tail += h->bytes;
        /* Release: it is no longer read when somebody writes there. */
        atomic_store_explicit(&q->tail, tail, memory_order_release);
    }
    if (dropped != q->told && to->loss)
        to->loss(to->context, &(struct event_loss){ .count = dropped });
    q->told = dropped;
    return count;
}
