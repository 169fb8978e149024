/* schema_deep.c -- attention head by head, and of which graph an operation is.
 * Columns of what outputs held are in model/rows_traced.c. */
#include "store/schema/schema.h"

#include <stddef.h>

const char *const schema_deep[] = {
    /* NULL: the graph that the run is of */
    "ALTER TABLE deep_operation_metrics"
    " ADD COLUMN graph INTEGER REFERENCES texts;"
    "ALTER TABLE deep_operation_metrics"
    " ADD COLUMN attention_entropy_per_head TEXT;"
    "ALTER TABLE deep_operation_metrics"
    " ADD COLUMN max_attention_weight_per_head TEXT;"
    "ALTER TABLE deep_operation_metrics"
    " ADD COLUMN attention_sparsity_per_head TEXT;",
    NULL,
};
