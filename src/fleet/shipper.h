/* shipper.h -- sends, in a thread of its own, what this process records.
 *
 * Nothing that happens here disturbs the recording: while the server is away,
 * the rows wait in the database, and after our end the next shipper that is
 * started for the same database and address sends them. */
#pragma once

#include "fleet/ship.h"

struct shipper;

struct shipper_outcome {
    struct ship_tally tally;
    bool failed; /* something waits still */
    struct error why;
};

/* Takes the store, which is used by nobody else: an open one of the database
 * that the run is recorded into.  -EAGAIN: no thread can be started; then the
 * store is closed. */
int shipper_start(struct shipper **out, struct store *take,
        const struct address *a, struct error *e);

/* So long does sending take after a program's end, to all receivers together:
 * whoever waits for the program need not wait for them. */
#define SHIPPER_LAST_NS UINT64_C(5000000000)

/* What of it is left when so much was spent on others. */
uint64_t shipper_left_ns(uint64_t spent_ns);

/* The recording has ended: sends the rest until that moment of mono_ns() at
 * most, whatever the server does, and frees.  `run` is what was recorded; 0:
 * nothing.  Without a shipper (NULL) nothing is sent, and nothing fails. */
void shipper_stop(struct shipper *s, int64_t run, uint64_t deadline_ns,
        struct shipper_outcome *out);
