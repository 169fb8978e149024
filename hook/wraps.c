/* wraps.c -- the functions that stand in ONNX Runtime's table.
 *
 * Compiled once for each of the runtimes that may meet in one process, with
 * LIBRARY saying which: so a call finds what it replaced without looking. */
#include "hook/wraps.h"

#include "base/compiler.h"

#define ME         (&hook_libraries[LIBRARY])
#define REAL(name) ((ort_##name)ME->real[WRAP_##name])

/* --- sessions ------------------------------------------------------------- */

#define LOAD(name, path, bytes, ...)                             \
    struct loading l = object_loading(ME, options, path, bytes); \
    struct ort_status *st = REAL(name)(env, __VA_ARGS__);        \
                                                                 \
    object_loaded(&l, out ? *out : NULL, st);                    \
    return st

static struct ort_status *wrap_CreateSession(const struct ort_env *env,
        const char *path, const struct ort_options *options,
        struct ort_session **out)
{
    LOAD(CreateSession, path, 0, path, options, out);
}

static struct ort_status *wrap_CreateSessionFromArray(const struct ort_env *env,
        const void *data, size_t len, const struct ort_options *options,
        struct ort_session **out)
{
    LOAD(CreateSessionFromArray, NULL, len, data, len, options, out);
}

static struct ort_status *wrap_CreateSessionWithPrepackedWeightsContainer(
        const struct ort_env *env, const char *path,
        const struct ort_options *options, struct ort_prepacked *weights,
        struct ort_session **out)
{
    LOAD(CreateSessionWithPrepackedWeightsContainer, path, 0, path, options,
            weights, out);
}

static struct ort_status *
wrap_CreateSessionFromArrayWithPrepackedWeightsContainer(
        const struct ort_env *env, const void *data, size_t len,
        const struct ort_options *options, struct ort_prepacked *weights,
        struct ort_session **out)
{
    LOAD(CreateSessionFromArrayWithPrepackedWeightsContainer, NULL, len, data,
            len, options, weights, out);
}

static struct ort_status *wrap_CreateSessionFromModel(const struct ort_env *env,
        const struct ort_model *model, const struct ort_options *options,
        struct ort_session **out)
{
    LOAD(CreateSessionFromModel, NULL, 0, model, options, out);
}

static struct ort_status *wrap_CreateModelEditorSession(
        const struct ort_env *env, const char *path,
        const struct ort_options *options, struct ort_session **out)
{
    LOAD(CreateModelEditorSession, path, 0, path, options, out);
}

static struct ort_status *wrap_CreateModelEditorSessionFromArray(
        const struct ort_env *env, const void *data, size_t len,
        const struct ort_options *options, struct ort_session **out)
{
    LOAD(CreateModelEditorSessionFromArray, NULL, len, data, len, options, out);
}

static void wrap_ReleaseSession(struct ort_session *session)
{
    /* Before the address can be given to another session. */
    object_session_end(ME, session);
    REAL(ReleaseSession)(session);
}

/* --- runs ----------------------------------------------------------------- */

HOT static struct ort_status *wrap_Run(ORT_RUN_ARGS)
{
    return run_timed(session, run_options, in_names, in, n_in, out_names, n_out,
            out, ME);
}

static struct ort_status *wrap_RunAsync(ORT_RUN_ARGS, ort_async_done done,
        void *user_data)
{
    return run_async(ME, session, run_options, in_names, in, n_in, out_names,
            n_out, out, done, user_data);
}

static struct ort_status *wrap_RunWithBinding(struct ort_session *session,
        const struct ort_run_options *run_options,
        const struct ort_binding *binding)
{
    return run_bound(ME, session, run_options, binding);
}

static struct ort_status *wrap_BindInput(struct ort_binding *binding,
        const char *name, const struct ort_value *value)
{
    struct ort_status *st = REAL(BindInput)(binding, name, value);

    if (!st)
        binding_input(ME, binding, name, value);
    return st;
}

static struct ort_status *wrap_BindOutput(struct ort_binding *binding,
        const char *name, const struct ort_value *value)
{
    struct ort_status *st = REAL(BindOutput)(binding, name, value);

    if (!st)
        binding_output(ME, binding, name, value);
    return st;
}

static struct ort_status *wrap_BindOutputToDevice(struct ort_binding *binding,
        const char *name, const struct ort_memory_info *info)
{
    struct ort_status *st = REAL(BindOutputToDevice)(binding, name, info);

    if (!st)
        binding_output(ME, binding, name, NULL);
    return st;
}

static void wrap_ClearBoundInputs(struct ort_binding *binding)
{
    binding_clear(binding, true);
    REAL(ClearBoundInputs)(binding);
}

static void wrap_ClearBoundOutputs(struct ort_binding *binding)
{
    binding_clear(binding, false);
    REAL(ClearBoundOutputs)(binding);
}

static void wrap_ReleaseIoBinding(struct ort_binding *binding)
{
    binding_forget(binding);
    REAL(ReleaseIoBinding)(binding);
}

/* --- options -------------------------------------------------------------- */

static struct ort_status *wrap_CreateSessionOptions(struct ort_options **out)
{
    struct ort_status *st = REAL(CreateSessionOptions)(out);

    return object_options(ME, out ? *out : NULL, NULL, st);
}

static struct ort_status *wrap_CloneSessionOptions(
        const struct ort_options *options, struct ort_options **out)
{
    struct ort_status *st = REAL(CloneSessionOptions)(options, out);

    return object_options(ME, out ? *out : NULL, options, st);
}

static void wrap_ReleaseSessionOptions(struct ort_options *options)
{
    object_options_end(ME, options);
    REAL(ReleaseSessionOptions)(options);
}

/* Setters of a number, and switches. */
#define NUMBER(name, key)                                              \
    static struct ort_status *wrap_##name(struct ort_options *options, \
            int value)                                                 \
    {                                                                  \
        struct ort_status *st = REAL(name)(options, value);            \
                                                                       \
        return object_option(ME, options, key, value, st);             \
    }
#define SWITCH(name, key, value)                                       \
    static struct ort_status *wrap_##name(struct ort_options *options) \
    {                                                                  \
        struct ort_status *st = REAL(name)(options);                   \
                                                                       \
        return object_option(ME, options, key, value, st);             \
    }

NUMBER(SetSessionExecutionMode, "execution_mode")
NUMBER(SetSessionGraphOptimizationLevel, "graph_optimization_level")
NUMBER(SetIntraOpNumThreads, "intra_op_num_threads")
NUMBER(SetInterOpNumThreads, "inter_op_num_threads")
SWITCH(EnableMemPattern, "mem_pattern", 1)
SWITCH(DisableMemPattern, "mem_pattern", 0)
SWITCH(EnableCpuMemArena, "cpu_mem_arena", 1)
SWITCH(DisableCpuMemArena, "cpu_mem_arena", 0)
SWITCH(DisablePerSessionThreads, "per_session_threads", 0)

static struct ort_status *wrap_SessionOptionsSetEpSelectionPolicy(
        struct ort_options *options, int policy)
{
    struct ort_status *st =
            REAL(SessionOptionsSetEpSelectionPolicy)(options, policy);

    return object_option(ME, options, "ep_selection_policy", policy, st);
}

static struct ort_status *wrap_EnableProfiling(struct ort_options *options,
        const char *prefix)
{
    struct ort_status *st = REAL(EnableProfiling)(options, prefix);

    return object_option(ME, options, "profiling", 1, st);
}

static struct ort_status *wrap_DisableProfiling(struct ort_options *options)
{
    struct ort_status *st = REAL(DisableProfiling)(options);

    return object_option(ME, options, "profiling", 0, st);
}

static struct ort_status *wrap_AddSessionConfigEntry(
        struct ort_options *options, const char *key, const char *value)
{
    struct ort_status *st = REAL(AddSessionConfigEntry)(options, key, value);

    return object_option_text(ME, options, key, value, st);
}

static struct ort_status *wrap_SetLanguageProjection(const struct ort_env *env,
        int language)
{
    object_language(ME, env, language);
    return REAL(SetLanguageProjection)(env, language);
}

/* --- providers, in the order in which they are asked -----------------------
 */

#define PROVIDER(suffix, name)                                                 \
    static struct ort_status                                                   \
            *wrap_SessionOptionsAppendExecutionProvider_##suffix(              \
                    struct ort_options *options, const void *provider_options) \
    {                                                                          \
        struct ort_status *st =                                                \
                REAL(SessionOptionsAppendExecutionProvider_##suffix)(options,  \
                        provider_options);                                     \
                                                                               \
        return object_provider(ME, options, name, st);                         \
    }
#define PROVIDER_KEYS(suffix, name)                                           \
    static struct ort_status                                                  \
            *wrap_SessionOptionsAppendExecutionProvider_##suffix(             \
                    struct ort_options *options, const char *const *keys,     \
                    const char *const *values, size_t count)                  \
    {                                                                         \
        struct ort_status *st =                                               \
                REAL(SessionOptionsAppendExecutionProvider_##suffix)(options, \
                        keys, values, count);                                 \
                                                                              \
        return object_provider_keys(ME, options, name, keys, values, count,   \
                st);                                                          \
    }

PROVIDER(CUDA, "CUDAExecutionProvider")
PROVIDER(CUDA_V2, "CUDAExecutionProvider")
PROVIDER(ROCM, "ROCMExecutionProvider")
PROVIDER(MIGraphX, "MIGraphXExecutionProvider")
PROVIDER(TensorRT, "TensorrtExecutionProvider")
PROVIDER(TensorRT_V2, "TensorrtExecutionProvider")
PROVIDER(CANN, "CANNExecutionProvider")
PROVIDER(Dnnl, "DnnlExecutionProvider")
PROVIDER_KEYS(OpenVINO_V2, "OpenVINOExecutionProvider")
PROVIDER_KEYS(VitisAI, "VitisAIExecutionProvider")

static struct ort_status *wrap_SessionOptionsAppendExecutionProvider(
        struct ort_options *options, const char *name, const char *const *keys,
        const char *const *values, size_t count)
{
    struct ort_status *st = REAL(SessionOptionsAppendExecutionProvider)(options,
            name, keys, values, count);

    return object_provider_keys(ME, options, name, keys, values, count, st);
}

/* The old way: a struct, whose first member is the device. */
static struct ort_status *wrap_SessionOptionsAppendExecutionProvider_OpenVINO(
        struct ort_options *options, const void *provider_options)
{
    struct ort_status *st =
            REAL(SessionOptionsAppendExecutionProvider_OpenVINO)(options,
                    provider_options);
    static const char *const key = "device_type";

    return object_provider_keys(ME, options, "OpenVINOExecutionProvider", &key,
            provider_options, provider_options ? 1 : 0, st);
}

static struct ort_status *wrap_SessionOptionsAppendExecutionProvider_V2(
        struct ort_options *options, struct ort_env *env,
        const struct ort_device *const *devices, size_t n_devices,
        const char *const *keys, const char *const *values, size_t count)
{
    struct ort_status *st = REAL(SessionOptionsAppendExecutionProvider_V2)(
            options, env, devices, n_devices, keys, values, count);
    const char *last = NULL;

    for (size_t i = 0; !st && i < n_devices; i++) {
        const char *name = ORT(ME->api, EpDevice_EpName)(devices[i]);

        /* Several devices of one provider make one provider. */
        if (name != last)
            object_provider_keys(ME, options, name, keys, values, count, NULL);
        last = name;
    }
    return st;
}

const ort_function WRAPS_OF(LIBRARY)[WRAPS] = {
#define X(name) [WRAP_##name] = (ort_function)wrap_##name,
    HOOK_WRAPS(X) HOOK_EDITOR_WRAPS(X)
#undef X
};
