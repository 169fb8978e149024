/* fetch.h -- runs of all machines, as a store to read from.
 *
 * What is asked for is copied from the server into a store of its own, which is
 * gone when it is closed: so whoever reads runs does not care where they are.
 */
#pragma once

#include "fleet/clickhouse.h"
#include "store/store.h"

/* All of one run: named by its id, the beginning of one, or "last", which is
 * the newest of all machines.  -ENOENT: none.  -ENOTUNIQ: several begin so. */
int fetch_run(struct store **out, int64_t *row, struct clickhouse *c,
        const char *name, struct error *e);

/* The same without what belongs to the run. */
int fetch_run_alone(struct store **out, int64_t *row, struct clickhouse *c,
        const char *name, struct error *e);

/* All of several runs, in one store; names as above.  -ENOENT, -ENOTUNIQ: of
 * any of them. */
int fetch_these(struct store **out, struct clickhouse *c,
        const char *const *names, size_t count, struct error *e);

/* Those runs of all machines that store_list_runs() is to show: the same filter
 * then finds them in `out`. */
int fetch_runs(struct store **out, struct clickhouse *c,
        const struct run_filter *f, struct error *e);

/* How many there are, whatever the page; `runs` are those that fetch_runs()
 * brought. */
int fetch_count_runs(uint64_t *count, struct clickhouse *c, struct store *runs,
        const struct run_filter *f, struct error *e);
