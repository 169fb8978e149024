/* fake_ops.h -- for tests of the hook's operators: an ONNX Runtime made of
 * tables, which treats an execution provider as the real one does, a clock that
 * stands still, and a channel whose records can be looked at.
 *
 * The hook takes the tables' slots as it would in a program, so a test calls
 * through them and is met by hook/wraps.c.  Sets of objects are small and
 * counted: what is not given back shows. */
#pragma once

#include "hook/ops.h"
#include "test.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A node of a session's graph, and how it runs. */
struct fake_node {
    const char *name; /* NULL: the list's end */
    const char *op_type, *provider, *inputs, *outputs;
    const char *node_index, *activation, *parameter, *output;
    uint64_t kernel_ns;
    int own_streams; /* that the kernel makes itself */
    bool unseen;     /* nothing describes it: no text streams at all */
    const struct fake_node *inner;
    struct fake_kernel *kernel; /* which runs instead of all that; or NULL */
};

/* Around each kernel. */
#define FAKE_BEFORE_NS 1300
#define FAKE_AFTER_NS  700

struct ort_options {
    bool cloned, profiled;
    int devices;
    struct ort_ep_factory *factory; /* of the last one */
};

struct ort_run_options {
    bool profiled;
    _Atomic bool terminated;
};

struct ort_session {
    const struct ort_api *api;
    struct ort_ep_factory *factory;
    struct ort_ep *ep;
    const struct fake_node *nodes;
    bool profiled;
    _Atomic int active; /* runs under way */
    _Atomic int ended;  /* times that its profile was ended */
    _Atomic int ended_amid;
};

struct ort_env {
    struct ort_device *devices[80];
    _Atomic size_t count;
};

extern struct fake {
    const char *asked;    /* ORTMETER_OPS; NULL: not set */
    const char *own_path; /* of the hook; NULL: not known */
    bool no_folder;       /* the channel is off */
    const char *fails;    /* the name of the call that fails; NULL: none */
    int code;             /* with that OrtErrorCode */
    int cpus;             /* among the hardware */
    const struct fake_node *nodes; /* of the next session */
    /* In the midst of every run. */
    void (*during)(struct ort_session *s, const struct ort_run_options *o);
    /* Before any options are told to stop. */
    void (*stopping)(const struct ort_run_options *o);
    /* Alive. */
    _Atomic int statuses, options, run_options, sessions, profilers;
    /* Calls so far. */
    _Atomic int loads, registered, appended, profiled_runs, ended;
} fake;

extern _Atomic uint64_t fake_clock_ns;

/* ops_init(), and our functions in the table of a runtime 1.`minor`: 23 or
 * 30.  Once for each in a process. */
const struct ort_api *fake_start(const char *asked, uint32_t minor);
struct library *fake_library(const struct ort_api *api);
const struct ort_api_base *fake_base(uint32_t minor);

struct ort_env *fake_env(void);
/* As a program does it; NULL: it failed, and the status is gone. */
struct ort_session *fake_load(const struct ort_api *api, struct ort_env *env,
        const struct ort_options *options);
struct ort_options *fake_options(const struct ort_api *api);
struct ort_run_options *fake_run_options(const struct ort_api *api);
/* False: the run failed. */
bool fake_run(const struct ort_api *api, struct ort_session *s,
        const struct ort_run_options *options);

/* Within a kernel: nodes of its own, described as the run is. */
void fake_run_inner(const struct fake_node *nodes);

/* The record that waits longest; false: there is none. */
bool fake_record(struct record *out);
/* The next of that kind; others before it are passed over. */
bool fake_record_of(enum record_kind kind, struct record *out);
/* Passes over all, and says how many of that kind there were. */
int fake_count(enum record_kind kind);
/* What a record names; "-" for no text. */
const char *fake_text(uint64_t name);

/* Runs a test in a process of its own, since the hook is set up once. */
static inline void apart(void (*test)(void))
{
    int status = 0;
    pid_t pid = fork();

    CHECK(pid >= 0);
    if (pid == 0) {
        test_failures = 0;
        test();
        exit(test_result());
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(status, 0);
}
