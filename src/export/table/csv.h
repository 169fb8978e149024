/* csv.h -- rows as comma-separated values (RFC 4180, lines end with \n).
 *
 * What is absent is an empty cell; an empty text is "" in quotes.  Times are
 * RFC 3339 in UTC, with nanoseconds. */
#pragma once

#include "base/buf.h"
#include "export/table/table.h"

/* The columns' names, a line. */
void csv_head(struct buf *out, const struct column *columns, size_t count);

/* A line of cells. */
void csv_row(struct buf *out, const struct column *columns, size_t count,
        const struct cell *cells);

/* One text as a cell, in quotes where it needs them. */
void csv_text(struct buf *out, struct str s);
