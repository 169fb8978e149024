/* bench_loop.h -- runs a model over and over, and takes the times.
 *
 * Closed loop: each thread begins the next inference when it has ended the one
 * before.  Open loop: inferences are meant to begin at a steady rate, and the
 * next free thread takes the next one (schedule.h). */
#pragma once

#include "cmd/cli/progress.h"
#include "ort/engine.h"

#include <signal.h>

struct bench_load_plan {
    const struct engine *engine;
    struct ort_session *const *sessions;
    size_t session_count;
    const struct inputs *inputs;

    size_t threads;       /* for each session */
    uint64_t count;       /* inferences in all; UINT64_MAX: no such limit */
    uint64_t duration_ns; /* 0: no such limit */
    double per_s;         /* the open loop's rate; 0: closed loop */

    const volatile sig_atomic_t *stop; /* set: end as soon as you can */
    struct progress *progress;
};

struct bench_time {
    uint64_t service_ns;  /* from start to end */
    uint64_t response_ns; /* open loop: from the intended start; else 0 */
};

struct bench_times {
    struct bench_time *items; /* in order, thread by thread */
    size_t count;
    uint64_t wall_ns; /* from the beginning to the last end */
    uint64_t queued;
    uint64_t unserved; /* open loop: its time was over by as much again */
    struct buf error;  /* the first that failed, in ONNX Runtime's words */
};

/* Returns when all is done, or one inference has failed: -EIO, with the error
 * in `out`.  -EAGAIN: no threads to be had. */
int bench_loop(struct bench_times *out, const struct bench_load_plan *plan);

void bench_times_release(struct bench_times *t);
