/* row_read.h -- a JSON object as the row of a table: row_json.h backwards. */
#pragma once

#include "export/table/table.h"

/* Starts zeroed; one for as many rows as one likes, of any table. */
struct row_reader {
    struct cell cells[ROW_COLUMNS_MAX];
    struct buf *texts; /* of the cells, ROW_COLUMNS_MAX */
};

/* Fills `cells`; what is not there, or null, is absent, and members that are no
 * columns are passed over.  Texts end with a zero and live until the next call.
 * -EINVAL: it is no object, or a value is of another type. */
int row_read(struct row_reader *r, const struct table *t, struct str object,
        struct error *e);

/* The cells as a struct, which began zeroed and borrows the texts.  A column of
 * characters is left as it is.  -EINVAL: something is missing, or does not
 * fit. */
int row_put(const struct row_reader *r, const struct table *t, void *row,
        struct error *e);

void row_reader_release(struct row_reader *r);
