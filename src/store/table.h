/* table.h -- a run's rows as they lie in the tables, whatever tables there are:
 * for copying runs into a store of many machines, and back.
 *
 * What the tables and columns are is asked of the database itself, so a column
 * that is added there is copied, too.  The numbers that only this database
 * knows a run and a text by are not told: a run is known by its id, a text is
 * told in full. */
#pragma once

#include "base/str.h"
#include "store/store.h"

enum column_kind {
    COLUMN_INTEGER,
    COLUMN_REAL,
    COLUMN_TEXT,
    COLUMN_NAME, /* a text that repeats: kept once, in a table of its own */
};

struct stored_column {
    char *name;
    enum column_kind kind;
    bool nullable;
    bool key; /* with the others of its kind, and the run, names the row */
    char *kept_in, *kept_as; /* table and column of a name; else NULL */
};

struct stored_table {
    char *name;
    struct stored_column *columns;
    size_t count;
    bool is_runs; /* one row a run: the run itself */
    /* Rows are only ever added, with numbers that grow: the first column.  Rows
     * of other tables may change. */
    bool numbered;
};

struct stored_tables {
    struct stored_table *items; /* the runs themselves come last */
    size_t count;
};

int store_tables(struct stored_tables *out, struct store *s, struct error *e);
void tables_release(struct stored_tables *t);

/* What stands in a column. */
struct stored_cell {
    bool there; /* else nothing is known */
    int64_t integer;
    double real;
    struct str text; /* may hold zero bytes */
};

/* Calls `each` for the rows of a run in the order of their keys, at most
 * `limit`; of a numbered table those with a number above `after`.  The cells
 * are the table's columns, gone after the call. */
int store_each_row(struct store *s, const struct stored_table *t, int64_t run,
        int64_t after, uint64_t limit,
        void (*each)(void *context, const struct stored_cell *cells),
        void *context, struct error *e);

/* How many rows a run has in a table. */
int store_count_rows(struct store *s, const struct stored_table *t, int64_t run,
        uint64_t *count, struct error *e);

/* --- the way back --------------------------------------------------------- */

/* An empty database in a file of no name, which is gone when it is closed.
 * When all rows are in it, store_end_copy() makes it ready for reading. */
int store_open_copy(struct store **out, struct error *e);
int store_end_copy(struct store *s, struct error *e);

/* How many inferences a run has whose inferences are not in the copy, unless
 * the run tells itself. */
int store_count_copied(struct store *s, struct str id, uint64_t inferences,
        uint64_t failed, struct error *e);

/* Adds rows to such a copy.  Of a table of runs it makes the run; other rows
 * belong to a run that is there already. */
struct row_writer;

int row_writer_open(struct row_writer **out, struct store *s,
        const struct stored_table *t, struct error *e);
/* `id` is the run's, RUN_ID_LEN characters.  -ENOENT: there is no such run.
 * -EBADMSG: a cell holds what no run can. */
int row_writer_put(struct row_writer *w, struct str id,
        const struct stored_cell *cells, struct error *e);
/* NULL is welcome. */
void row_writer_close(struct row_writer *w);
