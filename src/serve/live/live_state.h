/* live_state.h -- what the files of live.h share.  Not for others. */
#pragma once

#include "base/map.h"
#include "export/names.h"
#include "os/local.h"
#include "os/thread.h"
#include "serve/live/live.h"
#include "serve/live/live_run.h"

#include <stdatomic.h>
#include <threads.h>

#define LIVE_NAMES 4

struct live {
    int (*open_store)(void *context, struct store **out, enum store_mode mode,
            struct error *e);
    void *context;
    void (*changed)(void *to);
    void *to;
    struct store *store;  /* of the thread */
    struct store *reader; /* of the service thread; NULL: not needed yet */
    struct live_names {
        char run_id[RUN_ID_LEN + 1];
        struct names names;
    } names[LIVE_NAMES]; /* likewise: of the runs that were read last */
    unsigned names_turn;
    struct local_links *links; /* to collectors, while somebody listens to us */
    uint64_t linked_ns;        /* when was last tried to reach all */
    struct thread *thread;
    atomic_bool stops;
    atomic_int listeners;
    mtx_t mutex;
    struct live_view view; /* under the mutex, as what follows */
    struct following *following[LIVE_RUNS];
    struct map series; /* hash of a series to its number */
    size_t value_cap;
};
