/* bench_scaling.h -- how time and memory grow with the batch. */
#pragma once

#include "analyse/line_fit.h"
#include "cmd/bench/bench_report.h"

struct bench_scaling {
    bool time_known;
    struct line_fit time_ns; /* of the median */
    bool memory_known;
    struct line_fit memory_bytes;
    size_t fastest; /* the row with most samples a second */
};

/* False: too few batch sizes for either. */
bool bench_scaling(struct bench_scaling *out, const struct bench_report *r);

double bench_row_per_s(const struct bench_row *row);
/* A batch that the model fixes counts as one sample. */
double bench_row_samples_per_s(const struct bench_row *row);

/* What an inference needs at most: the arena where ONNX Runtime tells, else
 * what is resident.  0: not known. */
uint64_t bench_row_memory_bytes(const struct bench_row *row);

/* "disabled", "basic", "extended", "all". */
const char *bench_level_name(enum ort_level level);
