/* ship.h -- sends runs from the local database to the store of many machines.
 *
 * The database is the spool: what was sent is marked in it, row by row, after
 * the server has confirmed it.  If we die in between, or the answer is lost,
 * the rows are sent again and replace themselves.  A run has arrived when the
 * server, asked, holds as many rows of each table as there are here. */
#pragma once

#include "fleet/clickhouse.h"
#include "store/shipments.h"
#include "store/table.h"

struct ship_tally {
    uint64_t runs; /* that have arrived */
    uint64_t rows; /* sent */
};

/* Sends what is waiting of all runs that are to go there; while `recording`,
 * more is expected of those that this process records.  Ends at the first
 * error; what was sent until then stays sent. */
int ship_all(struct clickhouse *c, struct store *s,
        const struct stored_tables *t, bool recording, struct ship_tally *tally,
        struct error *e);
