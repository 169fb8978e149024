#include "model/rows.h"

const struct row_type *const row_types[] = {
    &operator_rows,
    &operator_edge_rows,
    &operator_tensor_rows,
    &operator_shape_rows,
    &operator_sum_rows,
    &traced_sum_rows,
    &activation_rows,
    &latency_sum_rows,
    &setting_rows,
    &sampler_rate_rows,
    NULL,
};
