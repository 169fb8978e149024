/* ort_host.h -- the steps that every program under test takes with ONNX
 * Runtime.
 *
 * The programs stand for somebody's application: nothing here knows of the
 * meter.  A step that fails prints ONNX Runtime's own sentence on stderr and
 * ends the program with 1, so a caller needs no error path. */
#pragma once

#include "wire/ort_api.h"

#include <stddef.h>
#include <stdint.h>

/* One ONNX Runtime and its environment. */
struct host {
    const struct ort_api *api;
    uint32_t version; /* of the API: 23 for 1.23.2 */
    struct ort_env *env;
    struct ort_memory_info *memory; /* where inputs lie: the CPU */
    char *const *shapes;            /* of inputs, or NULL: "NAME=1x512", ... */
};

enum { JOB_TENSORS = 128 };

/* A session with inputs made from its model: of the host's shapes, or else
 * dimensions left open are 1; the values a fixed pattern, ones in a mask.
 * Several threads may run one job at once. */
struct job {
    const struct host *host;
    struct ort_session *session;
    size_t n_in, n_out;
    char *in_name[JOB_TENSORS], *out_name[JOB_TENSORS];
    struct ort_value *in[JOB_TENSORS];
    void *in_data[JOB_TENSORS];
};

/* What job_run() is first given as `sum`. */
#define SUM_START UINT64_C(0xcbf29ce484222325)

/* Ends the program with 1 and this sentence. */
_Noreturn void die(const char *format, ...)
        __attribute__((format(printf, 1, 2)));

/* Ends the program with 1 and the status's text, if there is one. */
void host_check(const struct host *h, struct ort_status *status);

void host_open(struct host *h, const struct ort_api_base *base);

/* dlopen() and dlsym(), called from whatever this file is linked into. */
void *library_open(const char *path, int flags);
ort_function library_find(void *library, const char *name);
const struct ort_api_base *library_base(void *library);

void host_close(struct host *h);

/* New options with that many intra-op threads, for the caller to release. */
struct ort_options *host_options(const struct host *h, int threads);

/* `options` is borrowed for the call and may be NULL. */
void job_open(struct job *j, const struct host *h, const char *model,
        const struct ort_options *options);

/* The same with one intra-op thread, so that the session starts none. */
void job_open_alone(struct job *j, const struct host *h, const char *model);

/* One inference.  Returns `sum` with the bytes of all outputs mixed in. */
uint64_t job_run(const struct job *j, uint64_t sum);

/* `count` inferences after SUM_START. */
uint64_t job_repeat(const struct job *j, uint64_t count);

/* The same without running: mixes the outputs in and releases them. */
uint64_t job_take(const struct job *j, struct ort_value **out, uint64_t sum);

void job_close(struct job *j);

/* A whole short life: environment, session with one thread, `count`
 * inferences, a line "NAME COUNT SUM" on stdout, and all released. */
void host_session(const struct ort_api_base *base, const char *name,
        const char *model, uint64_t count);

/* An argument that is a decimal number. */
uint64_t number(const char *text);
