/* spool.h -- what waits to be sent, with an upper limit: what is oldest goes
 * when there is no room, and is counted.
 *
 * For one thread at a time. */
#pragma once

#include "base/buf.h"

struct spool;

/* At most so many bytes wait. */
struct spool *spool_new(size_t most_bytes);
/* NULL is welcome. */
void spool_free(struct spool *s);

/* Takes the bytes over and empties `body`.  `items` is how many things are in
 * it: what is dropped is counted in them. */
void spool_put(struct spool *s, struct buf *body, uint64_t items);

/* Takes the oldest out.  False: there is none, `body` and `items` are
 * untouched. */
bool spool_take(struct spool *s, struct buf *body, uint64_t *items);

/* Bytes and bodies that wait; items that were dropped for lack of room. */
size_t spool_bytes(const struct spool *s);
size_t spool_count(const struct spool *s);
uint64_t spool_dropped(const struct spool *s);
/* Items that wait. */
uint64_t spool_items(const struct spool *s);
