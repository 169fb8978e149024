/* tables.c -- all tables of a run, in the order of files that hold several:
 * what others refer to comes first. */
#include "export/tables.h"

const struct table *const tables[] = {
    &run_table,
    &process_table,
    &library_table,
    &session_table,
    &section_table,
    &token_table,
    &inference_table,
    &operator_table,
    &operator_edge_table,
    &operator_run_table,
    &event_table,
    &subject_table,
    &reading_table,
    &rollup_table,
    &absence_table,
    NULL,
};
