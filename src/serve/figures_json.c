#include "serve/figures_json.h"

#include "analyse/counting.h"
#include "analyse/summary.h"
#include "model/phase.h"
#include "serve/common.h"

#include <stdlib.h>
#include <string.h>

const char *provider_class(const char *name)
{
    static const struct {
        const char *part, *class;
    } classes[] = {
        { "CPU", "CPU" },
        { "Xnnpack", "CPU" },
        { "XNNPACK", "CPU" },
        { "ACL", "CPU" },
        { "Dnnl", "CPU" },
        { "DNNL", "CPU" },
        { "CUDA", "GPU" },
        { "TensorRT", "GPU" },
        { "Tensorrt", "GPU" },
        { "NvTensorRTRTX", "GPU" },
        { "ROCM", "GPU" },
        { "MIGraphX", "GPU" },
        { "Dml", "GPU" },
        { "DML", "GPU" },
        { "WebGpu", "GPU" },
        { "QNN", "NPU" },
        { "VitisAI", "NPU" },
    };

    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (strstr(name, classes[i].part))
            return classes[i].class;
    return "Mixed";
}

void buckets_json(struct json *j, const char *key, const struct hist *h,
        const struct hist *before)
{
    json_array(j, key);
    for (unsigned i = 0; i < HIST_BUCKETS; i++) {
        uint64_t count = h->bucket[i] - (before ? before->bucket[i] : 0);

        if (!count)
            continue;
        json_u64(j, NULL, i);
        json_u64(j, NULL, count);
    }
    json_end(j);
}

static void percentiles(struct json *j, const struct hist *h)
{
    json_object(j, "percentiles");
    json_fixed(j, "p50", hist_median(h) / 1e6, 6);
    json_fixed(j, "p90", (double)hist_quantile(h, 0.9) / 1e6, 6);
    json_fixed(j, "p95", (double)hist_quantile(h, 0.95) / 1e6, 6);
    if (h->count >= 100)
        json_fixed(j, "p99", (double)hist_quantile(h, 0.99) / 1e6, 6);
    if (h->count >= 1000)
        json_fixed(j, "p99_9", (double)hist_quantile(h, 0.999) / 1e6, 6);
    json_end(j);
}

static void latency(struct json *j, const struct inference *i,
        const struct inference_context *x)
{
    json_object(j, "latency");
    json_fixed(j, "end_to_end_ms", (double)i->duration_ns / 1e6, 6);
    if (x->all && x->all->count)
        percentiles(j, x->all);
    if (x->jitter_ns >= 0)
        json_fixed(j, "jitter", x->jitter_ns / 1e6, 6);
    json_end(j);
}

static void batch_context(struct json *j, const struct inference *i)
{
    if (!i->has_context && !(i->flags & FLAG_SHAPE))
        return;
    json_object(j, "batch_context");
    json_u64(j, "batch_size", i->has_context ? i->batch_size : i->batch);
    if (i->has_context && i->batch_size)
        json_real(j, "padding_ratio",
                (double)i->padding / (double)i->batch_size);
    if (i->has_context)
        json_u64(j, "queue_depth", i->queue_depth);
    json_end(j);
}

void inference_json(struct json *j, const struct inference *i,
        const struct inference_context *x)
{
    json_object(j, NULL);
    json_u64(j, "timestamp_ns", x->started_wall_ns + i->start_ns);
    if (x->model) {
        char *name = summary_model_name(x->model);

        json_text(j, "model_name", name);
        free(name);
    }
    json_id(j, "session_id", x->run_id, "session", i->session);
    json_id(j, "inference_id", x->run_id, "inference", i->number);
    latency(j, i, x);
    batch_context(j, i);
    json_text(j, "run_id", x->run_id);
    json_u64(j, "number", i->number);
    json_text(j, "phase", phase_name((enum phase)i->phase));
    if (inference_is_traced(i))
        json_bool(j, "traced", true);
    if (i->flags & FLAG_FAILED)
        json_text(j, "error", i->error ? i->error : "failed");
    json_end(j);
}
