/* parquet_column.h -- one column of a row group: gathers its values, then
 * writes them as pages.
 *
 * Texts get a dictionary.  Where it grows too large, the rest of the column is
 * written plainly, in pages of its own.  Whole numbers and times are written as
 * differences, reals as they are, booleans as runs. */
#pragma once

#include "export/parquet/parquet_dict.h"
#include "export/parquet/parquet_pack.h"
#include "export/table/table.h"

struct thrift;

struct parquet_column {
    enum column_type type;
    bool nullable;
    size_t rows;
    size_t nulls;
    size_t values; /* that are known */

    uint8_t *present; /* a byte for each row */
    union {
        int64_t *numbers;
        double *reals;
        uint32_t *small; /* of texts: their numbers; of booleans: 0 or 1 */
    };
    size_t row_cap, value_cap;
    struct parquet_dict dict;
    size_t dict_values; /* so many came before the dictionary was full */
    struct buf plain;   /* the texts after those, as Parquet stores them */

    bool ranged; /* of texts: the first and the last in order are known */
    struct buf least_text, most_text;
};

/* Starts zeroed. */
void parquet_column_init(struct parquet_column *c, enum column_type type,
        bool nullable);
void parquet_column_release(struct parquet_column *c);

void parquet_column_add(struct parquet_column *c, const struct cell *cell);

/* Roughly what its values take in memory. */
size_t parquet_column_bytes(const struct parquet_column *c);

/* What the footer says of the pages. */
struct parquet_chunk {
    uint64_t dict_at; /* in the file; 0: there is no dictionary */
    uint64_t data_at;
    uint64_t packed_bytes;
    uint64_t plain_bytes;
    bool plain_texts; /* some pages have no dictionary */
};

/* Adds all pages to `out`, which begins at `file_at` in the file. */
void parquet_column_write(struct parquet_column *c, struct buf *out,
        uint64_t file_at, struct parquet_pack *pack,
        struct parquet_chunk *chunk);

/* Writes the statistics, as the fields of a struct that is open. */
void parquet_column_statistics(const struct parquet_column *c,
        struct thrift *t);

/* Forgets the values and keeps the memory. */
void parquet_column_clear(struct parquet_column *c);
