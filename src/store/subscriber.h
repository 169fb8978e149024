/* subscriber.h -- a run is written to the store as it happens.
 *
 * Commits by many rows together, or after a fifth of a second.  When something
 * cannot be written, recording stops: what is stored stays whole, and the run
 * says why in its notes. */
#pragma once

#include "model/subscriber.h"
#include "store/store.h"

#define STORE_FLUSH_NS 200000000

struct store_subscriber {
    struct subscriber to; /* `context` is this struct, which does not move */
    struct store *store;  /* its run has begun */
    /* What is computed from the rows when all are there; NULL: nothing. */
    void (*derive)(void *context, struct run *run);
    void *derive_context;

    uint64_t inferences;
    uint64_t kept; /* of them, in the file */
    bool failed;
    struct error why;
    uint64_t flushed_ns;
    uint64_t flush_ns; /* rows wait so long at most; may be set before they
                          come */
};

void store_subscribe(struct store_subscriber *s, struct store *store);
