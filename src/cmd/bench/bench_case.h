/* bench_case.h -- one way to run the model, from loading to the figures. */
#pragma once

#include "cmd/bench/bench_loop.h"
#include "cmd/bench/bench_report.h"
#include "cmd/bench/bench_settings.h"
#include "cmd/text/own_sections.h"

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
    struct own_sections telling;
    struct progress progress;
    const volatile sig_atomic_t *stop;
    uint64_t first_bytes;   /* resident before the first case; 0: not known */
    char profile[PATH_MAX]; /* where profiles may be written for a moment */
};

struct bench_case_outcome {
    struct bench_row row;  /* service.count 0: stopped before it measured */
    struct inputs inputs;  /* for bench_case_release() */
    uint64_t first_run_ns; /* 0: it was measured with the others */
    struct buf error;      /* a whole sentence, when it failed */
};

/* A case that is under way: prepared, measured as often as one likes, ended. */
struct bench_running;

/* Loads and warms up.  Takes one session that was made already, or NULL.  What
 * it returns is for bench_case_end(), also when it failed. */
int bench_case_begin(struct bench_running **out, struct bench_work *w,
        const struct bench_case *c, struct ort_session *take);

/* So many inferences, or for so long, whichever is first. */
int bench_case_measure(struct bench_running *s, uint64_t count,
        uint64_t duration_ns);

/* What its sessions hold resident; 0: not known. */
uint64_t bench_case_held_bytes(const struct bench_running *s);

/* Unloads; `out` is for bench_case_release(). */
void bench_case_end(struct bench_running *s, struct bench_case_outcome *out);

void bench_case_release(struct bench_case_outcome *out);

/* The setup of a case's sessions. */
struct engine_setup bench_case_setup(const struct bench_work *w,
        const struct bench_case *c);
