/* layout.h -- our tables on a ClickHouse server.
 *
 * They are the local database's, by the same names and columns.  Each begins
 * with `run_id`, the `run_day` on which the run began, and the `row_version` of
 * the row: of rows of the same run and key the latest counts, so a row that is
 * sent twice is there once.  Whoever reads says FINAL.
 *
 * With a cluster, each server has tables NAME_local, and NAME is spread over
 * all of them by a hash of the run's id: a run is in one place. */
#pragma once

#include "fleet/clickhouse.h"
#include "store/table.h"

/* What the server has: lines of table, tab, column. */
int layout_read(struct clickhouse *c, struct buf *out, struct error *e);
bool layout_has(struct str there, const char *table, const char *column);

/* What the table is called in which this server keeps its own rows. */
#define LAYOUT_NAME_MAX 256
void layout_local_name(char out[LAYOUT_NAME_MAX], const char *table,
        const struct address *a);

/* Makes the tables and columns that are missing. */
int layout_ensure(struct clickhouse *c, const struct stored_tables *t,
        struct error *e);

/* Rows of runs that began more than so many days ago go, by and by.  A server
 * that cannot do that by itself drops now what is due by whole months, and
 * `once` says so: whoever asks must ask again later. */
int layout_retain(struct clickhouse *c, const struct stored_tables *t,
        uint64_t days, bool *once, struct error *e);

/* The statements: for those who look after the server, and for tests. */
void layout_create(struct buf *out, const struct stored_table *t,
        const struct clickhouse_traits *traits, const char *name);
void layout_create_spread(struct buf *out, const struct stored_table *t,
        const struct clickhouse_traits *traits, const struct address *a);
