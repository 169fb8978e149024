/* bench_report.h -- what a benchmark's worker found out, on its way to whoever
 * started it.
 *
 * The worker writes one frame after another into a file that both have open:
 *
 *     uint32_t kind   enum bench_frame
 *     uint32_t len    of what follows
 *     bytes           a struct of this header, or a text
 *
 * Both ends are the same program, so the structs go as they are.  A worker that
 * dies leaves the frames that it had finished. */
#pragma once

#include "analyse/spread.h"
#include "base/error.h"
#include "base/str.h"
#include "ort/arena_stats.h"
#include "ort/tensor_spec.h"

#include <stdio.h>

enum bench_frame {
    BENCH_ERROR = 1, /* text: why it had to stop */
    BENCH_NOTE,      /* text: what one should know of the figures */
    BENCH_INPUT,     /* struct bench_input */
    BENCH_DIM,       /* struct bench_dim */
    BENCH_LOAD,      /* struct bench_load */
    BENCH_ROW,       /* struct bench_row */
};

#define BENCH_NAME_MAX 128

struct bench_input {
    char name[BENCH_NAME_MAX]; /* cut where it is longer */
    enum ort_type type;
    size_t rank;
    int64_t shape[TENSOR_RANK_MAX];
};

/* A dimension that the model leaves open. */
struct bench_dim {
    char name[BENCH_NAME_MAX];
    int64_t value;
    bool given; /* else assumed */
};

/* 0: not measured. */
struct bench_load {
    uint64_t first_ns;
    uint64_t later_ns;
    uint64_t split_ns; /* of one more, that ONNX Runtime says the parts of: */
    uint64_t read_ns;
    uint64_t initialise_ns;
    uint64_t first_run_ns;
};

/* One way to run the model: a batch size, a level of optimisation. */
struct bench_row {
    uint32_t batch; /* 0: the model's own, which is fixed */
    enum ort_level level;
    uint64_t load_ns;

    uint64_t warm_ups;
    double warm_up_mean_ns;
    bool settled; /* the warm-up was seen to end ... */
    uint64_t settled_after;

    uint64_t wall_ns;               /* from the first start to the last end */
    uint64_t cpu_ns;                /* of all threads, in that time */
    struct spread_figures service;  /* from start to end; `count` inferences */
    struct spread_figures response; /* open loop: from the intended start */
    uint64_t queued; /* open loop: found no thread free when their time came */
    uint64_t unserved; /* open loop: given up, their time was long past */

    uint64_t peak_rss_bytes; /* 0: not known */
    bool arena_known;
    struct arena_stats arena;  /* at the end */
    uint64_t arena_allocs;     /* while measuring */
    uint64_t arena_extensions; /* the same */
    uint64_t nodes;            /* that an inference executes; 0: not known */
};

struct bench_report {
    char *error; /* NULL: it came to its end */
    char **notes;
    size_t note_count;
    struct bench_input *inputs;
    size_t input_count;
    struct bench_dim *dims;
    size_t dim_count;
    struct bench_load load;
    struct bench_row *rows;
    size_t row_count;
};

/* Writes one frame, at once.  False: it could not be written. */
bool bench_send(FILE *to, enum bench_frame kind, const void *bytes, size_t len);
bool bench_send_text(FILE *to, enum bench_frame kind, const char *text);

/* Reads all frames; one that is cut short at the end is left out.  -EINVAL: a
 * frame of a kind or a length that cannot be; what came before it is there. */
int bench_report_parse(struct bench_report *out, struct str bytes);

void bench_report_release(struct bench_report *r);
