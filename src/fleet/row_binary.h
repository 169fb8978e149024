/* row_binary.h -- rows as ClickHouse's RowBinary format has them: one after
 * another, the columns in order, nothing between.
 *
 * A number is 8 bytes, the lowest first; a text its length (7 bits a byte, the
 * highest bit says that more follow) and its bytes; where nothing may stand
 * there is a byte before, 1 for nothing.  Ours begin with the run's id, 36
 * bytes.  The format is told in ClickHouse's documentation of formats; it is
 * the same from version 18 on. */
#pragma once

#include "base/buf.h"
#include "store/table.h"

/* The longest text that is believed. */
#define ROW_BINARY_TEXT_MAX (64 << 20)

void row_binary_u16(struct buf *out, uint16_t value);
void row_binary_u64(struct buf *out, uint64_t value);
void row_binary_cells(struct buf *out, const struct stored_table *t,
        const struct stored_cell *cells);

/* Takes one row off `rest`: the run's id and the table's cells, which point
 * into it.  1: taken.  0: the row is not all there yet, `rest` is untouched.
 * -EBADMSG: this is not such a row. */
int row_binary_take(struct str *id, struct stored_cell *cells,
        const struct stored_table *t, struct str *rest);
