/* rows_traced.c -- rows of operators and of the inferences they ran in. */
#include "model/describe.h"

#define ROW operator
static const struct column operator_columns[] = {
    U32("id", id, NULL, ALWAYS, KEY),
    U32("session", session, NULL, ALWAYS),
    U32("parent", parent, NULL, IF_SET, SINCE(5)),
    OFTEN_TEXT("name", name),
    OFTEN_TEXT("op_type", op_type),
    COLUMN("domain", TEXT, NULL, TEXT, domain, IF_SET, .often = true, SINCE(5)),
    U32("since_version", since_version, NULL, IF_SET, SINCE(5)),
    OFTEN_TEXT("provider", provider),
    OFTEN_JSON("inputs", inputs),
    OFTEN_JSON("outputs", outputs),
    U32("node_index", node_index, NULL, .when = WHEN_U32),
    U64("activation_bytes", activation_bytes, "bytes", IF(sizes_known)),
    U64("parameter_bytes", parameter_bytes, "bytes", IF(sizes_known)),
    U64("output_bytes", output_bytes, "bytes", IF(sizes_known)),
};
#undef ROW
ROW_TYPE(operator, "operators", 0, "the nodes that ran, with their types");

#define ROW operator_edge
static const struct column operator_edge_columns[] = {
    U32("to_operator", to, NULL, ALWAYS, KEY),
    U32("from_operator", from, NULL, ALWAYS, KEY),
};
#undef ROW
ROW_TYPE(operator_edge, "operator_edges", 0,
        "which node reads what which other one made");

#define ROW operator_tensor
static const struct column operator_tensor_columns[] = {
    U32("operator", operator_id, NULL, ALWAYS, KEY),
    COLUMN("is_output", BOOL, NULL, BOOL, is_output, ALWAYS, KEY),
    COLUMN("position", INT, NULL, U16, index, ALWAYS, KEY),
    OFTEN_TEXT("name", name),
    COLUMN("is_constant", BOOL, NULL, BOOL, is_constant, ALWAYS),
    COLUMN("element_type", INT, NULL, U8, type, IF_SET),
    OFTEN_JSON("shape", shape),
};
#undef ROW
ROW_TYPE(operator_tensor, "operator_tensors", 5,
        "inputs and outputs of the nodes: names, weights");

#define ROW operator_shape
static const struct column operator_shape_columns[] = {
    U32("operator", operator_id, NULL, ALWAYS, KEY),
    U32("position", index, NULL, ALWAYS, KEY),
    OFTEN_JSON("inputs", inputs),
    OFTEN_JSON("outputs", outputs),
    U64("count", count, "operator runs", ALWAYS),
    U64("activation_bytes", activation_bytes, "bytes", IF(sizes_known)),
    U64("parameter_bytes", parameter_bytes, "bytes", IF(sizes_known)),
    U64("output_bytes", output_bytes, "bytes", IF(output_known)),
    U64("prefill_count", prefill_count, "operator runs", IF(phases_known),
            SINCE(8)),
    U64("decode_count", decode_count, "operator runs", IF(phases_known),
            SINCE(8)),
};
#undef ROW
ROW_TYPE(operator_shape, "operator_shapes", 5,
        "shapes with which the nodes ran, and how often");

#define ROW operator_sum
static const struct column operator_sum_columns[] = {
    U32("operator", operator_id, NULL, ALWAYS, KEY),
    COLUMN("phase", TEXT, NULL, PHASE, phase, ALWAYS, KEY),
    U64("count", count, "operator runs", ALWAYS),
    U64("total_ns", total_ns, "ns", ALWAYS),
    U64("self_ns", self_ns, "ns", ALWAYS),
    U64("min_ns", min_ns, "ns", ALWAYS),
    U64("max_ns", max_ns, "ns", ALWAYS),
    COLUMN("squares", REAL, "ns^2", F64, squares, ALWAYS),
    JSON("spread", spread),
};
#undef ROW
ROW_TYPE(operator_sum, "operator_sums", 5,
        "all runs of a node in traced inferences, summed up");

#define ROW traced_sum
static const struct column traced_sum_columns[] = {
    U32("session", session, NULL, ALWAYS, KEY),
    COLUMN("phase", TEXT, NULL, PHASE, phase, ALWAYS, KEY),
    U64("count", count, "inferences", ALWAYS),
    U64("run_ns", run_ns, "ns", ALWAYS),
    U64("before_ns", before_ns, "ns", ALWAYS),
    U64("kernels_ns", kernels_ns, "ns", ALWAYS),
    U64("flow_ns", flow_ns, "ns", ALWAYS),
    U64("between_ns", between_ns, "ns", ALWAYS),
    U64("after_ns", after_ns, "ns", ALWAYS),
    U64("beside", beside, "inferences", ALWAYS),
    U64("beside_run_ns", beside_run_ns, "ns", ALWAYS),
    U64("busy_ns", busy_ns, "ns", ALWAYS),
    U64("operator_runs", operator_runs, "operator runs", ALWAYS),
    U64("cost_ns", cost_ns, "ns", ALWAYS),
    U64("lost", lost, "inferences", ALWAYS),
    U64("doubtful", doubtful, "operator runs", ALWAYS),
    U64("shapeless", shapeless, "inferences", ALWAYS),
};
#undef ROW
ROW_TYPE(traced_sum, "traced_sums", 5,
        "traced inferences, and where their time went");

#define PER_HEAD(n, m) \
    COLUMN(n, TEXT, NULL, TEXT, m, .when = WHEN_SET, .json = true, SINCE(11))
#define ROW activation
static const struct column activation_columns[] = {
    U64("inference", inference, NULL, ALWAYS, KEY),
    U32("operator", operator_id, NULL, ALWAYS, KEY),
    COLUMN("output", INT, NULL, U16, output, ALWAYS, KEY),
    COLUMN("element_type", INT, NULL, U8, type, ALWAYS),
    U64("elements", elements, "elements", ALWAYS),
    U64("elements_read", read, "elements", ALWAYS),
    U64("nans", nans, "elements", ALWAYS),
    U64("infinities", infinities, "elements", ALWAYS),
    U64("near_zero", near_zero, "elements", ALWAYS),
    REAL("mean_abs", mean_abs, NULL),
    REAL("std_dev", std_dev, NULL),
    REAL("max_abs", max_abs, NULL),
    U64("cost_ns", cost_ns, "ns", ALWAYS),
    U64("negative", negative, "elements", IF(negative_known), SINCE(11)),
    PER_HEAD("attention_entropy_per_head", entropy_per_head),
    PER_HEAD("max_attention_weight_per_head", largest_per_head),
    PER_HEAD("attention_sparsity_per_head", sparsity_per_head),
};
#undef ROW
ROW_TYPE(activation, "activations", 5, "values of the nodes' outputs");
