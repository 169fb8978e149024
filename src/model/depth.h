/* depth.h -- what is inside an inference of a language model, and what it drew:
 * power, and time by layer, component and operation.  Only data.
 *
 * A figure that is not known is NAN, a number that is not known 0, unless said
 * otherwise.  Times are nanoseconds since the run's start. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Power at a moment, in milliwatts. */
struct power_sample {
    uint64_t time_ns;
    double cpu_power_mw, gpu_power_mw, dram_power_mw, total_power_mw;
    double ane_power_mw; /* of an NPU; Apple's name for its own */
    uint8_t phase;       /* enum phase: what ran then; or PHASE_IDLE */
    uint8_t method;      /* enum reading_method */
};

/* Of the values that leave a layer or a component. */
struct depth_values {
    double mean, std, max;
    double sparsity; /* share of zeros, 0 to 1 */
};

/* What it lies in, told of what is read and not of what is added. */
struct depth_place {
    bool in_token, in_layer;
    uint32_t token_index;
    uint32_t layer_index;
    const char *token_text;     /* NULL: not known */
    const char *component_name; /* NULL: in none */
};

/* A layer, while a token was made or in the whole run. */
struct layer_metric {
    uint32_t id;       /* from 1, within the run */
    uint64_t token_id; /* the token's number within the run, from 1; 0: all */
    uint32_t layer_index;
    uint64_t duration_ns;
    double energy_mj;
    struct depth_values activation;
    uint8_t energy_method; /* enum reading_method, where energy is known */
    struct depth_place place;
};

/* A component of a layer ("q_proj"), or of all layers. */
struct component_metric {
    uint32_t id;              /* from 1 */
    uint32_t layer_metric_id; /* 0: of all layers */
    const char *component_name;
    uint64_t count; /* times that it ran */
    uint64_t duration_ns;
    double energy_mj;
    struct depth_values activation;
    uint8_t energy_method; /* enum reading_method, where energy is known */
    struct depth_place place;
};

/* An operation of a component ("softmax"), or of all. */
struct deep_operation_metric {
    uint32_t id;                  /* from 1 */
    uint32_t component_metric_id; /* 0: of all */
    const char *operation_type;   /* "attention", "mlp", "layernorm" */
    const char *operation_name;
    uint64_t count;
    uint64_t duration_ns;
    double energy_mj;
    double attention_entropy, attention_sparsity, max_attention_weight;
    double activation_kill_ratio;
    double variance_ratio;
    /* JSON lists with a number for each head; NULL: there are none. */
    const char *entropy_per_head, *largest_per_head, *sparsity_per_head;
    const char *graph; /* NULL: the one that the run is of; else what another
                          one is, that was run for this */
    uint8_t energy_method; /* enum reading_method, where energy is known */
    struct depth_place place;
};
