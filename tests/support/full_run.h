/* full_run.h -- a run with rows in every table, for whoever changes them. */
#pragma once

#include "stored.h"

#include <math.h>

static inline void full_sampled(struct store *s)
{
    static const struct subject subjects[] = {
        { .kind = SUBJECT_HOST, .name = "host", .source = "cores" },
        { .kind = SUBJECT_PROCESS, .number = 77, .name = "node" },
        { .kind = SUBJECT_THREAD, .parent = 1, .number = 78, .name = "main" },
        { .kind = SUBJECT_DEVICE, .name = "gpu0", .detail = "0000:01:00.0" },
        { .kind = SUBJECT_ZONE, .name = "package-0", .source = "rapl" },
        { .kind = SUBJECT_ZONE, .parent = 4, .name = "package-0/core" },
    };

    for (uint32_t i = 0; i < 6; i++)
        store_add_subject(s, i, &subjects[i]);
    for (uint16_t m = 0; m < METRIC_IDS; m++)
        for (uint64_t n = m % 4 ? 2 : 0; n < 3; n++) {
            store_add_reading(s, &(struct reading){ .time_ns = n * 400000000,
                                         .value = (double)(n * 7 + m),
                                         .subject = m % 6,
                                         .metric = m });
            store_add_rollup(s, &(struct rollup){ .second = n,
                                        .subject = m % 6,
                                        .metric = m,
                                        .count = 2,
                                        .mean = (double)n,
                                        .max = (double)n + 1 });
        }
    store_add_absence(s, &(struct absence_note){ METRIC_run_info, 1, "why" });
}

static inline void full_depth(struct store *s)
{
    static const struct depth_values seen = { 1, 2, 3, 0.25 };

    for (uint64_t i = 0; i < 9; i++)
        store_add_power_sample(s,
                &(struct power_sample){ .time_ns = i * 100000000,
                        .cpu_power_mw = 1500.25,
                        .gpu_power_mw = NAN,
                        .ane_power_mw = NAN,
                        .dram_power_mw = NAN,
                        .total_power_mw = 1500.25,
                        .phase = PHASE_DECODE });
    for (uint32_t i = 1; i <= 3; i++) {
        store_add_layer(s, &(struct layer_metric){ .id = i,
                                   .token_id = i == 1,
                                   .layer_index = i,
                                   .duration_ns = 2000,
                                   .energy_mj = 0.5,
                                   .activation = seen });
        store_add_component(s, &(struct component_metric){
                                       .id = i,
                                       .layer_metric_id = i,
                                       .component_name = "q_proj",
                                       .count = 7,
                                       .duration_ns = 1,
                                       .energy_mj = NAN,
                                       .activation = seen,
                               });
        store_add_deep_operation(s, &(struct deep_operation_metric){
                                            .id = i,
                                            .component_metric_id = i,
                                            .operation_type = "attention",
                                            .operation_name = "softmax",
                                            .count = 1,
                                            .energy_mj = 0.25,
                                    });
    }
}

static inline void full_program(struct store *s)
{
    for (uint32_t i = 1; i <= 2; i++) {
        store_add_process(s, &(struct process){ .id = i,
                                     .pid = 70 + i,
                                     .parent = i - 1,
                                     .program = "node app.js" });
        store_add_library(s, &(struct library){ .id = i,
                                     .process = i,
                                     .path = "/lib/libonnxruntime.so",
                                     .version = "1.26.0",
                                     .slots = 300 });
        store_add_session(s,
                &(struct session){ .id = i,
                        .process = i,
                        .library = i,
                        .thread = 70,
                        .model = i == 1 ? "/m/a.onnx" : NULL,
                        .providers = "[\"CUDAExecutionProvider\"]",
                        .options = "{\"intra_op_num_threads\":\"2\"}",
                        .start_ns = 10,
                        .duration_ns = 1000,
                        .read_ns = 10,
                        .initialise_ns = 900 });
        store_add_section(s, &(struct section){ .process = i,
                                     .thread = 70,
                                     .phase = PHASE_PRE,
                                     .name = "load",
                                     .start_ns = 1100,
                                     .duration_ns = 99 });
        store_add_token(s, &(struct token){ .process = i,
                                   .thread = 70,
                                   .index = i,
                                   .id = 4,
                                   .text = "Hi",
                                   .time_ns = 500000000 });
        store_add_mark(s, &(struct note){ i, 70, "here", 9500 });
        store_add_thread(s, &(struct note){ i, 70, "main", 1 });
    }
    store_add_session_end(s, 1, 1200000000);
    store_set_operators_of(s, 2, 1);
    store_add_language(s, 1, "node");
    store_set_untraced(s, 2, "it is older than 1.15");
    for (uint32_t i = 1; i <= 2; i++)
        store_end_process(s, &(struct process){ .id = i,
                                     .hook_ns = 90,
                                     .lost = 3,
                                     .torn = 1 });
}

/* What is said of an operator beside its runs. */
static inline void full_operator(struct store *s, uint32_t id)
{
    store_add_operator_tensor(s, &(struct operator_tensor){ .operator_id = id,
                                         .name = "x",
                                         .shape = "[1,3]" });
    store_add_operator_shape(s, &(struct operator_shape){ .operator_id = id,
                                        .inputs = "[{\"float\":[1,3]}]",
                                        .count = 2 });
    store_add_operator_sum(s, &(struct operator_sum){ .operator_id = id,
                                      .phase = PHASE_DECODE,
                                      .count = 4,
                                      .total_ns = 4000,
                                      .self_ns = 4000,
                                      .min_ns = 900,
                                      .max_ns = 1100 });
    store_add_activation(s, &(struct activation){ .inference = 1,
                                    .operator_id = id,
                                    .elements = 9,
                                    .mean_abs = 0.5,
                                    .std_dev = 1,
                                    .max_abs = 2 });
}

static inline void full_operators(struct store *s)
{
    static const char *const types[] = { "Conv", "MatMul", "If", "Softmax" };

    for (uint32_t i = 1; i <= 8; i++) {
        store_add_operator(s, &(struct operator){ .id = i,
                                      .session = 1 + i % 2,
                                      .name = "/model/layers.3/attn/q_proj",
                                      .op_type = types[i % 4],
                                      .provider = "CPUExecutionProvider",
                                      .inputs = "[{\"float\":[1,3,48,192]}]",
                                      .outputs = "[{\"float\":[1,8]}]",
                                      .node_index = i,
                                      .sizes_known = true,
                                      .activation_bytes = 4096,
                                      .output_bytes = 64 });
        if (i > 1)
            store_add_operator_edge(s, &(struct operator_edge){ i - 1, i });
        full_operator(s, i);
    }
    store_add_traced_sum(s, &(struct traced_sum){ .session = 1,
                                    .phase = PHASE_DECODE,
                                    .count = 4,
                                    .run_ns = 4000,
                                    .kernels_ns = 3000 });
}

static inline void full_inferences(struct store *s)
{
    for (uint64_t i = 1; i <= 12; i++) {
        uint64_t start = i * 50000000;

        (void)store_add_inference(s,
                &(struct inference){ .session = 1 + i % 2,
                        .process = 1 + i % 2,
                        .thread = 70,
                        .phase = i % 3 ? PHASE_DECODE : PHASE_PREFILL,
                        .flags =
                                i == 7 ? FLAG_FAILED
                                       : FLAG_SHAPE | FLAG_PAST | FLAG_PROFILED,
                        .start_ns = start,
                        .duration_ns = 3000000 + i,
                        .batch = 1,
                        .sequence = 4,
                        .past = (uint32_t)i,
                        .has_context = i % 2,
                        .batch_size = 2,
                        .error = i == 7 ? "no" : NULL });
        for (uint32_t o = 1; o <= 8; o++)
            store_add_operator_run(s, &(struct operator_run){ .inference = i,
                                              .operator_id = o,
                                              .thread = 70,
                                              .depth = o == 3,
                                              .start_ns = start + o * 10000,
                                              .raw_ns = 9000,
                                              .kernel_ns = 8000,
                                              .kernel_known = i % 2 });
    }
}

/* How it was recorded, and what was summed up of it. */
static inline void full_recorded(struct store *s)
{
    store_add_setting(s, &(struct setting){ "ops", "auto" });
    store_add_sampler_rate(s, &(struct sampler_rate){ .name = "cores",
                                      .wanted_hz = 100,
                                      .hz = 50,
                                      .effective_hz = 49.5,
                                      .reads = 65,
                                      .missed = 1 });
    for (uint32_t i = 0; i < 4; i++)
        store_add_latency_sum(s, &(struct latency_sum){ .width_s = 1,
                                         .place = i / 2,
                                         .session = 1 + i % 2,
                                         .phase = PHASE_DECODE,
                                         .count = 2,
                                         .failed = i == 1,
                                         .sum_ns = 6000013,
                                         .min_ns = 3000001,
                                         .max_ns = 3000012,
                                         .spread = "[2981888,2]" });
}

static inline int64_t full_run(struct store *s, uint64_t wall_ns)
{
    static const struct run_figure figures[] = { { METRIC_run_info, 1 } };
    struct run r = {
        .started_wall_ns = wall_ns,
        .start_mono_ns = 77,
        .meter_pid = own_pid(),
        .command = "node app.js",
        .directory = "/home/a",
        .tags = "a,b",
        .host = "{\"host\":\"h\",\"cores\":4}",
        .version = "0.0.1",
        .experiment = "e",
        .prompt = "Tell me a story",
        .depth = "deep",
    };

    CHECK_INT(store_begin_run(s, &r, NULL), 0);
    full_program(s);
    full_operators(s);
    full_inferences(s);
    full_sampled(s);
    full_depth(s);
    full_recorded(s);
    store_set_figures(s, r.row, figures, 1);
    stored_flush(s);
    r.status = RUN_COMPLETE;
    r.ended = true;
    r.duration_ns = 1300000000;
    r.peak_rss_bytes = 1 << 20;
    r.input_tokens = 4;
    r.output_tokens = 2;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    return r.row;
}
