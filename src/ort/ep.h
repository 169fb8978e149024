/* ep.h -- the part of ONNX Runtime's interface for execution providers that
 * the hook's own provider needs (API version 25 and later).
 *
 * The structs are ours to fill and ONNX Runtime's to read: the order of their
 * members is its contract, and `version` says how far it may read. */
#pragma once

#include "ort/api.h"

#include <stdbool.h>

#define ORT_EP_VERSION 25

struct ort_hardware;      /* OrtHardwareDevice */
struct ort_key_values;    /* OrtKeyValuePairs */
struct ort_logger;        /* OrtLogger */
struct ort_graph;         /* OrtGraph */
struct ort_graph_support; /* OrtEpGraphSupportInfo */
struct ort_event;         /* OrtProfilingEvent */
struct ort_events;        /* OrtProfilingEventsContainer */
struct ort_transfer;      /* OrtDataTransferImpl */

enum ort_event_category { ORT_EVENT_SESSION, ORT_EVENT_NODE };

/* OrtEpProfilerImpl: told of every event of a run that is profiled. */
struct ort_profiler {
    uint32_t version;
    void (*release)(struct ort_profiler *self);
    struct ort_status *(
            *start_profiling)(struct ort_profiler *self, int64_t offset_ns);
    struct ort_status *(*start_event)(struct ort_profiler *self, uint64_t id);
    struct ort_status *(*stop_event)(struct ort_profiler *self, uint64_t id,
            const struct ort_event *event);
    struct ort_status *(*end_profiling)(struct ort_profiler *self,
            struct ort_events *events);
};

/* OrtEp.  What is NULL is not wanted, or has a default. */
struct ort_ep {
    uint32_t version;
    const char *(*get_name)(const struct ort_ep *self);
    struct ort_status *(*get_capability)(struct ort_ep *self,
            const struct ort_graph *graph, struct ort_graph_support *support);
    struct ort_status *(*compile)(struct ort_ep *self,
            const struct ort_graph **graphs, const void **nodes, size_t count,
            void **infos, void **context_nodes);
    void (*release_infos)(struct ort_ep *self, void **infos, size_t count);
    ort_function get_preferred_data_layout;
    ort_function should_convert_data_layout;
    ort_function set_dynamic_options;
    ort_function on_run_start;
    ort_function on_run_end;
    ort_function create_allocator;
    ort_function create_sync_stream;
    ort_function get_compiled_model_compatibility;
    ort_function get_kernel_registry;
    ort_function is_concurrent_run_supported;
    ort_function sync;
    struct ort_status *(
            *create_profiler)(struct ort_ep *self, struct ort_profiler **out);
    ort_function later[15]; /* of versions after ours; all NULL */
};

/* OrtEpFactory. */
struct ort_ep_factory {
    uint32_t version;
    const char *(*get_name)(const struct ort_ep_factory *self);
    const char *(*get_vendor)(const struct ort_ep_factory *self);
    struct ort_status *(*get_supported_devices)(struct ort_ep_factory *self,
            const struct ort_hardware *const *devices, size_t n_devices,
            struct ort_device **out, size_t max, size_t *count);
    struct ort_status *(*create_ep)(struct ort_ep_factory *self,
            const struct ort_hardware *const *devices,
            const struct ort_key_values *const *metadata, size_t n_devices,
            const struct ort_options *options, const struct ort_logger *logger,
            struct ort_ep **out);
    void (*release_ep)(struct ort_ep_factory *self, struct ort_ep *ep);
    uint32_t (*get_vendor_id)(const struct ort_ep_factory *self);
    const char *(*get_version)(const struct ort_ep_factory *self);
    ort_function validate_compatibility;
    struct ort_status *(*create_allocator)(struct ort_ep_factory *self,
            const struct ort_memory_info *info,
            const struct ort_key_values *options, struct ort_allocator **out);
    void (*release_allocator)(struct ort_ep_factory *self,
            struct ort_allocator *allocator);
    struct ort_status *(*create_data_transfer)(struct ort_ep_factory *self,
            struct ort_transfer **out);
    bool (*is_stream_aware)(const struct ort_ep_factory *self);
    ort_function later[15]; /* all NULL */
};

/* clang-format off */

/* OrtEpApi, a table of the same kind as OrtApi: GetEpApi(). */
#define ORT_EP_CALLS(X) \
    X(0, 25, CreateEpDevice, struct ort_status *, \
        (struct ort_ep_factory *factory, const struct ort_hardware *device, \
        const struct ort_key_values *metadata, \
        const struct ort_key_values *options, struct ort_device **out)) \
    X(67, 25, ProfilingEvent_GetCategory, struct ort_status *, \
        (const struct ort_event *event, int *out)) \
    X(68, 25, ProfilingEvent_GetName, struct ort_status *, \
        (const struct ort_event *event, const char **out)) \
    X(70, 25, ProfilingEvent_GetDurationUs, struct ort_status *, \
        (const struct ort_event *event, int64_t *out)) \
    X(71, 25, ProfilingEvent_GetArgValue, struct ort_status *, \
        (const struct ort_event *event, const char *key, const char **out))

/* OrtApi's own calls that belong to providers. */
#define ORT_PROVIDER_CALLS(X) \
    X(40, 1, RunOptionsSetRunLogVerbosityLevel, struct ort_status *, \
        (struct ort_run_options *options, int value)) \
    X(41, 1, RunOptionsSetRunLogSeverityLevel, struct ort_status *, \
        (struct ort_run_options *options, int value)) \
    X(42, 1, RunOptionsSetRunTag, struct ort_status *, \
        (struct ort_run_options *options, const char *tag)) \
    X(46, 1, RunOptionsSetTerminate, struct ort_status *, \
        (struct ort_run_options *options)) \
    X(47, 1, RunOptionsUnsetTerminate, struct ort_status *, \
        (struct ort_run_options *options)) \
    X(165, 8, AddRunConfigEntry, struct ort_status *, \
        (struct ort_run_options *options, const char *key, \
        const char *value)) \
    X(283, 20, RunOptionsAddActiveLoraAdapter, struct ort_status *, \
        (struct ort_run_options *options, const void *adapter)) \
    X(301, 22, RegisterExecutionProviderLibrary, struct ort_status *, \
        (struct ort_env *env, const char *name, const char *path)) \
    X(303, 22, GetEpDevices, struct ort_status *, \
        (const struct ort_env *env, const struct ort_device *const **out, \
        size_t *count)) \
    X(306, 22, SessionOptionsSetEpSelectionPolicyDelegate, \
        struct ort_status *, \
        (struct ort_options *options, ort_function delegate, void *state)) \
    X(307, 22, HardwareDevice_Type, int, \
        (const struct ort_hardware *device)) \
    X(317, 22, GetEpApi, const struct ort_api *, (void)) \
    X(344, 23, Graph_GetNumNodes, struct ort_status *, \
        (const struct ort_graph *graph, size_t *out)) \
    X(413, 24, RunOptionsSetSyncStream, void, \
        (struct ort_run_options *options, void *stream)) \
    X(415, 25, RunOptionsEnableProfiling, struct ort_status *, \
        (struct ort_run_options *options, const char *prefix))
/* clang-format on */

#define X(number, since, name, result, args) typedef result(*ort_##name) args;
ORT_EP_CALLS(X)
ORT_PROVIDER_CALLS(X)
#undef X

#define X(number, since, name, result, args) ORT_SLOT_##name = number,
enum ort_ep_slot { ORT_EP_CALLS(X) ORT_PROVIDER_CALLS(X) };
#undef X

#define X(number, since, name, result, args) ORT_SINCE_##name = since,
enum ort_ep_since { ORT_EP_CALLS(X) ORT_PROVIDER_CALLS(X) };
#undef X
