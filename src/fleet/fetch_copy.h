/* fetch_copy.h -- copies runs from the server into a store of their own.  What
 * the files of fetch.h share; not for others. */
#pragma once

#include "fleet/clickhouse.h"
#include "store/table.h"

struct fetch_copy {
    struct clickhouse *clickhouse;
    struct store *store; /* the copy */
    struct stored_tables tables;
    struct buf there; /* the server's columns */
    struct buf where; /* which runs, as SQL: " WHERE ..." */
};

/* Starts zeroed.  -ENOENT: the server has none of our tables.  fetch_copy_end()
 * in any case. */
int fetch_copy_open(struct fetch_copy *x, struct clickhouse *c,
        struct error *e);

/* The runs themselves; `more` is SQL behind WHERE, or "". */
int fetch_copy_runs(struct fetch_copy *x, const char *more, struct error *e);

/* What belongs to runs that are there already: all, or the tables of these
 * names, which end with NULL. */
int fetch_copy_others(struct fetch_copy *x, const char *const *names,
        struct error *e);

/* `rc` 0: the store is the caller's. */
void fetch_copy_end(struct fetch_copy *x, int rc, struct store **out);
