/* figures_json.h -- histograms, and inferences of live runs (export/json/
 * shapes.h), as JSON: the same in answers and in messages.  Not for others. */
#pragma once

#include "base/hist.h"
#include "base/json.h"
#include "export/json/shapes.h"
#include "model/run.h"

/* [bucket, count, ...], numbered as in hist.h.  `before`: only what was added
 * since that one. */
void buckets_json(struct json *j, const char *key, const struct hist *h,
        const struct hist *before);

/* What an inference event says beside its own row. */
struct inference_context {
    const char *run_id;
    uint64_t started_wall_ns;
    const char *model;      /* its path, or NULL */
    const struct hist *all; /* of its session's latencies, in ns; or NULL */
    double jitter_ns;       /* negative: not known */
};

void inference_json(struct json *j, const struct inference *i,
        const struct inference_context *x);
