/* sender.h -- sends bodies to one address, from a thread of its own.
 *
 * Whoever puts something in never waits: what cannot be sent waits in a spool
 * of limited size, is tried again with growing pauses where that makes sense,
 * and is dropped and counted where it does not. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

/* What is usual. */
#define SENDER_SPOOL_BYTES (16u << 20)
#define SENDER_TIMEOUT_MS  10000
#define SENDER_DRAIN_MS    5000

struct sender_plan {
    const char *url;
    const char *const *headers; /* as http.h; ends with NULL */
    size_t spool_bytes;         /* at most so much waits */
    unsigned timeout_ms;        /* of one request */
    unsigned drain_ms; /* after sender_finish() there is no more time */

    /* Makes a body ready: compresses it.  In the sender's thread. */
    void (*pack)(void *context, struct buf *out, struct str body);
    /* Whether it is worth trying again after this status, which is no 2xx. */
    bool (*again)(int status);
    /* How many items of an accepted body the receiver refused, by its answer;
     * it may say why.  NULL: it takes all or nothing. */
    uint64_t (*refused)(void *context, struct str answer, struct error *why);
    void *context;
};

struct sender_outcome {
    uint64_t requests; /* that were accepted */
    uint64_t items;    /* in them */
    uint64_t dropped;  /* items that were not sent or not accepted */
    uint64_t attempts; /* that failed */
    struct error why;  /* of the last failure; "": there was none */
};

struct sender;

/* The plan's texts live as long as the sender. */
int sender_start(struct sender **out, const struct sender_plan *plan,
        struct error *e);

/* Takes the bytes over and empties `body`. */
void sender_put(struct sender *s, struct buf *body, uint64_t items);

/* No more is put in: from now on there is drain_ms left to send what waits.
 * NULL is welcome, as below. */
void sender_finish(struct sender *s);

/* Finishes, waits until all is sent or time is up, and frees. */
void sender_stop(struct sender *s, struct sender_outcome *out);

/* Adds a sentence where not all got there: "3 of 9 spans did not get to ...";
 * `what` is what the items are. */
void sender_tell(struct buf *told, const char *url, const char *what,
        const struct sender_outcome *o);
