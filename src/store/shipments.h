/* shipments.h -- which runs are to be sent to a store of many machines, and how
 * far each of them has come: kept in the database with the runs, so that
 * sending goes on where it ended, whoever ended and why.
 *
 * `to` names the far store: its address, without a password. */
#pragma once

#include "store/store.h"

/* A run is to be sent; harmless when it was told before.  One that has arrived
 * stays so, unless `again`: then all of it is sent anew. */
int store_add_shipment(struct store *s, int64_t run, const char *to, bool again,
        struct error *e);

/* What this process is recording now is to be sent: so many runs. */
int store_add_own_shipments(struct store *s, const char *to, uint64_t *count,
        struct error *e);

/* All runs are to be sent. */
int store_add_all_shipments(struct store *s, const char *to, struct error *e);

/* A run that has not arrived, oldest first, after `run`; 0: there is none.  A
 * run that another living meter records is that meter's business. */
struct shipment {
    int64_t run;
    char id[RUN_ID_LEN + 1];
    uint64_t started_wall_ns;
    bool own;     /* this process records it, or has */
    bool running; /* more will come: for whoever sends it to say */
};

int store_next_shipment(struct store *s, const char *to, int64_t run,
        struct shipment *out, struct error *e);

/* All of the run has arrived. */
int store_end_shipment(struct store *s, int64_t run, const char *to,
        struct error *e);

/* How far a table of the run has come: the last number sent and, of a table
 * that is sent as a whole, a digest of what was sent.  Both 0: nothing yet. */
struct shipment_mark {
    int64_t number;
    int64_t digest;
};

int store_read_mark(struct store *s, int64_t run, const char *to,
        const char *table, struct shipment_mark *out, struct error *e);
int store_put_mark(struct store *s, int64_t run, const char *to,
        const char *table, const struct shipment_mark *mark, struct error *e);
