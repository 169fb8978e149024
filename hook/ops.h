/* ops.h -- looking into some of the inferences: which operators ran, and for
 * how long.
 *
 *     sampling.c       which inferences: all, one in N, or as the budget allows
 *     run_options.c    options with which they are described
 *     attach.c         gives sessions our execution provider (1.25 and later)
 *     probe.c          the provider: claims no node, and hears of all
 *     bracket_linux.c  where a kernel really begins and ends, nearly
 *     kernels_linux.c  the same, exactly: takes the place of the kernels'
 *                      function (class_tables.c, kernel_tables.c find it,
 *                      kernels_x86_64.S stands there) and calls
 *     kernel.c         which times them, and knows which operator each is
 *     pool_linux.c     keeps pools of threads out of it
 *     operator.c       what was heard, as records
 *     burst.c          before 1.25: ONNX Runtime's own profile of the first
 *                      runs of a session
 *
 * An inference that is looked into is either described by ONNX Runtime, node by
 * node, or only timed by us, kernel by kernel, once these are known.
 *
 * One that is described runs with options of our own, so it must be one whose
 * options the program left as they come.  A session whose options
 * say that the program profiles it itself, or lets ONNX Runtime choose the
 * providers, is left alone. */
#pragma once

#include "hook/hook.h"
#include "ort/ep.h"

/* Reads ORTMETER_OPS: "off" or nothing, "auto", "all", or a number N. */
void ops_init(void);
bool ops_wanted(void);
/* After fork(), in the child: what was told or begun in the parent is the
 * parent's. */
void ops_in_child(void);
/* How many of a session's first runs are profiled before 1.25; 0: none, since
 * what that costs is not known before. */
uint64_t ops_burst_runs(void);

/* --- attach.c: session options -------------------------------------------- */

enum ops_mark {
    OPS_KNOWN = 1,    /* made while we watched */
    OPS_POLICY = 2,   /* ONNX Runtime is to choose the providers */
    OPS_PROFILED = 4, /* the program profiles the session itself */
    OPS_CONTEXT = 8,  /* a compiled model is to be written */
};

void ops_options_new(const struct ort_options *options,
        const struct ort_options *from);
void ops_options_mark(const struct ort_options *options, enum ops_mark mark,
        bool on);
void ops_options_end(const struct ort_options *options);

/* Options for a session: ours, made from theirs, or theirs. */
struct ops_options {
    const struct ort_options *use;
    const struct ort_options *theirs;
    struct ort_options *ours; /* or NULL */
    bool burst;               /* they switch ONNX Runtime's own profile on */
};

struct ops_options ops_attach(const struct library *lib,
        const struct ort_env *env, const struct ort_options *theirs);
/* The session could not be made: is it worth trying with theirs? */
bool ops_try_again(const struct library *lib, struct ops_options *o,
        struct ort_status **status);
void ops_attached(const struct library *lib, const struct ops_options *o,
        const struct ort_session *session);
void ops_session_end(const struct ort_session *session);

/* What the program sees of the devices: all but ours. */
void ops_hide_device(const struct library *lib,
        const struct ort_device *const **devices, size_t *count);

/* --- sampling.c: runs ----------------------------------------------------- */

enum kernel_mode { KERNEL_LEFT_ALONE, KERNEL_DESCRIBED, KERNEL_TIMED };

/* Options that stand in for theirs. */
struct stand_in {
    struct ort_run_options *ours;
    struct flight *flight; /* NULL: for none of theirs */
};

struct sample {
    uint32_t id;         /* 0: nothing is told of this run by us */
    struct burst *burst; /* but by ONNX Runtime itself */
    enum kernel_mode mode;
    const struct ort_run_options *use;
    struct stand_in stand_in;
    uint64_t key,
            owner;  /* of the inputs; of the kernels: 0: not to be learnt */
    uint32_t depth; /* events that this thread was in before */
};

/* The session is looked into from now on; `nodes` guesses what that costs. */
void ops_watch(const struct ort_session *session, uint32_t nodes);
void ops_unwatch(const struct ort_session *session);

/* `in` NULL: what the inputs are is not known. */
struct sample ops_begin(const struct library *lib,
        const struct ort_session *session, const struct ort_run_options *theirs,
        const struct ort_value *const *in, size_t n_in);
/* After every run, with its record as it will be sent. */
void ops_end(const struct library *lib, const struct ort_session *session,
        struct sample *s, struct record *run);
/* After the run's record was sent. */
void ops_sent(const struct sample *s, const struct record *run);

/* The session has runs of which we do not see when they end. */
void ops_shared(const struct ort_session *session);

/* The sample that this thread is in, or 0. */
uint32_t ops_current(void);
/* Another thread runs a part of that sample. */
void ops_elsewhere(uint32_t sample);

/* --- run_options.c -------------------------------------------------------- */

void ops_run_options_new(const struct ort_run_options *options);
void ops_run_options_touched(const struct ort_run_options *options);
void ops_run_options_end(const struct ort_run_options *options);
/* They are told to stop: so are those that stand in for them. */
void ops_terminate(const struct ort_run_options *options);

/* False: theirs are not as they came, or there are no more of ours. */
bool run_options_replace(struct stand_in *out, const struct library *lib,
        const struct ort_run_options *theirs);
void run_options_back(const struct library *lib, const struct stand_in *s);

/* --- burst.c -------------------------------------------------------------- */

/* Switches the profile on.  False: it does not work. */
bool burst_enable(const struct library *lib, struct ort_options *options);
void burst_watch(const struct library *lib, const struct ort_session *session,
        uint64_t runs);
/* Before and after a run of a session; NULL: it is in no burst. */
struct burst *burst_begin(const struct ort_session *session);
void burst_end(struct burst *b);
/* The session goes: its profile is written before. */
void burst_session_end(const struct ort_session *session);
/* The files are the parent's. */
void burst_in_child(void);

/* --- probe.c -------------------------------------------------------------- */

#define PROBE_NAME "zzOrtmeterProbe"

/* How many nodes the provider was shown on this thread since it was asked. */
uint32_t probe_nodes_seen(void);

/* --- operator.c ----------------------------------------------------------- */

/* How many events this thread is in; and back to that many, for a run that
 * failed in the midst may not tell of their end. */
uint32_t operator_depth(void);
void operator_return(uint32_t to);
/* All is to be described anew. */
void operator_in_child(void);

void operator_started(void);
/* The innermost event of this thread is over. */
void operator_stopped(const struct library *lib, uint32_t sample,
        const struct ort_event *event);

/* The innermost event's kernel itself was timed. */
void operator_kernel(const void *kernel, uint64_t start, uint64_t end);

/* Called at the constructors and destructors of text streams in ONNX Runtime,
 * which it makes before and after each kernel. */
void operator_stream_made(void);
void operator_stream_gone(void);

/* --- bracket_linux.c ------------------------------------------------------ */

/* Takes the two functions' places in the runtime.  False: it has none. */
bool bracket_install(const struct candidate *c, struct library *lib);

/* --- classes_linux.c, pool_linux.c, kernels_linux.c, kernel.c ------------- */

struct class_image;

/* False: it has no classes that we can read. */
bool classes_image(struct class_image *out, const struct candidate *c);
/* Their tables may be written, and no longer. */
bool classes_open(const struct candidate *c);
void classes_close(const struct candidate *c);

/* From now on, pools of threads stay as they are in runs that we describe.
 * False: they do not, and such a run is not safe beside others. */
bool pool_install(const struct candidate *c, uint8_t library);

/* From now on all kernels of the runtime pass by us.  False: they do not. */
bool kernels_install(const struct candidate *c);

/* Of the run that this thread is in. */
struct kernel_watch {
    uint32_t sample;
    uint64_t owner;     /* under which kernels are known; 0: not at all */
    uint64_t kernels;   /* learnt, or timed */
    uint64_t strangers; /* that could not be */
    bool too_many;      /* to be noted, or too deep */
};

/* False: too many are timed already. */
bool kernel_watch(enum kernel_mode mode, uint32_t sample, uint64_t owner);
/* What was seen since then.  What was timed is told, unless there were
 * strangers. */
struct kernel_watch kernel_unwatch(void);
/* While a run is described: that operator's; NULL: it was not seen. */
void kernel_learn(const void *kernel, uint64_t id);

/* For the entries in kernels_x86_64.S: the mode, and what to call around a
 * kernel, with the place on the stack that tells one from another. */
extern _Thread_local uint32_t hook_kernel_watch;
void hook_kernel_entered(const void *kernel, uintptr_t stack);
void hook_kernel_left(uintptr_t stack);
