/* engine.h -- an ONNX Runtime at work: it loads models and runs them.
 *
 * For commands that run models themselves; a program under the meter has its
 * own.  Nothing is logged: what fails is told in the error.  Sessions may be
 * run by any number of threads at once; all else is for one thread. */
#pragma once

#include "ort/inputs.h"
#include "ort/runtime.h"

struct engine;

struct engine_setup {
    const char *provider; /* "CUDA", "XNNPACK", ...; NULL: the CPU */
    uint32_t threads;     /* within an operator; 0: as ONNX Runtime thinks */
    enum ort_level level;
    const char *profile; /* where a profile's path begins; NULL: none */
};

/* Finds and loads ONNX Runtime: see runtime_open(). */
int engine_open(struct engine **out, const char *ort_path, struct error *e);

/* All sessions are unloaded before.  NULL is welcome. */
void engine_close(struct engine *g);

const struct runtime_info *engine_runtime(const struct engine *g);
const struct ort_api *engine_api(const struct engine *g);

/* Where values for a session lie, and what its arena is made of. */
const struct ort_memory_info *engine_memory(const struct engine *g);

/* A session for a model's file.  -ENOTSUP: this ONNX Runtime has no such
 * provider. */
int engine_load(struct ort_session **out, const struct engine *g,
        const char *model, const struct engine_setup *setup, struct error *e);

/* NULL is welcome. */
void engine_unload(const struct engine *g, struct ort_session *session);

/* One inference.  The outputs are ONNX Runtime's; engine_drop() releases them.
 * `out` has room for in->outputs.count values.  NULL: it went well; else it is
 * the caller's, for status_text(). */
struct ort_status *engine_run(const struct engine *g,
        struct ort_session *session, const struct inputs *in,
        struct ort_value **out);
void engine_drop(const struct engine *g, const struct inputs *in,
        struct ort_value **out);

/* What a session's own profile tells.  Ends profiling and removes the file. */
struct engine_profile {
    uint64_t read_ns;       /* the model was read ... */
    uint64_t initialise_ns; /* ... and the session made of it; 0: not told */
    uint64_t nodes;         /* that were executed since */
};

int engine_end_profile(struct engine_profile *out, const struct engine *g,
        struct ort_session *session, struct error *e);
