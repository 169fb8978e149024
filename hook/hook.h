/* hook.h -- the rooms of the hook, and what they hand each other.
 *
 *     find_linux.c   finds ONNX Runtime in this process     -> patch.c
 *     patch.c        puts our functions into its table      -> wraps.c
 *     wraps.c        our functions, a set for each runtime  -> run.c, object.c
 *     run.c          times an inference                     -> shape.c
 *     shape.c        reads what its tensors tell
 *     binding.c      the same for RunWithBinding
 *     object.c       sessions and their options, as records
 *     channel_linux.c takes records to the collector
 *     api.c          ortmeter.h
 *     ops.h          looks into some of the inferences: rooms of its own
 *
 * We are a guest in this process.  Nothing here prints, exits, waits, or
 * allocates memory; only the first record of a process makes system calls, and
 * whatever fails switches the hook off and leaves the program as it was.  No
 * lock of ours is ever held while the loader, ONNX Runtime or the program
 * runs. */
#pragma once

#include "hook/record.h"
#include "ort/api.h"
#include "ort/ep.h"
#include "os/clock.h"
#include "os/ticks.h"

#include <link.h>
#include <stdbool.h>

/* Copies of ONNX Runtime in one process that we can tell apart. */
#define LIBRARIES 8

/* clang-format off */
#define HOOK_WRAPS(X) \
    X(CreateSession) X(CreateSessionFromArray) \
    X(CreateSessionWithPrepackedWeightsContainer) \
    X(CreateSessionFromArrayWithPrepackedWeightsContainer) \
    X(ReleaseSession) X(Run) X(RunWithBinding) X(RunAsync) \
    X(CreateSessionOptions) X(CloneSessionOptions) X(ReleaseSessionOptions) \
    X(SetSessionExecutionMode) X(EnableProfiling) X(DisableProfiling) \
    X(EnableMemPattern) X(DisableMemPattern) \
    X(EnableCpuMemArena) X(DisableCpuMemArena) \
    X(SetSessionGraphOptimizationLevel) \
    X(SetIntraOpNumThreads) X(SetInterOpNumThreads) \
    X(DisablePerSessionThreads) X(AddSessionConfigEntry) \
    X(SetLanguageProjection) X(SessionOptionsSetEpSelectionPolicy) \
    X(ReleaseIoBinding) X(BindInput) X(BindOutput) X(BindOutputToDevice) \
    X(ClearBoundInputs) X(ClearBoundOutputs) \
    X(SessionOptionsAppendExecutionProvider) \
    X(SessionOptionsAppendExecutionProvider_V2) \
    X(SessionOptionsAppendExecutionProvider_CUDA) \
    X(SessionOptionsAppendExecutionProvider_CUDA_V2) \
    X(SessionOptionsAppendExecutionProvider_ROCM) \
    X(SessionOptionsAppendExecutionProvider_MIGraphX) \
    X(SessionOptionsAppendExecutionProvider_TensorRT) \
    X(SessionOptionsAppendExecutionProvider_TensorRT_V2) \
    X(SessionOptionsAppendExecutionProvider_OpenVINO) \
    X(SessionOptionsAppendExecutionProvider_OpenVINO_V2) \
    X(SessionOptionsAppendExecutionProvider_VitisAI) \
    X(SessionOptionsAppendExecutionProvider_CANN) \
    X(SessionOptionsAppendExecutionProvider_Dnnl)

/* Only where operators are recorded. */
#define HOOK_OPS_WRAPS(X) \
    X(CreateRunOptions) X(ReleaseRunOptions) \
    X(RunOptionsSetRunLogVerbosityLevel) X(RunOptionsSetRunLogSeverityLevel) \
    X(RunOptionsSetRunTag) X(AddRunConfigEntry) \
    X(RunOptionsAddActiveLoraAdapter) X(RunOptionsSetSyncStream) \
    X(RunOptionsEnableProfiling) \
    X(RunOptionsSetTerminate) X(RunOptionsUnsetTerminate) \
    X(GetEpDevices) X(SessionOptionsSetEpSelectionPolicyDelegate)

#define HOOK_EDITOR_WRAPS(X) \
    X(CreateSessionFromModel) X(CreateModelEditorSession) \
    X(CreateModelEditorSessionFromArray)
/* clang-format on */

enum wrap {
#define X(name) WRAP_##name,
    HOOK_WRAPS(X) HOOK_OPS_WRAPS(X) HOOK_EDITOR_WRAPS(X)
#undef X
            WRAPS
};

/* One ONNX Runtime: its table, and what stood in the slots that we took. */
struct library {
    const struct ort_api *api;
    uint32_t minor; /* of its version: 23 for 1.23.2 */
    uint8_t index;
    ort_function real[WRAPS];
    ort_function stream_made, stream_gone; /* bracket_linux.c */
    bool times_kernels;                    /* kernels_linux.c */
    bool quiet_pools;                      /* pool_linux.c */
};

extern struct library hook_libraries[LIBRARIES];

/* --- find_linux.c: the stubs in dl_x86_64.S enter here -------------------- */

/* True: call dlopen and then hook_after_dlopen(); false: jump to dlopen. */
bool hook_before_dlopen(const char *name, const void *caller);
void hook_after_dlopen(void *handle);
void hook_before_dlsym(void);

/* What dlopen and dlsym are without us; NULL until first needed. */
extern void *(*hook_real_dlopen)(const char *name, int flags);
extern void *(*hook_real_dlsym)(void *handle, const char *name);

/* Where this library lies; NULL: not known. */
const char *hook_own_path(void);

/* After fork(), in the child. */
void hook_in_child(void);

/* --- patch.c -------------------------------------------------------------- */

/* A loaded object that defines OrtGetApiBase. */
struct candidate {
    const struct ort_api_base *(*get_base)(void);
    const char *path;
    uintptr_t base;
    const ElfW(Dyn) * dynamic;
    uintptr_t start, end; /* where it is mapped */
    uintptr_t relro_start, relro_end;
    struct segment {
        uintptr_t start, end;
        bool executable;
    } segments[8]; /* that can be read */
    size_t segment_count;
};

/* Takes the runtime's slots.  False: there is no set left for it, or it is
 * nothing that we know; then it is untouched. */
bool patch(const struct candidate *c);

/* --- channel_linux.c ------------------------------------------------------ */

/* A variable of the environment; NULL: not set. */
const char *hook_variable(const char *name);

/* Once, before anything else here: names the collector's folder, or not. */
void channel_init(void);
bool channel_wanted(void); /* there is a folder, and nothing failed yet */

/* This process's ring, made at the first call; NULL: nobody listens. */
struct ring;
const struct ring *channel_ring(void);
/* A full ring counts the loss. */
void channel_send(const struct record *r);
/* What comes in masses leaves some room for what does not. */
void channel_send_many(const struct record *r);
/* A run went by without a record: counted apart. */
void channel_untimed(void);
/* Sends the text if it was not sent before, and returns its name.  NULL: 0. */
uint64_t channel_text(const char *text);
uint32_t channel_thread(void);

/* The records' clock: ticks, if the collector offers to count these (it names
 * in ORTMETER_TICKS how many are a microsecond), else mono_ns(). */
extern uint32_t channel_ticks_per_us; /* 0: it does not */

static inline uint64_t channel_now(void)
{
    return channel_ticks_per_us ? ticks_now() : mono_ns();
}

/* A path in the collector's folder that nobody else uses. */
#define CHANNEL_PATH 512
bool channel_path(char out[CHANNEL_PATH], const char *prefix, uint64_t number);
/* Nanoseconds that the hook adds to a run, as measured here. */
void channel_set_hook_ns(uint32_t ns);

/* --- object.c ------------------------------------------------------------- */

void object_library(const struct library *lib, const char *path,
        const char *version, uint32_t slots);
void object_static_library(const char *path);
void object_language(const struct library *lib, const void *env, int language);

struct loading {
    const struct library *lib;
    uint64_t start;
    const struct ort_options *options;
    const char *path; /* NULL: from memory */
    size_t bytes;
};

/* Around the creation of a session. */
struct loading object_loading(const struct library *lib,
        const struct ort_options *options, const char *path, size_t bytes);
void object_loaded(const struct loading *l, const struct ort_session *session,
        const struct ort_status *status);
void object_session_end(const struct library *lib,
        const struct ort_session *session);

/* Options: each takes what ONNX Runtime returned and passes it on; only what
 * succeeded is recorded. */
struct ort_status *object_options(const struct library *lib,
        const struct ort_options *options, const struct ort_options *from,
        struct ort_status *status);
void object_options_end(const struct library *lib,
        const struct ort_options *options);
struct ort_status *object_option(const struct library *lib,
        const struct ort_options *options, const char *key, int64_t number,
        struct ort_status *status);
struct ort_status *object_option_text(const struct library *lib,
        const struct ort_options *options, const char *key, const char *value,
        struct ort_status *status);
struct ort_status *object_provider(const struct library *lib,
        const struct ort_options *options, const char *name,
        struct ort_status *status);
/* With the provider's own options; of these, the device is recorded that
 * OpenVINO is to use. */
struct ort_status *object_provider_keys(const struct library *lib,
        const struct ort_options *options, const char *name,
        const char *const *keys, const char *const *values, size_t count,
        struct ort_status *status);

/* Says why, just before the record of what failed, which is that thread's. */
void object_error(const struct library *lib, const struct ort_status *status,
        uint32_t thread);

/* --- shape.c -------------------------------------------------------------- */

/* Fills what the inputs tell of a run into its record: batch, sequence, past,
 * phase, bytes.  True: the bytes of this run are read, so do the outputs'. */
bool shape_inputs(struct record *r, const struct library *lib,
        const struct ort_session *session, const char *const *in_names,
        const struct ort_value *const *in, size_t n_in,
        const char *const *out_names, size_t n_out);

/* A number for all their types and shapes; 0: they could not all be read. */
uint64_t shape_key(const struct library *lib, const struct ort_value *const *v,
        size_t n);

/* False: they could not all be read. */
bool shape_bytes(const struct library *lib, const struct ort_value *const *v,
        size_t n, uint64_t *bytes);
/* Forgets what was learnt of a session. */
void shape_forget(const struct ort_session *session);

/* Which part the tensor of that name plays. */
enum role { ROLE_NONE, ROLE_IDS, ROLE_MASK, ROLE_PAST, ROLE_PRESENT };
enum role shape_role(const char *name);

/* Up to the first eight dimensions. */
struct shape {
    int type;
    size_t rank;
    int64_t dims[8];
};

bool shape_read(const struct library *lib, const struct ort_value *v,
        struct shape *out);
/* False: the elements have no fixed size. */
bool shape_size(const struct shape *s, uint64_t *bytes);

/* Fills phase, sequence and past from the roles' shapes; NULL: not there. */
void shape_phase(struct record *r, const struct shape *ids,
        const struct shape *mask, const struct shape *past, bool present);

/* --- binding.c ------------------------------------------------------------ */

void binding_input(const struct library *lib, const struct ort_binding *b,
        const char *name, const struct ort_value *v);
/* `v` NULL: bound to a device, of a size that shows only later. */
void binding_output(const struct library *lib, const struct ort_binding *b,
        const char *name, const struct ort_value *v);
void binding_clear(const struct ort_binding *b, bool inputs);
void binding_forget(const struct ort_binding *b);
/* Fills what is known of the tensors into the run's record. */
void binding_read(struct record *r, const struct ort_binding *b);

/* --- run.c ---------------------------------------------------------------- */

/* `lib` is last, so that the other arguments stay where the caller put them. */
struct ort_status *run_timed(ORT_RUN_ARGS, const struct library *lib);
struct ort_status *run_async(const struct library *lib, ORT_RUN_ARGS,
        ort_async_done done, void *user_data);
struct ort_status *run_bound(const struct library *lib,
        struct ort_session *session, const struct ort_run_options *run_options,
        const struct ort_binding *binding);

/* What run_timed() adds to a run that does nothing. */
uint32_t run_cost_ns(void);
