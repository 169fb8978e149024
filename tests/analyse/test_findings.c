/* test_findings.c -- each rule has a run that it finds something in, and one
 * in which it does not. */
#include "analyse/finding/findings.h"

#include "base/alloc.h"
#include "summed.h"

#include <math.h>
#include <string.h>

#define COUNT 2000
enum { PROCESS = 1, HOST = 2 };

/* What is wrong with a run; zeroed: nothing. */
struct wrong {
    const char *options;
    double leak_bytes; /* of each inference */
    double later;      /* the second half takes so many times as long */
    bool hog;          /* other programs, in bursts */
    uint64_t gil_us;
    const char *first_type, *second_type; /* of two operators in a row */
    bool weights_only;                    /* the first one's inputs */
    const char *provider;                 /* of the third */
    const char *providers;                /* that the session asked for */
    double cpu_cores;                     /* that the process keeps busy */
    double host_busy;                     /* all CPUs; the machine has four */
    uint64_t pause_us;                    /* between inferences */
    uint64_t us;                          /* of an inference; 0: 1000 */
    uint32_t padding;                     /* of a batch of 10 */
    bool batches;        /* every fifth one of 8 samples, which costs little */
    bool sizes;          /* of inputs, 100 of them; the first of each is slow */
    bool two_speeds;     /* every third is one and a half times as long, */
    uint64_t more_bytes; /* and its inputs are so much larger */
};

#define CPU "CPUExecutionProvider"

static void add_reading(struct summed *x, enum metric_id metric,
        uint32_t subject, uint64_t us, double value)
{
    store_add_reading(x->store, &(struct reading){ .time_ns = us * 1000,
                                        .value = value,
                                        .subject = subject,
                                        .metric = (uint16_t)metric });
}

static void add_operator(struct summed *x, uint32_t id, const char *type,
        const char *input, const char *output, bool constant, uint64_t self_us,
        const char *provider)
{
    store_add_operator(x->store, &(struct operator){ .id = id,
                                         .session = 1,
                                         .name = "node",
                                         .op_type = type,
                                         .provider = provider,
                                         .node_index = id });
    store_add_operator_tensor(x->store,
            &(struct operator_tensor){ .operator_id = id,
                    .name = input,
                    .is_constant = constant });
    store_add_operator_tensor(x->store,
            &(struct operator_tensor){ .operator_id = id,
                    .is_output = true,
                    .name = output });
    store_add_operator_sum(x->store, &(struct operator_sum){ .operator_id = id,
                                             .phase = PHASE_OTHER,
                                             .count = 100,
                                             .total_ns = self_us * 100000,
                                             .self_ns = self_us * 100000,
                                             .min_ns = self_us * 1000,
                                             .max_ns = self_us * 1000,
                                             .spread = "" });
}

static void add_operators(struct summed *x, const struct wrong *w)
{
    store_add_operator_edge(x->store,
            &(struct operator_edge){ .from = 1, .to = 2 });
    add_operator(x, 1, w->first_type ? w->first_type : "Conv", "a", "b",
            w->weights_only, 100, CPU);
    add_operator(x, 2, w->second_type ? w->second_type : "Softmax", "b", "c",
            false, 50, CPU);
    add_operator(x, 3, "MatMul", "c", "d", false, 350,
            w->provider ? w->provider : CPU);
    store_set_operators_of(x->store, 1, 1);
    store_add_traced_sum(x->store, &(struct traced_sum){ .session = 1,
                                           .phase = PHASE_OTHER,
                                           .count = 100,
                                           .run_ns = 60000000,
                                           .kernels_ns = 50000000,
                                           .between_ns = 10000000,
                                           .operator_runs = 300 });
}

/* 1 ms each, one after the other; readings every 10 ms. */
static void make(struct summed *x, const struct wrong *w)
{
    uint64_t now = 1000, read = 0;

    store_add_process(x->store, &(struct process){ .id = 1, .pid = 4711 });
    store_add_session(x->store, &(struct session){ .id = 1,
                                        .process = 1,
                                        .model = "m.onnx",
                                        .providers = w->providers,
                                        .options = w->options });
    store_add_subject(x->store, PROCESS,
            &(struct subject){ .kind = SUBJECT_PROCESS,
                    .number = 4711,
                    .name = "p" });
    store_add_subject(x->store, HOST,
            &(struct subject){ .kind = SUBJECT_HOST, .name = "h" });
    for (uint64_t i = 0; i < COUNT; i++) {
        bool hogged = w->hog && i % 100 >= 80;
        uint64_t us = (w->us ? w->us : 1000) + i * 7 % 20;
        bool second = w->two_speeds && i % 3 == 0;
        uint32_t batch = w->batches && i % 5 == 0 ? 8 : 1;

        if (i > COUNT / 2 && w->later > 0)
            us = (uint64_t)((double)us * w->later);
        if (hogged && i % 3 == 0)
            us *= 3;
        if (second)
            us = us * 3 / 2;
        if (w->sizes && i % 20 == 0) /* twenty of each size */
            us = us * 5 / 4 - 20;
        if (batch > 1)
            us = us * 11 / 10;
        SUMMED_RUN(x, now, us, .has_parts = w->gil_us > 0,
                .gil_ns = w->gil_us * 1000, .runtime_ns = us * 500,
                .flags = FLAG_INPUT_BYTES | (w->batches ? FLAG_SHAPE : 0),
                .has_context = w->padding > 0, .batch_size = 10,
                .padding = w->padding, .batch = w->batches ? batch : 0,
                .in_bytes = 1000 + (w->sizes ? i / 20 : 0) +
                            (second ? w->more_bytes : 0));
        for (; read < now; read += 10000) {
            add_reading(x, METRIC_process_anonymous_bytes, PROCESS, read,
                    5e7 + w->leak_bytes * (double)i);
            add_reading(x, METRIC_others_cpu_cores, HOST, read,
                    hogged ? 1.5 : 0.05);
            if (w->cpu_cores > 0)
                add_reading(x, METRIC_process_cpu_cores, PROCESS, read,
                        w->cpu_cores);
            add_reading(x, METRIC_process_minor_faults_total, PROCESS, read,
                    (double)(2 * i));
        }
        now += us + w->pause_us;
    }
    add_operators(x, w);
}

/* The finding of a rule; NULL: there is none. */
static const struct finding *find(const struct findings *f, const char *rule)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->items[i].rule, rule) == 0)
            return &f->items[i];
    return NULL;
}

static double evidence(const struct finding *x, const char *name)
{
    for (size_t i = 0; x && i < x->evidence_count; i++)
        if (strcmp(x->evidence[i].name, name) == 0)
            return x->evidence[i].value;
    return NAN;
}

/* Only that rule finds something; NULL: none does. */
static void check(const struct wrong *w, const char *rule,
        void (*look)(const struct findings *f, const struct finding *x))
{
    struct summed x = summed_begin();
    struct findings f;

    make(&x, w);

    const struct summary *s = summed_read(&x);

    x.summary.run.host = alloc_text("{\"cpu\":{\"threads\":4}}");
    if (w->host_busy > 0)
        x.summary.usage.host_busy =
                (struct usage_range){ .count = 9, .mean = w->host_busy };
    CHECK_INT(findings_read(&f, s, x.store, x.run.row, NULL), 0);
    CHECK_INT(f.count, rule ? 1 : 0);
    if (rule && !f.count)
        (void)fprintf(stderr, "%s found nothing\n", rule);
    for (size_t i = 0; i < f.count; i++)
        if (!rule || strcmp(f.items[i].rule, rule) != 0)
            (void)fprintf(stderr, "%s: %s\n", f.items[i].rule,
                    buf_cstr(&f.items[i].text));
    if (rule) {
        const struct finding *found = find(&f, rule);

        CHECK(found != NULL);
        if (found)
            look(&f, found);
    } else {
        CHECK(f.slow.known && f.slow.count == 0);
    }
    findings_release(&f);
    summed_end(&x);
}

static void look_leak(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK_INT(x->severity, FINDING_TROUBLE);
    CHECK(fabs(evidence(x, "each") - 1000) < 100);
    CHECK(strstr(buf_cstr(&x->text), "kB an inference") != NULL ||
            strstr(buf_cstr(&x->text), "B an inference") != NULL);
}

static void look_shift(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(fabs(evidence(x, "ratio") - 1.2) < 0.02);
    CHECK(strstr(buf_cstr(&x->text), "20 % slower") != NULL);
}

static void look_slow(const struct findings *f, const struct finding *x)
{
    CHECK_INT(f->slow.cause_count, 1);
    CHECK(f->slow.cause_count &&
            strcmp(f->slow.causes[0].name, "other_programs") == 0);
    CHECK(f->slow.count > 100 && f->slow.count < 150);
    CHECK_INT(x->inference_count, FINDING_NAMED);
    CHECK_INT(x->severity, FINDING_LOOK);
}

static void look_optimisation(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(evidence(x, "graph_optimization_level") == 0);
    CHECK(isnan(x->gain_ns));
}

static void look_constant(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(x->gain_ns == 100000);
    CHECK(fabs(evidence(x, "share") - 0.2) < 1e-9);
    CHECK_INT(x->operator_count, 1);
    CHECK_INT(x->operators[0], 1);
}

static void look_round_trips(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(x->gain_ns == 150000);
    CHECK(evidence(x, "pairs") == 1);
}

static void look_gil(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(x->gain_ns == 50000);
}

static void look_unfused(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(x->gain_ns == 50000);
    CHECK_INT(x->operators[0], 2);
    CHECK(strstr(buf_cstr(&x->text), "Conv and Relu") != NULL);
}

static void look_fallback(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(fabs(evidence(x, "share") - 0.3) < 1e-9);
    CHECK(strstr(buf_cstr(&x->text), "CUDAExecutionProvider") != NULL);
}

static void look_copies(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(x->gain_ns == 50000);
    CHECK(evidence(x, "copies") == 1);
}

static void look_all_fallback(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(isnan(x->gain_ns));
    CHECK(strstr(buf_cstr(&x->text), "all operators run on the CPU") != NULL);
}

static void look_threads(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK_INT(x->severity, FINDING_LOOK);
    CHECK(evidence(x, "threads") == 100000);
}

static void look_one_thread(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK_INT(x->severity, FINDING_NOTE);
    CHECK(fabs(evidence(x, "idle") - 2.8) < 1e-9);
}

static void look_spinning(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(fabs(evidence(x, "gaps") - 0.5) < 0.01);
    CHECK(fabs(evidence(x, "spinning") - 0.4) < 0.05);
}

static void look_sizes(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(evidence(x, "sizes") > 60);
    CHECK(fabs(evidence(x, "first_to_later") - 1.23) < 0.05);
}

static void look_padding(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(fabs(x->gain_ns - 200000) < 10000);
}

static void look_batch(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK(fabs(x->gain_ns - 871000) < 20000);
    CHECK(strstr(buf_cstr(&x->text), "in a batch of 8 than in one of 1") !=
            NULL);
}

static void look_modes(const struct findings *f, const struct finding *x)
{
    (void)f;
    CHECK_INT(x->severity, FINDING_NOTE);
    CHECK(fabs(evidence(x, "first") - 1.01) < 0.02);
    CHECK(fabs(evidence(x, "second") - 1.51) < 0.03);
    CHECK(strstr(buf_cstr(&x->text), "2 speeds") != NULL);
    CHECK(strstr(buf_cstr(&x->text), "nothing that was recorded") != NULL);
}

static void look_modes_by_size(const struct findings *f,
        const struct finding *x)
{
    (void)f;
    CHECK(strstr(buf_cstr(&x->text), "is the size of the inputs") != NULL);
}

/* The first operator that made one, by the name. */
static void check_not_numbers(void)
{
    struct summed x = summed_begin();
    struct findings f;

    make(&x, &(struct wrong){ .options = NULL });
    store_add_activation(x.store, &(struct activation){ .inference = 17,
                                          .operator_id = 3,
                                          .elements = 4,
                                          .read = 4,
                                          .nans = 1,
                                          .mean_abs = 1,
                                          .std_dev = 0,
                                          .max_abs = 1 });

    const struct summary *s = summed_read(&x);

    CHECK_INT(findings_read(&f, s, x.store, x.run.row, NULL), 0);

    const struct finding *found = find(&f, "not_numbers");

    CHECK(found && strstr(buf_cstr(&found->text), "MatMul") != NULL);
    CHECK(found && found->operators[0] == 3 && found->inferences[0] == 17);
    findings_release(&f);
    summed_end(&x);
}

/* No session, no inference. */
static void check_empty(void)
{
    struct summed x = summed_begin();
    struct findings f;
    const struct summary *s = summed_read(&x);

    CHECK_INT(findings_read(&f, s, x.store, x.run.row, NULL), 0);
    CHECK_INT(f.count, 0);
    CHECK(!f.slow.known);
    findings_release(&f);
    summed_end(&x);
}

int main(void)
{
    check(&(struct wrong){ .leak_bytes = 0 }, NULL, NULL);
    check(&(struct wrong){ .options = "{\"graph_optimization_level\":99}" },
            NULL, NULL);
    check(&(struct wrong){ .leak_bytes = 1000 }, "leak", look_leak);
    check(&(struct wrong){ .later = 1.2 }, "level_shift", look_shift);
    check(&(struct wrong){ .hog = true }, "slow", look_slow);
    check(&(struct wrong){ .options = "{\"graph_optimization_level\":0}" },
            "optimisation_off", look_optimisation);
    check(&(struct wrong){ .first_type = "DequantizeLinear",
                  .weights_only = true },
            "constant_work", look_constant);
    check(&(struct wrong){ .first_type = "QuantizeLinear",
                  .second_type = "DequantizeLinear" },
            "round_trips", look_round_trips);
    check(&(struct wrong){ .gil_us = 50 }, "gil", look_gil);
    check(&(struct wrong){ .first_type = "Conv", .second_type = "Relu" },
            "unfused", look_unfused);
    check(&(struct wrong){ .provider = "CUDAExecutionProvider",
                  .providers = "[\"CUDAExecutionProvider\",\"" CPU "\"]" },
            "fallback", look_fallback);
    check(&(struct wrong){ .provider = "CUDAExecutionProvider",
                  .second_type = "MemcpyToHost",
                  .providers = "[\"CUDAExecutionProvider\"]" },
            "fallback", look_copies);
    check(&(struct wrong){ .providers = "[\"CUDAExecutionProvider\"]" },
            "fallback", look_all_fallback);
    check(&(struct wrong){ .providers = "[\"" CPU "\"]" }, NULL, NULL);
    check(&(struct wrong){ .options = "{\"intra_op_num_threads\":100000}" },
            "threads", look_threads);
    check(&(struct wrong){ .options = "{\"intra_op_num_threads\":1}",
                  .us = 3000,
                  .host_busy = 0.3 },
            "threads", look_one_thread);
    check(&(struct wrong){ .options = "{\"intra_op_num_threads\":1}",
                  .us = 3000,
                  .host_busy = 0.9 },
            NULL, NULL);
    check(&(struct wrong){ .options = "{\"intra_op_num_threads\":1}",
                  .host_busy = 0.3 },
            NULL, NULL);
    check(&(struct wrong){ .options = "{\"intra_op_num_threads\":2}",
                  .pause_us = 1010,
                  .cpu_cores = 1.9 },
            "spinning", look_spinning);
    check(&(struct wrong){ .options = "{\"intra_op_num_threads\":2}",
                  .pause_us = 1010,
                  .cpu_cores = 1.4 },
            NULL, NULL);
    check(&(struct wrong){ .sizes = true }, "new_shapes", look_sizes);
    check(&(struct wrong){ .padding = 2 }, "padding", look_padding);
    check(&(struct wrong){ .batches = true }, "batch", look_batch);
    check(&(struct wrong){ .two_speeds = true }, "modes", look_modes);
    check(&(struct wrong){ .two_speeds = true, .more_bytes = 512 }, "modes",
            look_modes_by_size);
    check_not_numbers();
    check_empty();
    return test_result();
}
