/* probe.c -- an execution provider that claims no node.
 *
 * ONNX Runtime tells the profilers of all its providers of every node that
 * runs; so being one is enough to hear of them while they run, with no file. */
#include "hook/ops.h"

#include <stdatomic.h>

#define PROFILERS 128 /* runs looked into at the same time */

/* ONNX Runtime hands the outer struct back by its first member. */
struct profiler {
    struct ort_profiler base;
    _Atomic bool taken;
    const struct library *lib;
    uint32_t sample;
};

struct provider {
    struct ort_ep base;
    const struct library *lib;
};

struct factory {
    struct ort_ep_factory base;
    const struct library *lib;
    struct provider provider; /* has no state, so one serves all sessions */
};

static struct profiler profilers[PROFILERS];
static struct factory factories[LIBRARIES];
static _Thread_local uint32_t nodes_seen;

uint32_t probe_nodes_seen(void)
{
    uint32_t seen = nodes_seen;

    nodes_seen = 0;
    return seen;
}

/* --- the profiler --------------------------------------------------------- */

static void release(struct ort_profiler *self)
{
    atomic_store_explicit(&((struct profiler *)self)->taken, false,
            memory_order_release);
}

static struct ort_status *start_profiling(struct ort_profiler *self,
        int64_t offset_ns)
{
    (void)self, (void)offset_ns;
    return NULL;
}

static struct ort_status *start_event(struct ort_profiler *self, uint64_t id)
{
    (void)self, (void)id;
    operator_started();
    return NULL;
}

static struct ort_status *stop_event(struct ort_profiler *self, uint64_t id,
        const struct ort_event *event)
{
    const struct profiler *p = (const struct profiler *)self;

    (void)id;
    operator_stopped(p->lib, p->sample, event);
    return NULL;
}

static struct ort_status *end_profiling(struct ort_profiler *self,
        struct ort_events *events)
{
    (void)self, (void)events;
    return NULL;
}

/* None for runs that are not ours to look into. */
static struct ort_status *create_profiler(struct ort_ep *self,
        struct ort_profiler **out)
{
    uint32_t sample = ops_current();

    *out = NULL;
    for (size_t i = 0; sample && i < PROFILERS; i++) {
        struct profiler *p = &profilers[i];

        if (atomic_exchange_explicit(&p->taken, true, memory_order_acquire))
            continue;
        p->base = (struct ort_profiler){ ORT_EP_VERSION, release,
            start_profiling, start_event, stop_event, end_profiling };
        p->lib = ((const struct provider *)self)->lib;
        p->sample = sample;
        *out = &p->base;
        break;
    }
    return NULL;
}

/* --- the provider --------------------------------------------------------- */

static const char *ep_name(const struct ort_ep *self)
{
    (void)self;
    return PROBE_NAME;
}

static struct ort_status *get_capability(struct ort_ep *self,
        const struct ort_graph *graph, struct ort_graph_support *support)
{
    const struct library *lib = ((const struct provider *)self)->lib;
    size_t nodes = 0;
    struct ort_status *status = ORT(lib->api, Graph_GetNumNodes)(graph, &nodes);

    (void)support; /* nothing is claimed */
    if (status)
        ORT(lib->api, ReleaseStatus)(status);
    nodes_seen += (uint32_t)nodes;
    return NULL;
}

static struct ort_status *compile(struct ort_ep *self,
        const struct ort_graph **graphs, const void **nodes, size_t count,
        void **infos, void **context_nodes)
{
    (void)self, (void)graphs, (void)nodes, (void)count;
    (void)infos, (void)context_nodes;
    return NULL;
}

static void release_infos(struct ort_ep *self, void **infos, size_t count)
{
    (void)self, (void)infos, (void)count;
}

/* --- the factory ---------------------------------------------------------- */

static const char *factory_name(const struct ort_ep_factory *self)
{
    (void)self;
    return PROBE_NAME;
}

static const char *vendor(const struct ort_ep_factory *self)
{
    (void)self;
    return "ortmeter";
}

static uint32_t vendor_id(const struct ort_ep_factory *self)
{
    (void)self;
    return 0;
}

static const char *version(const struct ort_ep_factory *self)
{
    (void)self;
    return ORTMETER_VERSION;
}

/* Runs on the first CPU, which is always there. */
static struct ort_status *supported_devices(struct ort_ep_factory *self,
        const struct ort_hardware *const *devices, size_t n_devices,
        struct ort_device **out, size_t max, size_t *count)
{
    const struct library *lib = ((const struct factory *)self)->lib;
    const int is_cpu = 0;

    *count = 0;
    for (size_t i = 0; i < n_devices && max; i++) {
        if (ORT(lib->api, HardwareDevice_Type)(devices[i]) != is_cpu)
            continue;

        struct ort_status *status = ORT(ORT(lib->api, GetEpApi)(),
                CreateEpDevice)(self, devices[i], NULL, NULL, out);

        if (!status)
            *count = 1;
        return status;
    }
    return NULL;
}

static struct ort_status *create_ep(struct ort_ep_factory *self,
        const struct ort_hardware *const *devices,
        const struct ort_key_values *const *metadata, size_t n_devices,
        const struct ort_options *options, const struct ort_logger *logger,
        struct ort_ep **out)
{
    (void)devices, (void)metadata, (void)n_devices, (void)options;
    (void)logger;
    *out = &((struct factory *)self)->provider.base;
    return NULL;
}

static void release_ep(struct ort_ep_factory *self, struct ort_ep *ep)
{
    (void)self, (void)ep;
}

static struct ort_status *create_allocator(struct ort_ep_factory *self,
        const struct ort_memory_info *info,
        const struct ort_key_values *options, struct ort_allocator **out)
{
    (void)self, (void)info, (void)options;
    *out = NULL;
    return NULL;
}

static void release_allocator(struct ort_ep_factory *self,
        struct ort_allocator *allocator)
{
    (void)self, (void)allocator;
}

static struct ort_status *create_data_transfer(struct ort_ep_factory *self,
        struct ort_transfer **out)
{
    (void)self;
    *out = NULL;
    return NULL;
}

static bool is_stream_aware(const struct ort_ep_factory *self)
{
    (void)self;
    return false;
}

static void fill(struct factory *f, const struct library *lib)
{
    f->lib = f->provider.lib = lib;
    f->provider.base = (struct ort_ep){
        .version = ORT_EP_VERSION,
        .get_name = ep_name,
        .get_capability = get_capability,
        .compile = compile,
        .release_infos = release_infos,
        .create_profiler = create_profiler,
    };
    f->base = (struct ort_ep_factory){
        .version = ORT_EP_VERSION,
        .get_name = factory_name,
        .get_vendor = vendor,
        .get_supported_devices = supported_devices,
        .create_ep = create_ep,
        .release_ep = release_ep,
        .get_vendor_id = vendor_id,
        .get_version = version,
        .create_allocator = create_allocator,
        .release_allocator = release_allocator,
        .create_data_transfer = create_data_transfer,
        .is_stream_aware = is_stream_aware,
    };
}

/* --- where ONNX Runtime enters -------------------------------------------- */

__attribute__((visibility("default"))) struct ort_status *CreateEpFactories(
        const char *name, const struct ort_api_base *base,
        const struct ort_logger *logger, struct ort_ep_factory **out,
        size_t max, size_t *count);

__attribute__((visibility("default"))) struct ort_status *ReleaseEpFactory(
        struct ort_ep_factory *factory);

struct ort_status *CreateEpFactories(const char *name,
        const struct ort_api_base *base, const struct ort_logger *logger,
        struct ort_ep_factory **out, size_t max, size_t *count)
{
    const struct ort_api *api = base->get_api(1);

    (void)name, (void)logger;
    *count = 0;
    for (size_t i = 0; i < LIBRARIES && max; i++)
        if (hook_libraries[i].api == api) {
            fill(&factories[i], &hook_libraries[i]);
            out[0] = &factories[i].base;
            *count = 1;
            break;
        }
    return NULL;
}

struct ort_status *ReleaseEpFactory(struct ort_ep_factory *factory)
{
    (void)factory;
    return NULL;
}
