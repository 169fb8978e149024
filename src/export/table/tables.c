/* tables.c -- all tables of a run, in the order of files that hold several: the
 * seeds of this project have the run, its power, its sections, its tokens and
 * what is inside those first. */
#include "export/table/tables.h"

const struct table *const tables[] = {
    &run_table,
    &power_sample_table,
    &section_table,
    &token_table,
    &layer_table,
    &component_table,
    &deep_operation_table,
    &process_table,
    &library_table,
    &session_table,
    &inference_table,
    &operator_table,
    &operator_edge_table,
    &operator_tensor_table,
    &operator_shape_table,
    &operator_sum_table,
    &operator_run_table,
    &traced_sum_table,
    &activation_table,
    &event_table,
    &subject_table,
    &reading_table,
    &rollup_table,
    &latency_sum_table,
    &absence_table,
    &setting_table,
    &sampler_rate_table,
    NULL,
};
