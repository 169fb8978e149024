/* summed.h -- for tests: a run is put into a store, and its summary is read
 * back. */
#pragma once

#include "analyse/summary.h"
#include "stored.h"

struct summed {
    struct tree tree;
    struct store *store;
    struct run run;
    struct summary summary; /* from summed_read() on */
};

static inline struct summed summed_begin(void)
{
    struct summed x = { .tree = tree_open() };

    x.store = stored_open(&x.tree, STORE_WRITE);
    x.run = stored_run(x.store, UINT64_C(1790000000000000000));
    return x;
}

static inline void summed_session(struct summed *x, uint32_t id,
        const char *model)
{
    store_add_session(x->store,
            &(struct session){ .id = id, .process = 1, .model = model });
}

/* An inference of thread 1, in microseconds; and one that has more to say. */
static inline void summed_run(struct summed *x, uint32_t session,
        uint64_t start_us, uint64_t duration_us)
{
    (void)store_add_inference(x->store,
            &(struct inference){ .session = session,
                    .process = 1,
                    .thread = 1,
                    .start_ns = start_us * 1000,
                    .duration_ns = duration_us * 1000 });
}

#define SUMMED_RUN(x, start_us, duration_us, ...)          \
    (void)store_add_inference((x)->store,                  \
            &(struct inference){ .session = 1,             \
                    .process = 1,                          \
                    .thread = 1,                           \
                    .start_ns = (uint64_t)(start_us)*1000, \
                    .duration_ns = (duration_us)*1000,     \
                    __VA_ARGS__ })

static inline const struct summary *summed_read(struct summed *x)
{
    struct error e = { 0 };

    stored_flush(x->store);
    CHECK_INT(summary_read(&x->summary, x->store, x->run.row, &e), 0);
    if (*e.text)
        (void)fprintf(stderr, "%s\n", e.text);
    return &x->summary;
}

static inline void summed_end(struct summed *x)
{
    summary_release(&x->summary);
    store_close(x->store);
    tree_close(&x->tree);
}

/* A run that has something of everything. */
static inline void summed_fill(struct summed *x)
{
    struct store *s = x->store;

    store_add_process(s, &(struct process){ .id = 1,
                                 .pid = 4711,
                                 .program = "node app.js" });
    store_end_process(s, &(struct process){ .id = 1,
                                 .hook_ns = 90,
                                 .lost = 3,
                                 .untimed = 4,
                                 .torn = 5 });
    store_add_process(s,
            &(struct process){ .id = 2, .pid = 4712, .parent = 1 });
    store_add_library(s, &(struct library){ .id = 1,
                                 .process = 1,
                                 .path = "/lib/ort.so",
                                 .version = "1.23.2",
                                 .slots = 47 });
    store_add_language(s, 1, "Node.js");
    store_add_session(s, &(struct session){ .id = 1,
                                 .process = 1,
                                 .library = 1,
                                 .model = "/m/small/model.onnx",
                                 .providers = "[\"CUDAExecutionProvider\","
                                              "\"CPUExecutionProvider\"]",
                                 .options = "{\"intra_op_num_threads\":4}",
                                 .duration_ns = 5000000,
                                 .thread = 1 });
    store_add_session(s, &(struct session){ .id = 2,
                                 .process = 1,
                                 .model = "/m/bad.onnx",
                                 .error = "no such file" });
    SUMMED_RUN(x, 100, 20, .phase = PHASE_PREFILL,
            .flags = FLAG_SHAPE | FLAG_SEQUENCE | FLAG_PAST | FLAG_INPUT_BYTES |
                     FLAG_OUTPUT_BYTES,
            .batch = 2, .sequence = 7, .in_bytes = 112, .out_bytes = 64);
    SUMMED_RUN(x, 130, 10, .phase = PHASE_DECODE,
            .flags = FLAG_SHAPE | FLAG_SEQUENCE | FLAG_PAST, .batch = 2,
            .sequence = 1, .past = 7);
    SUMMED_RUN(x, 150, 5, .flags = FLAG_FAILED, .error = "bad shape");
    SUMMED_RUN(x, 160, 6, .has_context = true, .batch_size = 8, .padding = 2,
            .queue_depth = 0);
    store_add_section(s, &(struct section){ .process = 1,
                                 .thread = 1,
                                 .phase = PHASE_PRE,
                                 .name = "tokenise",
                                 .duration_ns = 3000 });
    store_add_section(s, &(struct section){ .process = 1,
                                 .thread = 1,
                                 .phase = PHASE_PRE,
                                 .name = "tokenise",
                                 .start_ns = 9,
                                 .duration_ns = 5000 });
    store_add_token(s, &(struct token){ .process = 1,
                               .thread = 1,
                               .id = 15,
                               .text = "Hel\"lo",
                               .time_ns = 120000 });
    store_add_token(s, &(struct token){ .process = 1,
                               .thread = 1,
                               .index = 1,
                               .id = -1,
                               .time_ns = 140000 });
    store_add_mark(s, &(struct note){ 1, 1, "half time", 135000 });
    store_add_thread(s, &(struct note){ 1, 1, "main", 1 });
    x->run.status = RUN_COMPLETE;
    x->run.ended = true;
    x->run.duration_ns = 2000000000;
    x->run.user_cpu_ns = 1500000000;
    x->run.peak_rss_bytes = 50000000;
    x->run.meter_cpu_ns = 10000000;
    x->run.meter_rss_bytes = 9000000;
    CHECK_INT(store_end_run(s, &x->run, NULL), 0);
}
