/* bench_case.h -- one way to run the model, from loading to the figures. */
#pragma once

#include "cmd/bench_loop.h"
#include "cmd/bench_report.h"
#include "cmd/bench_settings.h"
#include "cmd/telling.h"

struct bench_case {
    uint32_t batch; /* 0: nobody asked */
    enum ort_level level;
    bool count_nodes;
    char title[32]; /* for the progress bar */
};

/* What the worker has, for all cases. */
struct bench_work {
    const struct bench_settings *settings;
    struct engine *engine;
    struct telling telling;
    struct progress progress;
    const volatile sig_atomic_t *stop;
    char profile[PATH_MAX]; /* where profiles may be written for a moment */
};

struct bench_case_outcome {
    struct bench_row row;  /* service.count 0: stopped before it measured */
    struct inputs inputs;  /* for bench_case_release() */
    uint64_t first_run_ns; /* 0: it was measured with the others */
    struct buf error;      /* a whole sentence, when it failed */
};

/* Takes one session that was made already, or NULL. */
int bench_case_run(struct bench_case_outcome *out, struct bench_work *w,
        const struct bench_case *c, struct ort_session *take);

void bench_case_release(struct bench_case_outcome *out);

/* The setup of a case's sessions. */
struct engine_setup bench_case_setup(const struct bench_work *w,
        const struct bench_case *c);
