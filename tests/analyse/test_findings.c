/* test_findings.c -- each rule has a run that it finds something in, and one
 * in which it does not. */
#include "analyse/finding/findings.h"

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
};

static void add_reading(struct summed *x, enum metric_id metric,
        uint32_t subject, uint64_t us, double value)
{
    store_add_reading(x->store, &(struct reading){ .time_ns = us * 1000,
                                        .value = value,
                                        .subject = subject,
                                        .metric = (uint16_t)metric });
}

static void add_operator(struct summed *x, uint32_t id, const char *type,
        const char *input, const char *output, bool constant, uint64_t self_us)
{
    store_add_operator(x->store, &(struct operator){ .id = id,
                                         .session = 1,
                                         .name = "node",
                                         .op_type = type,
                                         .provider = "CPUExecutionProvider",
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
            w->weights_only, 100);
    add_operator(x, 2, w->second_type ? w->second_type : "Relu", "b", "c",
            false, 50);
    add_operator(x, 3, "MatMul", "c", "d", false, 350);
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
                                        .options = w->options });
    store_add_subject(x->store, PROCESS,
            &(struct subject){ .kind = SUBJECT_PROCESS,
                    .number = 4711,
                    .name = "p" });
    store_add_subject(x->store, HOST,
            &(struct subject){ .kind = SUBJECT_HOST, .name = "h" });
    for (uint64_t i = 0; i < COUNT; i++) {
        bool hogged = w->hog && i % 100 >= 80;
        uint64_t us = 1000 + i * 7 % 20;

        if (i > COUNT / 2 && w->later > 0)
            us = (uint64_t)((double)us * w->later);
        if (hogged && i % 3 == 0)
            us *= 3;
        SUMMED_RUN(x, now, us, .has_parts = w->gil_us > 0,
                .gil_ns = w->gil_us * 1000, .runtime_ns = us * 500);
        for (; read < now; read += 10000) {
            add_reading(x, METRIC_process_anonymous_bytes, PROCESS, read,
                    5e7 + w->leak_bytes * (double)i);
            add_reading(x, METRIC_others_cpu_cores, HOST, read,
                    hogged ? 1.5 : 0.05);
            add_reading(x, METRIC_process_minor_faults_total, PROCESS, read,
                    (double)(2 * i));
        }
        now += us;
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
    check_not_numbers();
    check_empty();
    return test_result();
}
