/* table.h -- a run as tables: what the columns are called, of what type they
 * are, and the rows, one after another.
 *
 * CSV, JSON Lines, JSON and Parquet are all written from the same cells, and
 * `import` fills the same columns, so they cannot disagree.  A table is data:
 * see tables.c. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "model/rows.h"
#include "store/store.h"

/* Takes the cells of a row, as many as the table has columns; they are gone
 * after the call. */
typedef void row_taker(void *context, const struct cell *cells);
/* Takes the struct of a row. */
typedef void struct_taker(void *context, const void *row);

struct table {
    const struct row_type *type;
    /* The last so many columns are of the rows that it lies in, and only for
     * tables that stand alone: in a document it lies there. */
    size_t place_count;
    /* NULL: the store is asked by the type, and filled by it. */
    int (*each)(struct store *s, int64_t run, struct_taker *take, void *context,
            struct error *e);
    /* NULL, and `each` not: it takes no rows. */
    void (*add)(struct store *s, const void *row);
};

/* Ends with NULL; the run itself is first. */
extern const struct table *const tables[];

/* NULL: there is none of that name. */
const struct table *table_find(const char *name);

/* Adds a line for each table: for people. */
void tables_text(struct buf *out);

/* All rows of the table, in the order in which things happened. */
int table_each_row(const struct table *t, struct store *s, int64_t run,
        row_taker *take, void *context, struct error *e);

/* Adds a row to the run that was begun, if the table takes any: others are made
 * otherwise. */
bool table_takes_rows(const struct table *t);
void table_add(const struct table *t, struct store *s, const void *row);
