/* bench_scaling.h -- how time and memory grow with the batch. */
#pragma once

#include "analyse/line_fit.h"
#include "cmd/bench/bench_energy.h"
#include "cmd/bench/bench_report.h"
#include "cmd/bench/bench_settings.h"

struct bench_scaling {
    bool time_known;
    struct line_fit time_ns; /* of the median */
    bool memory_known;
    struct line_fit memory_bytes;
    size_t fastest; /* the row with most samples a second */
    size_t within;  /* the same within --bound; row_count: none */
    size_t thrifty; /* the least joules a sample; row_count: not known */
    bool best[BENCH_BATCHES_MAX]; /* no other row is better in all things */
};

/* `bound_ns`: of the p99; 0: nobody asked.  False: there are not several batch
 * sizes.  Three of them are needed for a fit. */
bool bench_scaling(struct bench_scaling *out, const struct bench_report *r,
        const struct bench_energy *energy, double bound_ns);

double bench_row_per_s(const struct bench_row *row);
/* A batch that the model fixes counts as one sample. */
double bench_row_samples_per_s(const struct bench_row *row);

/* What an inference needs at most: the arena where ONNX Runtime tells, else
 * what is resident.  0: not known. */
uint64_t bench_row_memory_bytes(const struct bench_row *row);

/* "disabled", "basic", "extended", "all". */
const char *bench_level_name(enum ort_level level);
