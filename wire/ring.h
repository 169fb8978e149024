/* ring.h -- records of one size, from any number of writers to one reader, in
 * memory that two processes may share.
 *
 * A writer never waits: a full ring refuses the record and counts it.  Nothing
 * here allocates, locks or makes a system call, so the hook may use it inside
 * somebody else's process, also from a signal handler.
 *
 * Every record begins with a uint32_t that belongs to the ring: it says when
 * the record is whole, and in its upper half whose it is.  A writer that is
 * killed half-way leaves a hole; the reader stops there until it knows that the
 * writer is gone.
 *
 * The memory is the caller's and outlives the ring.  The reader does not trust
 * what lies in it: a damaged ring is an error, never a crash. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_shared; /* what lies in the memory */

/* One side's view.  Plain data; copy it freely within a process. */
struct ring {
    struct ring_shared *shared;
    unsigned char *slots;
    uint32_t size;      /* of a record */
    uint32_t count;     /* of records; a power of 2 */
    uint32_t bits;      /* count is 2 to that */
    uint32_t writer;    /* the writer's: which one it is, below 65536 */
    uint64_t head_seen; /* the reader's: how far the writers were */
};

/* Bytes that `count` records of `size` bytes need. */
size_t ring_bytes(uint32_t size, uint32_t count);

/* Lays an empty ring out in zeroed memory, which is aligned to 64 bytes.
 * `count` is a power of 2, `size` a multiple of 8. */
struct ring ring_create(void *memory, uint32_t size, uint32_t count);

/* Looks at a ring that somebody else made in `len` bytes of memory.  -EINVAL:
 * it is none, or not of records of `size` bytes; then `out` is untouched. */
int ring_attach(struct ring *out, void *memory, size_t len, uint32_t size);

/* Any thread.  False: the ring is full, the record was dropped and counted. */
bool ring_push(const struct ring *r, const void *record);

/* Soon there will be something to push: what that needs comes into the cache
 * meanwhile. */
static inline void ring_expect(const struct ring *r)
{
    __builtin_prefetch(r->shared, 1);
}

/* Several at once, one behind the other in memory and in the ring, or none of
 * them; what may be lost rather than others leaves `spare` places free for
 * these. */
bool ring_push_many(const struct ring *r, const void *records, uint32_t count,
        uint32_t spare);
/* The same, but what is refused is not counted, or is by ring_drop(). */
void ring_drop(const struct ring *r, uint32_t count);
bool ring_offer_many(const struct ring *r, const void *records, uint32_t count,
        uint32_t spare);

/* Which writer's it is, of a record that was taken out. */
static inline uint32_t ring_writer(uint32_t stamp)
{
    return stamp >> 16;
}

/* Any thread.  The same, but what is refused is not counted. */
bool ring_offer(const struct ring *r, const void *record);

/* The reader only.  1: a record was taken out.  0: nothing is ready, `record`
 * is untouched.  -EINVAL: the memory is damaged. */
int ring_pop(struct ring *r, void *record);

/* The reader only, and only when every writer is gone: steps over a record
 * that was begun and never finished.  False: there is none, or the memory is
 * damaged. */
bool ring_skip(const struct ring *r);

/* Any thread.  Records dropped since ring_create(). */
uint64_t ring_dropped(const struct ring *r);

/* Any thread.  Records begun since ring_create(), and how many of them the
 * reader has not taken yet: more than `count` when both ends move while we
 * look, or the memory is damaged. */
uint64_t ring_begun(const struct ring *r);
uint64_t ring_waiting(const struct ring *r);
