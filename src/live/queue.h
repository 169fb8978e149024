/* queue.h -- events for a subscriber in another thread, which may be slow.
 *
 * The one side is a subscriber that copies each event and returns; the other
 * takes them out.  The memory is bounded: when it is full, events are dropped
 * and counted, and whoever takes events is told how many (`loss`).  The last
 * quarter is left to what is rare, so that a flood of inferences and readings
 * does not hide that a session was made or that the run has ended.
 *
 * One thread puts, one thread takes. */
#pragma once

#include "model/subscriber.h"

struct queue;

/* `bytes` is a power of 2, from 4096. */
struct queue *queue_new(size_t bytes);
void queue_free(struct queue *q);

/* Whoever emits tells this.  `end` is left out: what is said at the end goes
 * into the run's notes, which `close` has. */
struct subscriber queue_subscriber(struct queue *q);

/* Tells `to` all that has come.  Returns how many events. */
size_t queue_take(struct queue *q, const struct subscriber *to);

/* Events that were dropped.  Any thread. */
uint64_t queue_dropped(const struct queue *q);
