#include "wire/ring.h"

#include "base/compiler.h"

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

#define CACHE_LINE 64

/* Both counts only grow: slot = count modulo `count`.  They lie on lines of
 * their own, so that neither side slows the other down; and a writer looks at
 * the reader's line only when the ring seems full, the reader at the writers'
 * only when it seems empty.
 *
 * A writer claims slot n by moving `head` from n to n + 1, fills it, and last
 * stores the stamp: in its lower half the round, from 1, in which the slot is
 * used; in its upper half which writer it is.  The reader at `tail` waits for
 * the round of `tail`, copies, moves `tail`. */
struct ring_shared {
    alignas(CACHE_LINE) _Atomic uint64_t head;
    _Atomic uint64_t dropped;
    _Atomic uint64_t tail_seen; /* by a writer; `tail` may be further */
    alignas(CACHE_LINE) _Atomic uint64_t tail;
    alignas(CACHE_LINE) uint32_t size;
    uint32_t count;
    alignas(CACHE_LINE) unsigned char slots[];
};

_Static_assert(sizeof(struct ring_shared) == 192, "shared layout");

size_t ring_bytes(uint32_t size, uint32_t count)
{
    return sizeof(struct ring_shared) + (size_t)size * count;
}

static bool is_shape(uint64_t size, uint64_t count)
{
    return size >= 8 && size % 8 == 0 && size <= 4096 && count >= 2 &&
           count <= UINT32_C(1) << 28 && (count & (count - 1)) == 0;
}

static struct ring view(struct ring_shared *s, uint32_t size, uint32_t count)
{
    return (struct ring){
        .shared = s,
        .slots = s->slots,
        .size = size,
        .count = count,
        .bits = (uint32_t)__builtin_ctz(count),
        .head_seen = atomic_load_explicit(&s->tail, memory_order_relaxed),
    };
}

struct ring ring_create(void *memory, uint32_t size, uint32_t count)
{
    struct ring_shared *s = memory;

    assert(is_shape(size, count));
    assert((uintptr_t)memory % CACHE_LINE == 0);
    s->size = size;
    s->count = count;
    return view(s, size, count);
}

int ring_attach(struct ring *out, void *memory, size_t len, uint32_t size)
{
    struct ring_shared *s = memory;

    if (len < sizeof(*s) || (uintptr_t)memory % CACHE_LINE)
        return -EINVAL;

    uint32_t count = s->count;

    if (s->size != size || !is_shape(size, count) ||
            len < ring_bytes(size, count))
        return -EINVAL;
    *out = view(s, size, count);
    return 0;
}

static _Atomic uint32_t *slot(const struct ring *r, uint64_t n)
{
    return (_Atomic uint32_t *)(void *)(r->slots +
                                        (n & (r->count - 1)) * r->size);
}

/* Of the slot that is the nth, whoever wrote it; never 0 in the first round. */
static uint32_t round_of(const struct ring *r, uint64_t n)
{
    return (uint32_t)((n >> r->bits) + 1) & 0xffff;
}

static bool is_whole(const struct ring *r, uint64_t n)
{
    return (atomic_load_explicit(slot(r, n), memory_order_acquire) & 0xffff) ==
           round_of(r, n);
}

/* How far the reader is, looked up where it is.  Acquire, and release for the
 * writers that find it in `tail_seen`: the reader's copy out of the slots
 * before it is over. */
static uint64_t look_up_tail(struct ring_shared *s)
{
    uint64_t tail = atomic_load_explicit(&s->tail, memory_order_acquire);

    atomic_store_explicit(&s->tail_seen, tail, memory_order_release);
    return tail;
}

/* Claims the next slots, below `most` in all.  False: the ring is too full.
 *
 * Acquire, of the head: it is read before the tail. */
static inline bool claim(const struct ring *r, uint64_t most, uint64_t count,
        uint64_t *claimed)
{
    struct ring_shared *s = r->shared;
    uint64_t n = atomic_load_explicit(&s->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&s->tail_seen, memory_order_acquire);

    for (;;) {
        if (n - tail > most - count)
            tail = look_up_tail(s);
        if (n - tail <= most - count) {
            if (!atomic_compare_exchange_weak_explicit(&s->head, &n, n + count,
                        memory_order_acquire, memory_order_acquire))
                continue;
            *claimed = n;
            return true;
        }

        /* Full, unless other writers and the reader went past n while we
         * looked: then n - tail says nothing. */
        uint64_t now = atomic_load_explicit(&s->head, memory_order_acquire);

        if (now == n)
            return false;
        n = now;
    }
}

/* All but the stamp, a word at a time: a record was written by words a moment
 * ago, and wider reads would have to wait until those are in the cache. */
static void copy_in(_Atomic uint32_t *to, const void *record, uint32_t size)
{
    unsigned char *slot = (unsigned char *)to;
    const unsigned char *from = record;

    __builtin_memcpy(slot + 4, from + 4, 4);
    for (uint32_t at = 8; at < size; at += 8)
        __builtin_memcpy(slot + at, from + at, 8);
}

static inline void put_in(const struct ring *r, uint64_t n, const void *record)
{
    _Atomic uint32_t *to = slot(r, n);

    copy_in(to, record, r->size);
    /* Release: the reader that sees the stamp also sees the record. */
    atomic_store_explicit(to, r->writer << 16 | round_of(r, n),
            memory_order_release);
    /* The reader had the next slot last: it comes here while others work. */
    __builtin_prefetch((const void *)slot(r, n + 1), 1);
}

HOT bool ring_offer(const struct ring *r, const void *record)
{
    uint64_t n;

    if (!claim(r, r->count, 1, &n))
        return false;
    put_in(r, n, record);
    return true;
}

COLD void ring_drop(const struct ring *r, uint32_t count)
{
    atomic_fetch_add_explicit(&r->shared->dropped, count, memory_order_relaxed);
}

/* False, for whoever lost them. */
COLD static bool drop(const struct ring *r, uint32_t count)
{
    ring_drop(r, count);
    return false;
}

HOT bool ring_push(const struct ring *r, const void *record)
{
    return ring_offer(r, record) || drop(r, 1);
}

bool ring_offer_many(const struct ring *r, const void *records, uint32_t count,
        uint32_t spare)
{
    const unsigned char *from = records;
    uint64_t n;

    if ((uint64_t)spare + count > r->count ||
            !claim(r, r->count - spare, count, &n))
        return false;
    for (uint32_t i = 0; i < count; i++)
        put_in(r, n + i, from + (size_t)i * r->size);
    return true;
}

bool ring_push_many(const struct ring *r, const void *records, uint32_t count,
        uint32_t spare)
{
    return ring_offer_many(r, records, count, spare) || drop(r, count);
}

int ring_pop(struct ring *r, void *record)
{
    struct ring_shared *s = r->shared;
    uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);

    /* Empty as far as was seen, or damaged: now it matters. */
    if (r->head_seen - tail - 1 >= r->count)
        r->head_seen = atomic_load_explicit(&s->head, memory_order_relaxed);
    if (r->head_seen == tail)
        return 0;
    if (r->head_seen - tail > r->count)
        return -EINVAL;

    _Atomic uint32_t *from = slot(r, tail);

    if (!is_whole(r, tail))
        return 0;
    memcpy(record, (const void *)from, r->size);
    /* Release: a writer may reuse the slot only after we copied it out. */
    atomic_store_explicit(&s->tail, tail + 1, memory_order_release);
    return 1;
}

bool ring_skip(const struct ring *r)
{
    struct ring_shared *s = r->shared;
    uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);
    uint64_t waiting =
            atomic_load_explicit(&s->head, memory_order_relaxed) - tail;

    /* More than there is room for is damage, and no end of holes. */
    if (!waiting || waiting > r->count || is_whole(r, tail))
        return false;
    atomic_store_explicit(&s->tail, tail + 1, memory_order_release);
    return true;
}

uint64_t ring_dropped(const struct ring *r)
{
    return atomic_load_explicit(&r->shared->dropped, memory_order_relaxed);
}

uint64_t ring_begun(const struct ring *r)
{
    return atomic_load_explicit(&r->shared->head, memory_order_relaxed);
}

uint64_t ring_waiting(const struct ring *r)
{
    /* Acquire: the tail is read before the head, or it might be beyond it. */
    uint64_t tail =
            atomic_load_explicit(&r->shared->tail, memory_order_acquire);

    return ring_begun(r) - tail;
}
