/* tables_depth.c -- power, and what is inside an inference: layers, components,
 * operations.  In JSON these lie within each other: json_depth.h. */
#include "export/table/columns.h"
#include "export/table/tables.h"

#define ACTIVATION                                        \
    REAL("activation_mean", activation.mean, NULL),       \
            REAL("activation_std", activation.std, NULL), \
            REAL("activation_max", activation.max, NULL), \
            REAL("activation_sparsity", activation.sparsity, NULL)

/* What EP-032 joins to its sections of layers and components. */
#define TOKEN_PLACE                                                  \
    U32("token_index", place.token_index, NULL, IF(place.in_token)), \
            TEXT("token_text", place.token_text)
#define LAYER_PLACE \
    U32("layer_index", place.layer_index, NULL, IF(place.in_layer)), TOKEN_PLACE
enum { TOKEN_PLACES = 2, LAYER_PLACES = 3, COMPONENT_PLACES = 4 };

#define ROW power_sample
static const struct column power_sample_columns[] = {
    NUMBER,
    WALL("timestamp", time_ns),
    REAL("cpu_power_mw", cpu_power_mw, "mW"),
    REAL("gpu_power_mw", gpu_power_mw, "mW"),
    REAL("ane_power_mw", ane_power_mw, "mW"),
    REAL("dram_power_mw", dram_power_mw, "mW"),
    REAL("total_power_mw", total_power_mw, "mW"),
    COLUMN("phase", TEXT, NULL, PHASE, phase, ALWAYS),
    COLUMN("method", TEXT, NULL, METHOD, method, ALWAYS),
    U64("time_ns", time_ns, "ns", ALWAYS),
};
#undef ROW
TAKE(power_sample)
EACH(power_sample, power_sample)
ADD(power_sample, power_sample)
TABLE(power_sample, "power_samples", power_sample, each_power_sample,
        add_power_sample, "power over time, by part");

#define ROW layer_metric
static const struct column layer_columns[] = {
    U32("id", id, NULL, ALWAYS),
    U64("token_id", token_id, NULL, IF_SET),
    U32("layer_index", layer_index, NULL, ALWAYS),
    MS("duration_ms", duration_ns, ALWAYS),
    REAL("energy_mj", energy_mj, "mJ"),
    POWER_OF("avg_power_mw", energy_mj, duration_ns),
    ACTIVATION,
    U64("duration_ns", duration_ns, "ns", ALWAYS),
    COLUMN("energy_method", TEXT, NULL, METHOD, energy_method,
            IF_REAL(energy_mj)),
    TOKEN_PLACE,
};
#undef ROW
TAKE(layer_metric)
EACH(layer, layer_metric)
ADD(layer, layer_metric)
TABLE_WITHIN(layer, "layer_metrics", layer_metric, each_layer, add_layer,
        "layers of the model, for each token", TOKEN_PLACES);

#define ROW component_metric
static const struct column component_columns[] = {
    U32("id", id, NULL, ALWAYS),
    U32("layer_metric_id", layer_metric_id, NULL, IF_SET),
    TEXT("component_name", component_name),
    MS("duration_ms", duration_ns, ALWAYS),
    REAL("energy_mj", energy_mj, "mJ"),
    POWER_OF("avg_power_mw", energy_mj, duration_ns),
    ACTIVATION,
    U64("count", count, NULL, ALWAYS),
    U64("duration_ns", duration_ns, "ns", ALWAYS),
    COLUMN("energy_method", TEXT, NULL, METHOD, energy_method,
            IF_REAL(energy_mj)),
    LAYER_PLACE,
};
#undef ROW
TAKE(component_metric)
EACH(component, component_metric)
ADD(component, component_metric)
TABLE_WITHIN(component, "component_metrics", component_metric, each_component,
        add_component, "their components: q_proj, gate_proj, ...",
        LAYER_PLACES);

#define ROW deep_operation_metric
static const struct column deep_operation_columns[] = {
    U32("id", id, NULL, ALWAYS),
    U32("component_metric_id", component_metric_id, NULL, IF_SET),
    TEXT("operation_type", operation_type),
    TEXT("operation_name", operation_name),
    MS("duration_ms", duration_ns, ALWAYS),
    REAL("energy_mj", energy_mj, "mJ"),
    POWER_OF("avg_power_mw", energy_mj, duration_ns),
    REAL("attention_entropy", attention_entropy, NULL),
    REAL("attention_sparsity", attention_sparsity, NULL),
    REAL("max_attention_weight", max_attention_weight, NULL),
    REAL("activation_kill_ratio", activation_kill_ratio, NULL),
    REAL("variance_ratio", variance_ratio, NULL),
    U64("count", count, NULL, ALWAYS),
    U64("duration_ns", duration_ns, "ns", ALWAYS),
    COLUMN("energy_method", TEXT, NULL, METHOD, energy_method,
            IF_REAL(energy_mj)),
    TEXT("graph", graph),
    JSON("attention_entropy_per_head", entropy_per_head),
    JSON("max_attention_weight_per_head", largest_per_head),
    JSON("attention_sparsity_per_head", sparsity_per_head),
    TEXT("component_name", place.component_name),
    LAYER_PLACE,
};
#undef ROW
TAKE(deep_operation_metric)
EACH(deep_operation, deep_operation_metric)
ADD(deep_operation, deep_operation_metric)
TABLE_WITHIN(deep_operation, "deep_operation_metrics", deep_operation_metric,
        each_deep_operation, add_deep_operation,
        "and the operations in those: softmax, ...", COMPONENT_PLACES);
