#include "fake_ops.h"

struct ort_graph {
    size_t nodes;
};

struct ort_status *CreateEpFactories(const char *name,
        const struct ort_api_base *base, const struct ort_logger *logger,
        struct ort_ep_factory **out, size_t max, size_t *count);
struct ort_status *ReleaseEpFactory(struct ort_ep_factory *factory);

static const struct ort_api *stranger(uint32_t version)
{
    static const struct ort_api api = { { NULL } };

    (void)version;
    return &api;
}

/* --- as ONNX Runtime enters ----------------------------------------------- */

static void factories(void)
{
    static const struct ort_api_base nobody = { stranger, NULL };
    const struct ort_api *api = fake_start("1", 30);
    struct ort_ep_factory *f = NULL, *again = NULL;
    size_t count = 7;

    /* A runtime that we are not in, and no room: no factory, no error. */
    CHECK(!CreateEpFactories("x", &nobody, NULL, &f, 1, &count));
    CHECK(count == 0 && !f);
    CHECK(!CreateEpFactories("x", fake_base(30), NULL, &f, 0, &count));
    CHECK(count == 0 && !f);

    CHECK(!CreateEpFactories("x", fake_base(30), NULL, &f, 4, &count));
    CHECK(count == 1 && f);
    CHECK_INT(f->version, ORT_EP_VERSION);
    CHECK(strcmp(f->get_name(f), PROBE_NAME) == 0);
    CHECK(strcmp(f->get_vendor(f), "ortmeter") == 0);
    CHECK(strcmp(f->get_version(f), ORTMETER_VERSION) == 0);
    CHECK_INT(f->get_vendor_id(f), 0);
    CHECK(!f->is_stream_aware(f));
    CHECK(!f->validate_compatibility);
    for (size_t i = 0; i < 15; i++)
        CHECK(!f->later[i]);

    struct ort_allocator *allocator = (struct ort_allocator *)&count;
    struct ort_transfer *transfer = (struct ort_transfer *)&count;

    CHECK(!f->create_allocator(f, NULL, NULL, &allocator) && !allocator);
    f->release_allocator(f, NULL);
    CHECK(!f->create_data_transfer(f, &transfer) && !transfer);

    /* It comes back for another environment while the first uses it. */
    CHECK(!CreateEpFactories("x", fake_base(30), NULL, &again, 1, &count));
    CHECK(count == 1 && again == f);
    CHECK(!ReleaseEpFactory(again));
    CHECK(strcmp(f->get_name(f), PROBE_NAME) == 0);
    (void)api;
}

static void providers(void)
{
    const struct ort_api *api = fake_start("1", 30);
    struct ort_ep_factory *f = NULL;
    struct ort_profiler *p = (struct ort_profiler *)&f;
    struct ort_ep *ep = NULL;
    struct ort_graph outer = { 5 }, inner = { 3 };
    size_t count = 0;

    CHECK(!CreateEpFactories("x", fake_base(30), NULL, &f, 1, &count));
    CHECK(!f->create_ep(f, NULL, NULL, 1, NULL, NULL, &ep) && ep);
    CHECK_INT(ep->version, ORT_EP_VERSION);
    CHECK(strcmp(ep->get_name(ep), PROBE_NAME) == 0);
    CHECK(!ep->create_allocator && !ep->create_sync_stream && !ep->sync);
    CHECK(!ep->on_run_start && !ep->on_run_end);
    CHECK(!ep->is_concurrent_run_supported); /* which means yes */

    /* It claims nothing and counts what it is shown, subgraphs too. */
    (void)probe_nodes_seen();
    CHECK(!ep->get_capability(ep, &outer, NULL));
    CHECK(!ep->get_capability(ep, &inner, NULL));
    CHECK_INT(probe_nodes_seen(), 8);
    CHECK_INT(probe_nodes_seen(), 0);
    fake.fails = "Graph_GetNumNodes";
    CHECK(!ep->get_capability(ep, &outer, NULL));
    CHECK_INT(probe_nodes_seen(), 0);
    CHECK_INT(fake.statuses, 0);
    CHECK(!ep->compile(ep, NULL, NULL, 0, NULL, NULL));
    ep->release_infos(ep, NULL, 0);

    /* A run that the program profiles by itself is not ours to look into. */
    CHECK_INT(ops_current(), 0);
    CHECK(!ep->create_profiler(ep, &p) && !p);
    f->release_ep(f, ep);
    (void)api;
}

/* --- in a run ------------------------------------------------------------- */

static const struct fake_node one_node[] = { { .name = "a", .kernel_ns = 5 },
    { .name = NULL } };

#define AT_ONCE 150 /* more than there are profilers */

static struct ort_profiler *taken[AT_ONCE];
static int got;

/* More runs at the same time than we keep profilers for. */
static void ask_for_many(struct ort_session *s, const struct ort_run_options *o)
{
    (void)o;
    if (!ops_current())
        return;
    for (int i = 0; i < AT_ONCE; i++) {
        struct ort_profiler *p = NULL;

        CHECK(!s->ep->create_profiler(s->ep, &p));
        for (int k = 0; k < i; k++)
            CHECK(!p || p != taken[k]);
        taken[i] = p ? p : taken[i];
        got += p != NULL;
    }
}

static void profilers(void)
{
    const struct ort_api *api = fake_start("1", 30);
    struct ort_session *s;

    fake.nodes = one_node;
    s = fake_load(api, fake_env(), NULL);
    fake.during = ask_for_many;
    CHECK(fake_run(api, s, NULL));
    CHECK_INT(got, 127); /* and the run's own, which is free again */
    CHECK(fake_run(api, s, NULL));
    CHECK_INT(got, 127);
    CHECK_INT(fake.profiled_runs, 2);

    /* They come back. */
    for (int i = 0; i < AT_ONCE; i++)
        if (taken[i])
            taken[i]->release(taken[i]);
    CHECK(fake_run(api, s, NULL));
    CHECK_INT(got, 127 + 127);
}

/* Two runtimes in one process: each hears of its own. */
static void two_runtimes(void)
{
    const struct ort_api *old = fake_start("1", 23);
    const struct ort_api *api = fake_start("1", 30);
    struct record r;

    CHECK_INT(fake_library(old)->index, 0);
    CHECK_INT(fake_library(api)->index, 1);
    fake.nodes = one_node;

    struct ort_session *s = fake_load(api, fake_env(), NULL);
    struct ort_session *other = fake_load(old, fake_env(), NULL);

    CHECK(s->ep && !s->profiled);
    CHECK(!other->ep && other->profiled);
    CHECK(fake_run(api, s, NULL));
    CHECK(fake_record_of(RECORD_OPERATOR, &r));
    CHECK_INT(record_library(&r), 1);
    CHECK(fake_run(old, other, NULL));
    CHECK(fake_record_of(RECORD_RUN, &r));
    CHECK_INT(record_library(&r), 1);
    CHECK(fake_record_of(RECORD_RUN, &r));
    CHECK_INT(record_library(&r), 0);
    CHECK_INT(r.flags & (FLAG_SAMPLED | FLAG_BURST), FLAG_SAMPLED | FLAG_BURST);
}

int main(void)
{
    apart(factories);
    apart(providers);
    apart(profilers);
    apart(two_runtimes);
    return test_result();
}
