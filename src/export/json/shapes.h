/* shapes.h -- the data models of TEZ-158 as JSON: the one place where they are
 * written, for files of a whole run and for the server's answers and messages.
 *
 * What is not known of an object is left out of it. */
#pragma once

#include "analyse/spread.h"
#include "base/json.h"
#include "export/format.h"
#include "model/metric.h"
#include "model/reading.h"
#include "model/run.h"

/* --- files: each an array of objects -------------------------------------- */

/* "Enhanced Inference Event", one for each inference.  The percentiles and the
 * jitter are of all inferences of the session that count as latency. */
EXPORT_WRITE(shape_inference_events);

/* "Operation Metric", one for each time that an operator ran. */
EXPORT_WRITE(shape_operations);

/* "System Metric", one for each moment at which something was read. */
EXPORT_WRITE(shape_system);

/* --- one object ----------------------------------------------------------- */

/* "<run id>/session/3": the same wherever it is told. */
void shape_id(struct json *j, const char *key, const char *run,
        const char *what, uint64_t number);

/* What an inference event says beside the inference's own row. */
struct shape_inference {
    const char *run_id;
    uint64_t started_wall_ns;
    const char *model; /* its path, or NULL */
    /* Of its session's latencies, in ns; NULL, or none: not known. */
    const struct spread_figures *latency;
};

/* `end_to_end_ms` is the call of Run() as the program sees it. */
void shape_inference_json(struct json *j, const struct inference *i,
        const struct shape_inference *x);

/* "CPU", "GPU", "NPU" or "Mixed", of a provider's name as ONNX Runtime has
 * it. */
const char *provider_class(const char *name);

/* What an operator is called: its node's name, or type and place, "conv_17". */
void shape_operation_id(struct buf *out, const struct operator* o);
/* `number`: of the operator run within the run; 0: not told. */
void shape_operation_json(struct json *j, uint64_t started_wall_ns,
        const struct operator_run *r, const struct operator* o,
        uint64_t number);

/* A system metric on its way.  Starts zeroed. */
enum shape_figure {
    SHAPE_CPU_PERCENT,
    SHAPE_MEMORY_PERCENT,
    SHAPE_GPU_PERCENT,
    SHAPE_NPU_PERCENT,
    SHAPE_GPU_MEMORY_MB,
    SHAPE_PROCESS_MEMORY_MB,
    SHAPE_TOLD, /* those before are */
    SHAPE_MEMORY_TOTAL = SHAPE_TOLD,
    SHAPE_MEMORY_AVAILABLE,
    SHAPE_FIGURES
};

struct shape_moment {
    double value[SHAPE_FIGURES];
    bool known[SHAPE_FIGURES];
};

/* Which figure a metric is of, and what its value is there: the metric's times
 * `scale`.  False: of none. */
bool shape_figure_of(enum metric_id metric, bool npu, enum shape_figure *figure,
        double *scale);
/* Whether a device is an NPU; others are GPUs. */
bool shape_is_npu(const struct subject *x);

/* Of several devices of a kind the busiest is shown, of processes the sum. */
void shape_moment_add(struct shape_moment *m, enum shape_figure f,
        double value);
void shape_moment_json(struct json *j, uint64_t timestamp_ns,
        const struct shape_moment *m);
