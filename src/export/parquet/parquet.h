/* parquet.h -- writes a Parquet file, a row at a time.
 *
 * Rows are gathered into row groups, so memory does not grow with their number;
 * the footer, without which nothing can be read, comes at the end.  What cannot
 * be written is kept by the sink. */
#pragma once

#include "export/format.h"
#include "export/table/table.h"

struct parquet;

/* `columns` are borrowed until parquet_close(). */
struct parquet *parquet_open(struct sink *to, const struct column *columns,
        size_t count, enum export_codec codec);

/* Something to know about the file, for its footer; both are copied. */
void parquet_note(struct parquet *p, const char *key, const char *value);

/* As many cells as there are columns. */
void parquet_row(struct parquet *p, const struct cell *cells);

/* Writes the rest and the footer, and frees.  The sink stays open. */
void parquet_close(struct parquet *p);
