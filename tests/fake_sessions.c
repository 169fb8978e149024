/* fake_sessions.c -- the fake runtime's sessions and their runs. */
#include "fake_calls.h"
#include "fake_kernels.h"

struct ort_graph {
    size_t nodes;
};

struct ort_event {
    int category;
    const char *name;
    int64_t duration_us;
    const struct fake_node *node;
};

static struct ort_status *graph_nodes(const struct ort_graph *graph,
        size_t *out)
{
    struct ort_status *status = fake_failing("Graph_GetNumNodes");

    if (!status)
        *out = graph->nodes;
    return status;
}

/* --- events --------------------------------------------------------------- */

static struct ort_status *event_category(const struct ort_event *e, int *out)
{
    struct ort_status *status = fake_failing("ProfilingEvent_GetCategory");

    if (!status)
        *out = e->category;
    return status;
}

static struct ort_status *event_name(const struct ort_event *e,
        const char **out)
{
    struct ort_status *status = fake_failing("ProfilingEvent_GetName");

    if (!status)
        *out = e->name;
    return status;
}

static struct ort_status *event_duration(const struct ort_event *e,
        int64_t *out)
{
    struct ort_status *status = fake_failing("ProfilingEvent_GetDurationUs");

    if (!status)
        *out = e->duration_us;
    return status;
}

static struct ort_status *event_argument(const struct ort_event *e,
        const char *key, const char **out)
{
    const struct fake_node *n = e->node;
    const struct {
        const char *key, *value;
    } all[] = { { "op_name", n->op_type }, { "provider", n->provider },
        { "input_type_shape", n->inputs }, { "output_type_shape", n->outputs },
        { "node_index", n->node_index }, { "activation_size", n->activation },
        { "parameter_size", n->parameter }, { "output_size", n->output } };
    struct ort_status *status = fake_failing("ProfilingEvent_GetArgValue");

    for (size_t i = 0; !status && i < sizeof(all) / sizeof(*all); i++)
        if (strcmp(all[i].key, key) == 0)
            *out = all[i].value;
    return status;
}

/* --- running -------------------------------------------------------------- */

/* Of the C++ library: what hook/bracket_linux.c looks for. */
static void stream_made(void *stream)
{
    ++*(int *)stream;
}

static void stream_gone(void *stream)
{
    --*(int *)stream;
}

ort_function fake_streams[2] = { (ort_function)stream_made,
    (ort_function)stream_gone };

static void pass(uint64_t ns)
{
    (void)atomic_fetch_add(&fake_clock_ns, ns);
}

static void describe(const struct fake_node *n, uint64_t ns)
{
    int alive = 0;

    if (!n->unseen)
        ((void (*)(void *))fake_streams[0])(&alive);
    pass(ns);
    if (!n->unseen)
        ((void (*)(void *))fake_streams[1])(&alive);
    if (alive)
        abort();
}

static _Thread_local struct ort_profiler *profiler; /* of this run; or NULL */

static void run_nodes(struct ort_profiler *p, const struct fake_node *n);

static void run_node(struct ort_profiler *p, const struct fake_node *n)
{
    static _Atomic uint64_t events;
    uint64_t start = atomic_load(&fake_clock_ns);
    uint64_t id = atomic_fetch_add(&events, 1);
    struct ort_event e = { ORT_EVENT_NODE, NULL, 0, n };
    char name[700];

    (void)snprintf(name, sizeof(name), "%s_kernel_time", n->name);
    e.name = name;
    (void)p->start_event(p, id);
    describe(n, FAKE_BEFORE_NS);
    if (n->inner)
        run_nodes(p, n->inner);
    if (n->kernel)
        fake_kernel_run(n->kernel);
    pass(n->kernel_ns);
    for (int i = 0; i < n->own_streams; i++)
        describe(n, 10);
    describe(n, FAKE_AFTER_NS);
    e.duration_us = (int64_t)(atomic_load(&fake_clock_ns) - start) / 1000;
    (void)p->stop_event(p, id, &e);
}

/* A graph runs within an event of its own. */
static void run_nodes(struct ort_profiler *p, const struct fake_node *n)
{
    static const struct fake_node none;
    const struct ort_event e = { ORT_EVENT_SESSION,
        "SequentialExecutor::Execute", 1, &none };

    (void)p->start_event(p, 0);
    for (; n && n->name; n++)
        run_node(p, n);
    (void)p->stop_event(p, 0, &e);
}

void fake_run_inner(const struct fake_node *n)
{
    if (profiler)
        run_nodes(profiler, n);
    for (; !profiler && n && n->name; n++)
        if (n->kernel)
            fake_kernel_run(n->kernel);
}

/* The profiler of a run; NULL: the provider wants none. */
static struct ort_profiler *open_profiler(const struct ort_session *s)
{
    struct ort_profiler *p = NULL;

    if (s->ep->create_profiler(s->ep, &p))
        abort();
    if (p) {
        fake.profiled_runs++;
        fake.profilers++;
        (void)p->start_profiling(p, 0);
    }
    return p;
}

static void close_profiler(struct ort_profiler *p)
{
    (void)p->end_profiling(p, NULL);
    fake.profilers--;
    p->release(p);
}

static struct ort_status *run(ORT_RUN_ARGS)
{
    const bool profiled = run_options && run_options->profiled && session->ep;
    struct ort_profiler *p = profiled ? open_profiler(session) : NULL;

    (void)in_names, (void)in, (void)n_in, (void)out_names, (void)n_out;
    (void)out;
    session->active++;
    profiler = p;
    fake_run_inner(session->nodes);
    profiler = NULL;
    pass(1000);
    if (fake.during)
        fake.during(session, run_options);

    struct ort_status *status = fake_failing("Run");

    if (!status && run_options && run_options->terminated)
        status = fake_status(1);
    session->active--;
    if (p)
        close_profiler(p);
    return status;
}

static struct ort_status *load(const struct ort_env *env, const char *path,
        const struct ort_options *options, struct ort_session **out)
{
    const bool equipped = options && options->factory;
    struct ort_status *status = fake_failing("CreateSession");
    struct ort_session *s;
    struct ort_graph graph = { 0 };

    (void)env, (void)path;
    fake.loads++;
    if (!status && equipped)
        status = fake_failing("CreateSession with our provider");
    if (status)
        return status;
    s = fake_new(sizeof(*s));
    s->nodes = fake.nodes;
    s->profiled = options && options->profiled;
    s->factory = equipped ? options->factory : NULL;
    for (const struct fake_node *n = s->nodes; n && n->name; n++)
        graph.nodes++;
    if (equipped) {
        status = s->factory->create_ep(s->factory, NULL, NULL, 0, options, NULL,
                &s->ep);
        if (status || s->ep->get_capability(s->ep, &graph, NULL))
            abort();
    }
    fake.sessions++;
    *out = s;
    return NULL;
}

static void release_session(struct ort_session *s)
{
    if (s->ep)
        s->factory->release_ep(s->factory, s->ep);
    fake.sessions--;
    fake_delete(s);
}

static struct ort_status *default_allocator(struct ort_allocator **out)
{
    *out = (struct ort_allocator *)out;
    return fake_failing("GetAllocatorWithDefaultOptions");
}

static struct ort_status *end_profiling(struct ort_session *s,
        struct ort_allocator *allocator, char **out)
{
    static const char path[] = "/folder/profile.json";
    struct ort_status *status = fake_failing("SessionEndProfiling");

    s->ended++;
    s->ended_amid += s->active > 0;
    fake.ended++;
    if (!status && allocator) {
        *out = fake_new(sizeof(path));
        memcpy(*out, path, sizeof(path));
    }
    return status;
}

static struct ort_status *allocator_free(struct ort_allocator *allocator,
        void *p)
{
    (void)allocator;
    fake_delete(p);
    return NULL;
}

const struct fake_call fake_event_calls[] = {
    FAKE_CALL(ProfilingEvent_GetCategory, event_category),
    FAKE_CALL(ProfilingEvent_GetName, event_name),
    FAKE_CALL(ProfilingEvent_GetDurationUs, event_duration),
    FAKE_CALL(ProfilingEvent_GetArgValue, event_argument),
    { 0, NULL },
};

const struct fake_call fake_run_calls[] = {
    FAKE_CALL(CreateSession, load),
    FAKE_CALL(ReleaseSession, release_session),
    FAKE_CALL(Run, run),
    FAKE_CALL(Graph_GetNumNodes, graph_nodes),
    FAKE_CALL(GetAllocatorWithDefaultOptions, default_allocator),
    FAKE_CALL(SessionEndProfiling, end_profiling),
    FAKE_CALL(AllocatorFree, allocator_free),
    { 0, NULL },
};
