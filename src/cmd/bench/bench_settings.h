/* bench_settings.h -- what `ortmeter bench` is asked to do.  The command and
 * its worker read the same command line. */
#pragma once

#include "cmd/metered.h"
#include "ort/dims.h"
#include "ort/runtime.h"

#include <limits.h>

#define BENCH_BATCHES_MAX 64
#define BENCH_NOT_GIVEN   UINT64_MAX

/* The file that a worker reports to; nobody else has it. */
#define BENCH_WORKER_VARIABLE "ORTMETER_BENCH_WORKER"

/* What is read further, text by text. */
struct bench_texts {
    const char *warmup, *batch;
    struct option_texts dims;
};

struct bench_settings {
    char model[PATH_MAX];
    const char *ort, *provider; /* or NULL */

    /* Whichever is first; UINT64_MAX and 0: that one does not count. */
    uint64_t count;
    double duration_s;

    bool warmup_auto;
    uint64_t warmup;

    uint32_t batches[BENCH_BATCHES_MAX];
    size_t batch_count; /* 0: the model's own, or 1 */
    bool compare_levels;
    int level;                      /* of bench_level_names */
    uint64_t concurrency, sessions; /* at least 1 */
    uint64_t threads;               /* 0: as ONNX Runtime thinks */
    double qps;                     /* 0: closed loop */
    double bound_ms;                /* of the p99, for the batch; 0: none */

    struct dim_given dims[OPTION_TEXTS_MAX];
    size_t dim_count;

    bool json, quiet;
    bool energy_asked, ops_asked; /* the option stood there */
    const char *out;
    struct bench_texts texts;
    struct metered_settings metered;
    uint64_t worker; /* a file descriptor; BENCH_NOT_GIVEN: not a worker */
};

/* Levels of graph optimisation, as options have them; ends with NULL. */
extern const char *const bench_level_names[];
#define BENCH_LEVEL_ALL 3
enum ort_level bench_level(int choice);

/* "NAME=N"; borrows from the text. */
int bench_read_dim(struct dim_given *d, const char *text, struct error *e);

extern const struct option bench_options[];
extern const struct bench_settings bench_defaults;

/* Reads on what the options gave.  `model` may be NULL.  -EINVAL: wrong usage.
 */
int bench_settings_read(struct bench_settings *s, const char *model,
        struct error *e);

/* Where the model is a folder, finds the one model in it.  -ENOENT, ...: there
 * is nothing that could be read. */
int bench_settings_find_model(struct bench_settings *s, struct error *e);
