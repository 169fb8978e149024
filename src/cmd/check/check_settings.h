/* check_settings.h -- what `ortmeter check` is asked to do.  The command and
 * its workers read the same command line. */
#pragma once

#include "cmd/bench/bench_settings.h"

/* "base" or "head": whose worker this process is; nobody else has it. */
#define CHECK_WORKER_VARIABLE "ORTMETER_CHECK_WORKER"

enum { CHECK_BASE, CHECK_HEAD };
#define CHECK_AS_BOTH UINT64_MAX

struct check_settings {
    const char *commands[2]; /* --base and --head; or NULL: models */
    const char *models[2];
    const char *orts[2]; /* or NULL: as usual */
    int levels[2];       /* of bench_level_names */
    const char *provider;
    uint64_t threads, batch;
    uint64_t
            side_threads[2]; /* CHECK_AS_BOTH: `threads`, until it is checked */
    struct option_texts dim_texts;
    struct dim_given dims[OPTION_TEXTS_MAX];

    uint64_t count;    /* inferences of a run */
    double duration_s; /* for all of it */
    const char *least_text, *budget_file;
    double least; /* 0: the usual */
    bool json, quiet, no_operators;
    const char *out, *junit, *markdown, *benchmark, *bencher;
    struct metered_settings metered; /* of the runs that are recorded */
};

/* Whether both sides have one thread, so that they can share a processor. */
bool check_is_single(const struct check_settings *s);

/* "base" and "head". */
extern const char *const check_side_names[2];

/* What a side is called in reports: its command, or its model, ONNX Runtime and
 * level as far as they differ.  For free(). */
char *check_side_text(const struct check_settings *s, int side);
