/* edit.h -- runs on the server that go, or get other tags.
 *
 * ClickHouse calls this a mutation: it writes the parts that hold the rows
 * anew.  These calls wait until that is done, a minute at most (-EAGAIN: it
 * goes on without us).  Of a cluster only the server that is asked is changed:
 * -EXDEV: the run lies on another one. */
#pragma once

#include "fleet/clickhouse.h"

/* Deletes the run of that id and all that belongs to it.  -ENOENT: there is
 * none of our tables. */
int edit_delete(struct clickhouse *c, const char *id, struct error *e);

/* Sets what the run is found by; NULL: none. */
int edit_labels(struct clickhouse *c, const char *id, const char *tags,
        const char *experiment, struct error *e);
