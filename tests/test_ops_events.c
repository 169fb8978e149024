#include "fake_ops.h"

#include <pthread.h>

#define AROUND_NS (FAKE_BEFORE_NS + FAKE_AFTER_NS)
#define CPU       "CPUExecutionProvider"
#define SHAPE     "[{\"float\":[1,4]}]"
#define END          \
    {                \
        .name = NULL \
    }

/* One run of a session of those nodes, looked into; its operators are next. */
static const struct ort_api *run_of(const struct fake_node *nodes)
{
    const struct ort_api *api = fake_start("1", 30);

    fake.nodes = nodes;

    struct ort_session *s = fake_load(api, fake_env(), NULL);

    (void)fake_count(RECORD_NONE);
    CHECK(fake_run(api, s, NULL));
    return api;
}

/* --- where a kernel begins and ends --------------------------------------- */

static const struct fake_node flat[] = {
    { .name = "a", .kernel_ns = 1 },
    { .name = "b", .kernel_ns = 123456 },
    /* It makes streams itself: its kernel seems to end at the first. */
    { .name = "c", .kernel_ns = 5000, .own_streams = 3 },
    { .name = "d", .kernel_ns = 0, .own_streams = 1 },
    /* Nothing describes it. */
    { .name = "e", .kernel_ns = 5000, .unseen = true },
    { .name = "f", .kernel_ns = 70000, .own_streams = 70000 },
    END,
};

static const struct seen {
    uint64_t kernel_ns; /* 0: not seen */
    uint64_t raw_ns;    /* whole microseconds, as ONNX Runtime tells */
    uint16_t streams;
} brackets[] = {
    { 1, 2000, 2 },
    { 123456, 125000, 2 },
    { 5000, 7000, 5 },
    { 0, 2000, 3 },
    { 0, 7000, 0 },
    { 70000, 772000, UINT16_MAX },
};

static void kernels(void)
{
    uint64_t at = atomic_load(&fake_clock_ns);
    struct record r;

    (void)run_of(flat);
    for (size_t i = 0; i < sizeof(brackets) / sizeof(*brackets); i++) {
        const struct fake_node *n = &flat[i];
        bool whole = brackets[i].kernel_ns != 0;

        CHECK(fake_record_of(RECORD_OPERATOR_RUN, &r));
        CHECK_INT(r.operator_run.kernel, brackets[i].kernel_ns);
        CHECK_INT(r.operator_run.raw_ns, brackets[i].raw_ns);
        CHECK_INT(r.operator_run.streams, brackets[i].streams);
        CHECK_INT(r.operator_run.start, at + (whole ? FAKE_BEFORE_NS : 0));
        CHECK_INT(r.operator_run.level, 2);
        CHECK_INT(r.operator_run.sample, 1);
        CHECK_INT(r.operator_run.thread, channel_thread());
        at += AROUND_NS + n->kernel_ns + 10 * (uint64_t)n->own_streams;
    }
    CHECK(!fake_record_of(RECORD_OPERATOR_RUN, &r));
}

/* --- nodes within nodes --------------------------------------------------- */

static const struct fake_node innermost[] = { { .name = "x", .kernel_ns = 40 },
    END };
static const struct fake_node in_if[] = { { .name = "c", .kernel_ns = 100 },
    { .name = "loop", .kernel_ns = 7, .inner = innermost },
    { .name = "d", .kernel_ns = 200 }, END };
static const struct fake_node with_if[] = { { .name = "a", .kernel_ns = 10 },
    { .name = "if", .kernel_ns = 30, .inner = in_if },
    { .name = "b", .kernel_ns = 20 }, END };

static void nested(void)
{
    static const struct {
        const char *name;
        uint16_t level;
        uint64_t kernel_ns;
    } want[] = {
        { "a", 2, 10 },
        { "c", 4, 100 },
        { "x", 6, 40 },
        { "loop", 4, 40 + AROUND_NS + 7 },
        { "d", 4, 200 },
        { "if", 2, 100 + 40 + 200 + 4 * AROUND_NS + 7 + 30 },
        { "b", 2, 20 },
    };
    struct record r;
    uint64_t ids[8] = { 0 };
    size_t found = 0, ran = 0;

    (void)run_of(with_if);
    while (fake_record(&r)) {
        if (r.kind == RECORD_OPERATOR && found < 7) {
            CHECK(strcmp(fake_text(r.operator_found.name), want[found].name) ==
                    0);
            ids[found++] = r.operator_found.id;
        }
        if (r.kind == RECORD_OPERATOR_RUN && ran < 7) {
            CHECK_INT(r.operator_run.level, want[ran].level);
            CHECK_INT(r.operator_run.kernel, want[ran].kernel_ns);
            CHECK_INT(r.operator_run.streams, 2);
            CHECK(r.operator_run.id == ids[ran]);
            ran++;
        }
    }
    CHECK_INT(found, 7);
    CHECK_INT(ran, 7);
}

/* Twelve events within each other are kept; what is deeper is left out, and
 * does not disturb the rest. */
static void too_deep(void)
{
    static struct fake_node deep[20][2];
    struct record r;
    int levels = 0;

    for (int i = 0; i < 20; i++)
        deep[i][0] = (struct fake_node){ .name = "n",
            .kernel_ns = 1,
            .inner = i < 19 ? deep[i + 1] : NULL };
    (void)run_of(deep[0]);
    for (; fake_record_of(RECORD_OPERATOR_RUN, &r); levels++)
        CHECK_INT(r.operator_run.level, 12 - 2 * levels);
    CHECK_INT(levels, 6);
}

/* --- what is said of a node ----------------------------------------------- */

static const struct fake_node full[] = {
    { "Conv_0", "Conv", CPU, SHAPE, SHAPE, "17", "16", "400", "64", 1, 0, false,
            NULL, NULL },
    { .name = "bare" },
    { .name = "odd", .node_index = "1x", .activation = "?" },
    END,
};

static void descriptions(void)
{
    struct record r;
    uint64_t id;

    (void)run_of(full);
    CHECK(fake_record_of(RECORD_OPERATOR, &r));
    id = r.operator_found.id;
    CHECK(id != 0);
    CHECK(strcmp(fake_text(r.operator_found.name), "Conv_0") == 0);
    CHECK(strcmp(fake_text(r.operator_found.op_type), "Conv") == 0);
    CHECK(strcmp(fake_text(r.operator_found.provider), CPU) == 0);
    CHECK(strcmp(fake_text(r.operator_found.inputs), SHAPE) == 0);
    CHECK(strcmp(fake_text(r.operator_found.outputs), SHAPE) == 0);
    CHECK_INT(r.operator_found.node_index, 17);
    CHECK(fake_record(&r) && r.kind == RECORD_OPERATOR_SIZES);
    CHECK(r.operator_sizes.id == id);
    CHECK_INT(r.operator_sizes.activation, 16);
    CHECK_INT(r.operator_sizes.parameter, 400);
    CHECK_INT(r.operator_sizes.output, 64);
    CHECK(fake_record(&r) && r.kind == RECORD_OPERATOR_RUN);
    CHECK(r.operator_run.id == id);

    /* What it does not tell is not made up. */
    CHECK(fake_record(&r) && r.kind == RECORD_OPERATOR);
    CHECK_INT(r.operator_found.node_index, UINT32_MAX);
    CHECK_INT(r.operator_found.op_type, 0);
    CHECK_INT(r.operator_found.inputs, 0);
    CHECK(fake_record(&r) && r.kind == RECORD_OPERATOR_RUN);
    CHECK(fake_record(&r) && r.kind == RECORD_OPERATOR);
    CHECK_INT(r.operator_found.node_index, UINT32_MAX);
    CHECK(fake_record(&r) && r.kind == RECORD_OPERATOR_RUN);
}

/* The same name in two models, or in two branches: not the same node. */
static const struct fake_node twins[] = {
    { .name = "n", .op_type = "Add", .inputs = SHAPE, .node_index = "1" },
    { .name = "n", .op_type = "Add", .inputs = SHAPE, .node_index = "1" },
    { .name = "n", .op_type = "Mul", .inputs = SHAPE, .node_index = "1" },
    { .name = "n", .op_type = "Add", .inputs = "[]", .node_index = "1" },
    { .name = "n", .op_type = "Add", .inputs = SHAPE, .node_index = "2" },
    { .name = "n",
            .op_type = "Add",
            .inputs = SHAPE,
            .node_index = "1",
            .provider = CPU },
    { .name = "n",
            .op_type = "AddC",
            .inputs = SHAPE,
            .node_index = "1",
            .provider = "PUExecutionProvider" },
    END,
};

static void told_apart(void)
{
    struct record r;
    uint64_t ids[8] = { 0 };
    size_t found = 0, ran = 0;

    (void)run_of(twins);
    while (fake_record(&r)) {
        found += r.kind == RECORD_OPERATOR;
        if (r.kind == RECORD_OPERATOR_RUN && ran < 8)
            ids[ran++] = r.operator_run.id;
    }
    CHECK_INT(found, 6);
    CHECK_INT(ran, 7);
    CHECK(ids[0] == ids[1]);
    for (size_t i = 1; i < ran; i++)
        for (size_t k = 1; k < i; k++)
            CHECK(ids[i] != ids[k]);
}

/* Once in a process, and once more in each that is forked from it: those have
 * a ring of their own. */
static void described_once(void)
{
    const struct ort_api *api = run_of(twins);
    struct ort_session *s = fake_load(api, fake_env(), NULL);

    for (int child = 0; child < 3; child++) {
        CHECK_INT(fake_count(RECORD_OPERATOR), 6);
        CHECK(fake_run(api, s, NULL));
        CHECK_INT(fake_count(RECORD_OPERATOR), 0);
        ops_in_child();
        CHECK(fake_run(api, s, NULL));
    }
}

static void long_names(void)
{
    static char name[600];
    const struct fake_node nodes[] = { { .name = name }, END };
    struct record r;

    memset(name, 'n', sizeof(name) - 1);
    (void)run_of(nodes);
    CHECK(fake_record_of(RECORD_OPERATOR, &r));
    CHECK_INT(strlen(fake_text(r.operator_found.name)), 511);
    CHECK(strspn(fake_text(r.operator_found.name), "n") == 511);
}

static void calls_that_fail(void)
{
    static const struct {
        const char *call;
        int runs;
    } cases[] = {
        { "ProfilingEvent_GetCategory", 0 },
        { "ProfilingEvent_GetName", 0 },
        { "ProfilingEvent_GetDurationUs", 7 },
        { "ProfilingEvent_GetArgValue", 7 },
    };
    const struct ort_api *api = run_of(twins);
    struct ort_session *s = fake_load(api, fake_env(), NULL);

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        (void)fake_count(RECORD_NONE);
        fake.fails = cases[i].call;
        CHECK(fake_run(api, s, NULL));
        CHECK_INT(fake_count(RECORD_OPERATOR_RUN), cases[i].runs);
        CHECK_INT(fake.statuses, 0);
    }
}

/* --- events that do not match --------------------------------------------- */

static const struct ort_event *no_event;

static void leave_open(struct ort_session *s, const struct ort_run_options *o)
{
    struct ort_profiler *p = NULL;

    (void)o;
    CHECK(!s->ep->create_profiler(s->ep, &p));
    for (uint64_t i = 0; p && i < 50; i++)
        CHECK(!p->start_event(p, i));
    if (p)
        p->release(p);
}

static void stop_too_often(struct ort_session *s,
        const struct ort_run_options *o)
{
    struct ort_profiler *p = NULL;

    (void)o;
    CHECK(!s->ep->create_profiler(s->ep, &p));
    for (uint64_t i = 0; p && i < 50; i++)
        CHECK(!p->stop_event(p, i, no_event));
    if (p)
        p->release(p);
}

static void unbalanced(void)
{
    const struct ort_api *api = run_of(flat);
    struct ort_session *s = fake_load(api, fake_env(), NULL);
    struct record r;

    for (int i = 0; i < 4; i++) {
        fake.during = i % 2 ? leave_open : stop_too_often;
        CHECK(fake_run(api, s, NULL));
        fake.during = NULL;
        (void)fake_count(RECORD_NONE);
        CHECK(fake_run(api, s, NULL));
        for (size_t k = 0; k < sizeof(brackets) / sizeof(*brackets); k++) {
            CHECK(fake_record_of(RECORD_OPERATOR_RUN, &r));
            CHECK_INT(r.operator_run.level, 2);
            CHECK_INT(r.operator_run.kernel, brackets[k].kernel_ns);
        }
    }
}

/* --- other threads -------------------------------------------------------- */

static void *work(void *profiler)
{
    struct ort_profiler *p = profiler;

    /* A stream outside any event is nobody's. */
    operator_stream_made();
    operator_stream_gone();
    CHECK(!p->start_event(p, 1));
    CHECK(!p->start_event(p, 2));
    return NULL;
}

/* With parallel execution a run's nodes are told of from several threads. */
static void on_two_threads(struct ort_session *s,
        const struct ort_run_options *o)
{
    struct ort_profiler *p = NULL;
    pthread_t thread;

    (void)o;
    CHECK(!s->ep->create_profiler(s->ep, &p));
    CHECK_INT(pthread_create(&thread, NULL, work, p), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    p->release(p);
}

static void threads(void)
{
    const struct ort_api *api = run_of(flat);
    struct ort_session *s = fake_load(api, fake_env(), NULL);

    fake.during = on_two_threads;
    CHECK(fake_run(api, s, NULL));
    fake.during = NULL;
    (void)fake_count(RECORD_NONE);
    /* Its depth is its own. */
    struct record r;

    CHECK(fake_run(api, s, NULL));
    CHECK(fake_record_of(RECORD_OPERATOR_RUN, &r));
    CHECK_INT(r.operator_run.level, 2);
}

int main(void)
{
    apart(kernels);
    apart(nested);
    apart(too_deep);
    apart(descriptions);
    apart(told_apart);
    apart(described_once);
    apart(long_names);
    apart(calls_that_fail);
    apart(unbalanced);
    apart(threads);
    return test_result();
}
