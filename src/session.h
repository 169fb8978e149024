/* session.h -- a program under the meter, from its start to its end.
 *
 * Makes the folder for the rings, starts the program with the hook, empties
 * the rings into the store while it runs, and sums up when it has ended. */
#pragma once

#include "base/error.h"
#include "energy/recorder.h"
#include "model/run.h"
#include "store/store.h"

struct push;

struct session_plan {
    char *const *argv;     /* ends with NULL */
    const char *hook;      /* libortmeter.so, for the program to load */
    const char *tags;      /* or NULL */
    const char *ops;       /* "off", "auto", "all" or a number; NULL: off */
    uint64_t ring_records; /* 0: as many as usual; else a power of 2 */
    struct push *push;     /* is told what happens (push/push.h); or NULL */
    double hz;             /* to sample the program at; 0: not at all */
    const struct energy_plan *energy; /* NULL: as usual */
};

struct session_outcome {
    struct run run; /* its texts are not kept */
    uint64_t inferences;
    /* Recording stopped early; the program did not. */
    bool record_failed;
    struct error why;
};

/* Returns when the program has ended.  An error: it was not started. */
int session_run(struct session_outcome *out, struct store *store,
        const struct session_plan *plan, struct error *e);
