/* hook.h -- the rooms of the hook, and what they hand each other.
 *
 *     find_linux.c   finds ONNX Runtime in this process     -> patch.c
 *     patch.c        puts our functions into its table      -> wraps.c
 *     wraps.c        our functions, a set for each runtime  -> run.c, object.c
 *     run.c          times an inference                     -> shape.c
 *     shape.c        reads what its tensors tell
 *     binding.c      the same for RunWithBinding
 *     object.c       sessions and their options, as records
 *     channel_linux.c takes records to the collector      -> ring_file_linux.c
 *     exec_linux.c   comes along into the programs that this one becomes
 *     api.c          ortmeter.h
 *     memory.h       memory of our own, and of others
 *     ops/ops.h      traces inferences: rooms of its own
 *
 * We are a guest in this process.  Nothing here prints, exits, waits, or takes
 * memory from the program's allocator; system calls are made only where the
 * program loads something itself, and for what is met for the first time;
 * whatever fails switches the hook off and leaves the program as it was.  No
 * lock of ours is ever held while the loader, ONNX Runtime or the program
 * runs. */
#pragma once

#include "os/clock.h"
#include "os/ticks.h"
#include "wire/ort_api.h"
#include "wire/record.h"

#include <link.h>
#include <stdatomic.h>
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

#define HOOK_EDITOR_WRAPS(X) \
    X(CreateSessionFromModel) X(CreateModelEditorSession) \
    X(CreateModelEditorSessionFromArray)
/* clang-format on */

enum wrap {
#define X(name) WRAP_##name,
    HOOK_WRAPS(X) HOOK_EDITOR_WRAPS(X)
#undef X
            WRAPS
};

/* A loaded object. */
struct image {
    uintptr_t base;
    const ElfW(Dyn) * dynamic;
    uintptr_t start, end; /* where it is mapped */
    uintptr_t relro_start, relro_end;
    struct segment {
        uintptr_t start, end;
        int protection; /* as of mmap() */
    } segments[8];
    size_t segment_count;
};

/* With which vectors it is built (ops/tensor.c). */
enum vectors { VECTORS_UNKNOWN, VECTORS_INLINED, VECTORS_PLAIN };

/* One ONNX Runtime: its table, and what stood in the slots that we took. */
struct library {
    _Atomic(const void *) owner; /* what tells it from others; NULL: free */
    const struct ort_api *api;   /* in Python NULL where it was not found */
    uint32_t minor;              /* of its version: 23 for 1.23.2 */
    uint8_t index;
    ort_function real[WRAPS];
    struct image image;
    struct record found; /* as it was sent */
    const char *version;
    int language; /* 0: not told, or by the program itself */
    _Atomic(enum tracing) tracing;
    _Atomic bool kernels_fit; /* they are as kernel.c knows them */
    _Atomic(enum vectors) vectors;
};

extern struct library hook_libraries[LIBRARIES];

/* --- find_linux.c: the stubs in dl_x86_64.S enter here -------------------- */

/* True: call dlopen and then hook_after_dlopen(); false: jump to dlopen. */
bool hook_before_dlopen(const char *name, const void *caller);
void hook_after_dlopen(void *handle);
/* What dlsym is to return; NULL: jump to dlsym. */
void *hook_before_dlsym(void *handle, const char *name);

/* What these functions are without us; NULL until first needed. */
extern void *(*hook_real_dlopen)(const char *name, int flags);
extern void *(*hook_real_dlsym)(void *handle, const char *name);
extern long (*hook_real_syscall)(long number, ...);
void hook_find_real(void);

/* The next object whose file's name begins so and that is not in `seen`, where
 * it is put; it stays loaded.  False: there is none. */
bool hook_find_object(struct image *out, const char *name,
        _Atomic uintptr_t *seen, size_t count);

/* A function as it is without us; 0: there is none. */
uintptr_t hook_next_definition(const char *name);
/* The loaded object around an address, and its path.  False: there is none. */
#define HOOK_PATH 1024
bool hook_object_at(struct image *out, char path[HOOK_PATH], uintptr_t address);

/* A collector that comes when the program runs already, and its end.  0, or why
 * not: EEXIST where another copy of this library is in the process, else as
 * channel_listen() has it. */
int hook_listen(const char *dir);
void hook_stop(void);

/* After fork(), in the child. */
void hook_in_child(void);

/* --- exec_linux.c --------------------------------------------------------- */

void exec_init(void);

/* Also for those who make the system call by its number: its arguments. */
long exec_path(const char *path, char *const *argv, char *const *env);
long exec_at(int fd, const char *path, char *const *argv, char *const *env,
        int flags);

/* --- patch.c -------------------------------------------------------------- */

/* A loaded object that defines OrtGetApiBase. */
struct candidate {
    const struct ort_api_base *(*get_base)(void);
    const char *path;
    struct image image;
};

/* Takes the runtime's slots.  False: there is no set left for it, or it is
 * nothing that we know, or its table lies among code; then it is untouched. */
bool patch(const struct candidate *c);

/* One of hook_libraries for a runtime; NULL: it has one, or none is left. */
struct library *library_take(const void *owner);
void library_give_back(struct library *lib);

/* "1.23.2" is 23; 0: not a version that we understand. */
uint32_t library_minor(const char *version);

/* --- channel_linux.c ------------------------------------------------------ */

/* What the collector set (CHANNEL_SETTINGS), or a variable of the environment;
 * NULL: not set. */
const char *hook_variable(const char *name);

/* Once, before anything else here: makes the process's ring, if there is a
 * collector. */
void channel_init(void);
/* The same for a collector that comes later, in that folder.  0, or why not, an
 * errno: EBUSY where there is one already, ENOENT where there is none in the
 * folder, or what came of making the ring; then another may be tried. */
int channel_listen(const char *dir);
/* That collector is no longer told anything. */
void channel_stop(void);
bool channel_wanted(void); /* there is a ring */
/* The same, for inferences: the collector may want none for a while. */
bool channel_takes_runs(void);
/* The collector's, also where there is no ring in it; NULL: there is none. */
const char *channel_folder(void);

/* Where the process writes now; NULL: nobody listens. */
struct ring;
const struct ring *channel_ring(void);
/* Room for that many records, as far as there is some: for where many come at
 * once.  Makes system calls: only where the program is loading something
 * itself, and never in an inference, for a confined process may die of them. */
void channel_reserve(uint32_t records);
void channel_reserve_for_runtime(void);
/* A full ring counts the loss. */
void channel_send(const struct record *r);
/* False: it was full. */
bool channel_try(const struct record *r);
/* A run went by without a record: counted apart. */
void channel_untimed(void);
/* A process becomes the program, or failed to. */
void channel_exec(const char *program, uint32_t pid, uint64_t time_ns,
        bool failed);
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

/* Which inferences are to be traced, and to have their values looked at, as the
 * ring's header says now (record.h). */
uint32_t channel_ops(void);
uint32_t channel_stats(void);
/* All are, for a program that runs inferences again to that end. */
void channel_look_again(bool on);
bool channel_looks_again(void);
bool channel_traces(void); /* any, for either */

/* Nanoseconds that the hook adds to a run, as measured here. */
void channel_set_hook_ns(uint32_t ns);

/* All that a thread of the program's has of us: 0, or 2 * its id + 1, or the
 * address of a struct thread (ops.h). */
extern _Thread_local uintptr_t hook_thread;

/* --- object.c ------------------------------------------------------------- */

void object_library(struct library *lib, const char *path, const char *version,
        uint32_t slots);
/* The same again: whether its operators are traced has changed. */
void object_tracing(struct library *lib, enum tracing tracing);
void object_static_library(const char *path, const char *reason);
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
 * phase, bytes.  True: the bytes of this run are read, so do the outputs'.
 * `passed` becomes a RECORD_PASSED, for passed_out() to complete, or none. */
bool shape_inputs(struct record *r, struct record *passed,
        const struct library *lib, const struct ort_session *session,
        const char *const *in_names, const struct ort_value *const *in,
        size_t n_in, const char *const *out_names, size_t n_out);

/* A number for all their types and shapes; 0: they could not all be read. */
uint64_t shape_key(const struct library *lib, const struct ort_value *const *v,
        size_t n);

/* False: they could not all be read. */
bool shape_bytes(const struct library *lib, const struct ort_value *const *v,
        size_t n, uint64_t *bytes);
/* Forgets what was learnt of a session. */
void shape_forget(const struct ort_session *session);

/* Which part the tensor of that name plays. */
enum role {
    ROLE_NONE,
    ROLE_IDS,
    ROLE_MASK,
    ROLE_PAST,    /* of the text that is made; not an encoder's */
    ROLE_PRESENT, /* the same, returned */
    ROLE_POSITION,
    ROLE_BRANCH, /* whether the past counts, in one model for both */
    ROLE_STATES, /* an encoder's, returned by it or handed to a decoder */
};
enum role shape_role(const char *name);

/* Up to the first eight dimensions. */
struct shape {
    int type;
    size_t rank;
    int64_t dims[8];
    const void *data; /* the values, where they are wanted and can be read */
};

bool shape_read(const struct library *lib, const struct ort_value *v,
        struct shape *out);
/* False: the elements have no fixed size. */
bool shape_size(const struct shape *s, uint64_t *bytes);

/* Fills phase, sequence and past from the roles' shapes; NULL: not there. */
void shape_phase(struct record *r, const struct shape *ids,
        const struct shape *mask, const struct shape *past, bool present);

/* What a run is handed of a text, as far as it was read; NULL: not there. */
struct handed {
    const struct shape *ids, *mask, *position;
    struct shape *past; /* its length is mended where that is known better */
    const bool *branch;
    bool present; /* it returns a cache */
};
/* The same from all of these. */
void shape_text(struct record *r, const struct handed *h);

/* --- passed.c ------------------------------------------------------------- */

/* Makes a RECORD_PASSED of the last cache that a run is handed, or of an
 * encoder's states, and completes it by what was returned; NULL: not there. */
void passed_begin(struct record *r, const struct record *run,
        const struct shape *past, const struct shape *states);
void passed_finish(struct record *r, const struct record *run,
        const struct shape *present, const struct shape *states);
/* A tensor's values; NULL: they are not in the CPU's memory. */
const void *passed_values(const struct library *lib, const struct ort_value *v);
/* The same of tensors with their names. */
void passed_in(struct record *r, const struct library *lib,
        const struct record *run, const char *const *names,
        const struct ort_value *const *in, size_t n_in);
void passed_out(struct record *r, const struct library *lib,
        const struct record *run, const char *const *names,
        const struct ort_value *const *out, size_t n_out);
/* The same of what was bound: only where it lies. */
void passed_bound(struct record *r, const struct record *run, const void *past,
        const void *present);

/* --- binding.c ------------------------------------------------------------ */

void binding_input(const struct library *lib, const struct ort_binding *b,
        const char *name, const struct ort_value *v);
/* `v` NULL: bound to a device, of a size that shows only later. */
void binding_output(const struct library *lib, const struct ort_binding *b,
        const char *name, const struct ort_value *v);
/* The same, where its shape and bytes were read elsewhere; NULL: not known. */
void binding_keep(const struct ort_binding *b, const char *name, bool input,
        const struct shape *s, const uint64_t *bytes);
void binding_clear(const struct ort_binding *b, bool inputs);
void binding_forget(const struct ort_binding *b);
/* Fills what is known of the tensors into the run's record, before it runs:
 * the program may change what they hold.  `passed` as in shape_inputs(). */
void binding_read(struct record *r, struct record *passed,
        const struct ort_binding *b);

/* --- run.c ---------------------------------------------------------------- */

/* `lib` is last, so that the other arguments stay where the caller put them. */
struct ort_status *run_timed(ORT_RUN_ARGS, struct library *lib);
struct ort_status *run_async(struct library *lib, ORT_RUN_ARGS,
        ort_async_done done, void *user_data);
struct ort_status *run_bound(struct library *lib, struct ort_session *session,
        const struct ort_run_options *run_options,
        const struct ort_binding *binding);

/* What run_timed() adds to a run that does nothing. */
uint32_t run_cost_ns(void);
