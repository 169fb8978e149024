/* fake_ort_calls.c -- the functions of the fake ONNX Runtime that only note how
 * they were called, and those that make things. */
#include "fake_ort.h"

#include <stdlib.h>

/* --- noting calls --------------------------------------------------------- */

/* Relaxed: the threads of a test are not put in order by what counts them. */
struct ort_status *fake_note(int slot, const uintptr_t *args, size_t count)
{
    (void)atomic_fetch_add_explicit(&fake.calls, 1, memory_order_relaxed);
    if (fake.threads)
        return fake.status;
    fake.last = (struct fake_call){ .slot = slot };
    for (size_t i = 0; i < count; i++)
        fake.last.args[i] = args[i];
    return fake.status;
}

/* Functions with so many arguments, by the types of these. */
#define CALL_1(name, A)                        \
    static struct ort_status *fake_##name(A a) \
    {                                          \
        return NOTE(name, U(a));               \
    }
#define CALL_2(name, A, B)                          \
    static struct ort_status *fake_##name(A a, B b) \
    {                                               \
        return NOTE(name, U(a), U(b));              \
    }
#define CALL_3(name, A, B, C)                            \
    static struct ort_status *fake_##name(A a, B b, C c) \
    {                                                    \
        return NOTE(name, U(a), U(b), U(c));             \
    }
#define VOID_1(name, A)          \
    static void fake_##name(A a) \
    {                            \
        (void)NOTE(name, U(a));  \
    }

#define OPTIONS struct ort_options *
#define BINDING struct ort_binding *
#define TEXT    const char *

CALL_2(SetSessionExecutionMode, OPTIONS, int)
CALL_2(SetSessionGraphOptimizationLevel, OPTIONS, int)
CALL_2(SetIntraOpNumThreads, OPTIONS, int)
CALL_2(SetInterOpNumThreads, OPTIONS, int)
CALL_2(SessionOptionsSetEpSelectionPolicy, OPTIONS, int)
CALL_2(EnableProfiling, OPTIONS, TEXT)
CALL_1(DisableProfiling, OPTIONS)
CALL_1(EnableMemPattern, OPTIONS)
CALL_1(DisableMemPattern, OPTIONS)
CALL_1(EnableCpuMemArena, OPTIONS)
CALL_1(DisableCpuMemArena, OPTIONS)
CALL_1(DisablePerSessionThreads, OPTIONS)
CALL_3(AddSessionConfigEntry, OPTIONS, TEXT, TEXT)
CALL_2(SetLanguageProjection, const struct ort_env *, int)
VOID_1(ReleaseSessionOptions, OPTIONS)
VOID_1(ReleaseSession, struct ort_session *)
VOID_1(ReleaseIoBinding, BINDING)
CALL_3(BindInput, BINDING, TEXT, const struct ort_value *)
CALL_3(BindOutput, BINDING, TEXT, const struct ort_value *)
CALL_3(BindOutputToDevice, BINDING, TEXT, const struct ort_memory_info *)
VOID_1(ClearBoundInputs, BINDING)
VOID_1(ClearBoundOutputs, BINDING)
CALL_2(SessionOptionsAppendExecutionProvider_CUDA, OPTIONS, const void *)
CALL_2(SessionOptionsAppendExecutionProvider_CUDA_V2, OPTIONS, const void *)
CALL_2(SessionOptionsAppendExecutionProvider_ROCM, OPTIONS, const void *)
CALL_2(SessionOptionsAppendExecutionProvider_MIGraphX, OPTIONS, const void *)
CALL_2(SessionOptionsAppendExecutionProvider_TensorRT, OPTIONS, const void *)
CALL_2(SessionOptionsAppendExecutionProvider_TensorRT_V2, OPTIONS, const void *)
CALL_2(SessionOptionsAppendExecutionProvider_OpenVINO, OPTIONS, const void *)
CALL_2(SessionOptionsAppendExecutionProvider_CANN, OPTIONS, const void *)
CALL_2(SessionOptionsAppendExecutionProvider_Dnnl, OPTIONS, const void *)

static struct ort_status *
fake_SessionOptionsAppendExecutionProvider_OpenVINO_V2(OPTIONS options,
        const char *const *keys, const char *const *values, size_t count)
{
    return NOTE(SessionOptionsAppendExecutionProvider_OpenVINO_V2, U(options),
            U(keys), U(values), count);
}

static struct ort_status *fake_SessionOptionsAppendExecutionProvider_VitisAI(
        OPTIONS options, const char *const *keys, const char *const *values,
        size_t count)
{
    return NOTE(SessionOptionsAppendExecutionProvider_VitisAI, U(options),
            U(keys), U(values), count);
}

static struct ort_status *fake_SessionOptionsAppendExecutionProvider(
        OPTIONS options, TEXT name, const char *const *keys,
        const char *const *values, size_t count)
{
    return NOTE(SessionOptionsAppendExecutionProvider, U(options), U(name),
            U(keys), U(values), count);
}

static struct ort_status *fake_SessionOptionsAppendExecutionProvider_V2(
        OPTIONS options, struct ort_env *env,
        const struct ort_device *const *devices, size_t n_devices,
        const char *const *keys, const char *const *values, size_t count)
{
    return NOTE(SessionOptionsAppendExecutionProvider_V2, U(options), U(env),
            U(devices), n_devices, U(keys), U(values), count);
}

/* --- making things -------------------------------------------------------- */

static void *make(void)
{
    static _Atomic uintptr_t next = 0x20000;

    return fake.made ? fake.made : (void *)atomic_fetch_add(&next, 64);
}

/* A failing call leaves what it was to fill alone. */
#define MAKE(call, out)               \
    do {                              \
        struct ort_status *st = call; \
                                      \
        if (!st)                      \
            *(out) = make();          \
        return st;                    \
    } while (0)

static struct ort_status *fake_CreateSession(const struct ort_env *env,
        TEXT path, const struct ort_options *options, struct ort_session **out)
{
    MAKE(NOTE(CreateSession, U(env), U(path), U(options), U(out)), out);
}

static struct ort_status *fake_CreateSessionFromArray(const struct ort_env *env,
        const void *data, size_t len, const struct ort_options *options,
        struct ort_session **out)
{
    MAKE(NOTE(CreateSessionFromArray, U(env), U(data), len, U(options), U(out)),
            out);
}

static struct ort_status *fake_CreateSessionWithPrepackedWeightsContainer(
        const struct ort_env *env, TEXT path, const struct ort_options *options,
        struct ort_prepacked *weights, struct ort_session **out)
{
    MAKE(NOTE(CreateSessionWithPrepackedWeightsContainer, U(env), U(path),
                 U(options), U(weights), U(out)),
            out);
}

static struct ort_status *
fake_CreateSessionFromArrayWithPrepackedWeightsContainer(
        const struct ort_env *env, const void *data, size_t len,
        const struct ort_options *options, struct ort_prepacked *weights,
        struct ort_session **out)
{
    MAKE(NOTE(CreateSessionFromArrayWithPrepackedWeightsContainer, U(env),
                 U(data), len, U(options), U(weights), U(out)),
            out);
}

static struct ort_status *fake_CreateSessionFromModel(const struct ort_env *env,
        const struct ort_model *model, const struct ort_options *options,
        struct ort_session **out)
{
    MAKE(NOTE(CreateSessionFromModel, U(env), U(model), U(options), U(out)),
            out);
}

static struct ort_status *fake_CreateModelEditorSession(
        const struct ort_env *env, TEXT path, const struct ort_options *options,
        struct ort_session **out)
{
    MAKE(NOTE(CreateModelEditorSession, U(env), U(path), U(options), U(out)),
            out);
}

static struct ort_status *fake_CreateModelEditorSessionFromArray(
        const struct ort_env *env, const void *data, size_t len,
        const struct ort_options *options, struct ort_session **out)
{
    MAKE(NOTE(CreateModelEditorSessionFromArray, U(env), U(data), len,
                 U(options), U(out)),
            out);
}

static struct ort_status *fake_CreateSessionOptions(struct ort_options **out)
{
    MAKE(NOTE(CreateSessionOptions, U(out)), out);
}

static struct ort_status *fake_CloneSessionOptions(
        const struct ort_options *options, struct ort_options **out)
{
    MAKE(NOTE(CloneSessionOptions, U(options), U(out)), out);
}

/* --- running -------------------------------------------------------------- */

static void fill_outputs(struct ort_value **out, size_t n_out)
{
    for (size_t i = 0; i < n_out; i++)
        if (!out[i] && fake.outputs)
            out[i] = fake.outputs[i];
}

static struct ort_status *fake_Run(ORT_RUN_ARGS)
{
    struct ort_status *st = NOTE(Run, U(session), U(run_options), U(in_names),
            U(in), n_in, U(out_names), n_out, U(out));

    if (fake.during)
        fake.during();
    if (!st)
        fill_outputs(out, n_out);
    return st;
}

static struct ort_status *fake_RunWithBinding(struct ort_session *session,
        const struct ort_run_options *run_options,
        const struct ort_binding *binding)
{
    struct ort_status *st =
            NOTE(RunWithBinding, U(session), U(run_options), U(binding));

    if (fake.during)
        fake.during();
    return st;
}

#define WAITING 512

static struct {
    ort_async_done done;
    void *user_data;
    struct ort_value **out;
    size_t n_out;
} waiting[WAITING];
static size_t waiting_first, waiting_count;

static struct ort_status *fake_RunAsync(ORT_RUN_ARGS, ort_async_done done,
        void *user_data)
{
    struct ort_status *st =
            NOTE(RunAsync, U(session), U(run_options), U(in_names), U(in), n_in,
                    U(out_names), n_out, U(out), U(done), U(user_data));

    if (st)
        return st;
    if (waiting_count == WAITING)
        abort();

    size_t at = (waiting_first + waiting_count++) % WAITING;

    waiting[at].done = done;
    waiting[at].user_data = user_data;
    waiting[at].out = out;
    waiting[at].n_out = n_out;
    return NULL;
}

bool fake_async_done(struct ort_status *status)
{
    if (!waiting_count)
        return false;

    size_t at = waiting_first;

    waiting_first = (waiting_first + 1) % WAITING;
    waiting_count--;
    if (!status)
        fill_outputs(waiting[at].out, waiting[at].n_out);
    waiting[at].done(waiting[at].user_data, waiting[at].out, waiting[at].n_out,
            status);
    return true;
}

/* --- all of them, each in its place --------------------------------------- */

#define X(name) [ORT_SLOT_##name] = (ort_function)fake_##name,
const ort_function fake_calls[FAKE_SLOTS] = { HOOK_WRAPS(X) };
const ort_function fake_editor_calls[FAKE_SLOTS] = { HOOK_EDITOR_WRAPS(X) };
#undef X
