/* rows.h -- what there is to say of a run, as types of rows.
 *
 * A type is described once, in rows_*.c: what its columns are called and where
 * they lie in its struct.  The store makes its tables and statements from that,
 * the exports their columns, `import` the way back.  A new figure is a member
 * and a line, SINCE a new version of the schema (store/schema/schema.h). */
#pragma once

#include "model/column.h"
#include "model/recorded.h"
#include "model/run.h"
#include "model/traced.h"

#define ROW_COLUMNS_MAX 32

struct row_type {
    const char *name;  /* of its rows, everywhere: "operator_sums" */
    const char *about; /* one line */
    const struct column *columns;
    size_t count;
    size_t size; /* of the struct */
    /* The version of the store's schema that the table came with; 0: it was
     * there before its description. */
    uint8_t since;
};

extern const struct row_type operator_rows, operator_edge_rows,
        operator_tensor_rows, operator_shape_rows, operator_sum_rows,
        traced_sum_rows, activation_rows, latency_sum_rows, setting_rows,
        sampler_rate_rows;

/* All that the store keeps by their description; ends with NULL. */
extern const struct row_type *const row_types[];
