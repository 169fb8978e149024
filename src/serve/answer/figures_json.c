#include "serve/answer/figures_json.h"

#include <math.h>

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

void inference_json(struct json *j, const struct inference *i,
        const struct inference_context *x)
{
    struct spread_figures figures = { .p99_9 = NAN };

    if (x->all && x->all->count)
        figures = (struct spread_figures){
            .count = x->all->count,
            .p50 = hist_median(x->all),
            .p90 = (double)hist_quantile(x->all, 0.9),
            .p95 = (double)hist_quantile(x->all, 0.95),
            .p99 = (double)hist_quantile(x->all, 0.99),
            .p99_9 = (double)hist_quantile(x->all, 0.999),
            .jitter = x->jitter_ns,
            .pairs = x->jitter_ns >= 0,
        };
    shape_inference_json(j, i,
            &(struct shape_inference){
                    .run_id = x->run_id,
                    .started_wall_ns = x->started_wall_ns,
                    .model = x->model,
                    .latency = &figures,
            });
}
