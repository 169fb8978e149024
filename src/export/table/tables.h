/* tables.h -- the tables that tables.c lists.  Others ask table.h. */
#pragma once

#include "export/table/table.h"

extern const struct table run_table, process_table, library_table,
        session_table, section_table, token_table, inference_table,
        operator_table, operator_edge_table, operator_tensor_table,
        operator_shape_table, operator_sum_table, operator_run_table,
        traced_sum_table, activation_table, event_table, subject_table,
        reading_table, rollup_table, absence_table, power_sample_table,
        layer_table, component_table, deep_operation_table, latency_sum_table,
        setting_table, sampler_rate_table;
