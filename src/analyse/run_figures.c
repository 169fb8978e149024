#include "analyse/run_figures.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

#define FIGURES_MAX 32

struct figures {
    struct run_figure item[FIGURES_MAX];
    size_t count;
};

/* What is not known is left out: NaN. */
static void add(struct figures *f, enum metric_id metric, double value)
{
    if (!isnan(value) && f->count < FIGURES_MAX)
        f->item[f->count++] = (struct run_figure){ metric, value };
}

static void add_latency(struct figures *f, const struct spread_figures *x)
{
    add(f, METRIC_timed_inferences, (double)x->count);
    if (!x->count)
        return;
    add(f, METRIC_inference_duration_mean_seconds, x->mean / 1e9);
    add(f, METRIC_inference_duration_median_seconds, x->median / 1e9);
    add(f, METRIC_inference_duration_min_seconds, x->min / 1e9);
    add(f, METRIC_inference_duration_max_seconds, x->max / 1e9);
    add(f, METRIC_inference_duration_p50_seconds, x->p50 / 1e9);
    add(f, METRIC_inference_duration_p90_seconds, x->p90 / 1e9);
    add(f, METRIC_inference_duration_p95_seconds, x->p95 / 1e9);
    add(f, METRIC_inference_duration_p99_seconds, x->p99 / 1e9);
    add(f, METRIC_inference_duration_p99_9_seconds, x->p99_9 / 1e9);
    if (x->count > 1)
        add(f, METRIC_inference_duration_stddev_seconds, x->stddev / 1e9);
    if (x->pairs)
        add(f, METRIC_inference_duration_jitter_seconds, x->jitter / 1e9);
}

static void add_rates(struct figures *f, const struct summary *x)
{
    const struct summary_tokens *t = &x->tokens;

    /* Of a sweep it would be of several things at once. */
    if (x->last_end_ns > x->first_start_ns && !x->sweep.count) {
        double seconds = (double)(x->last_end_ns - x->first_start_ns) / 1e9;

        add(f, METRIC_inferences_per_second,
                (double)(x->inferences - x->failed) / seconds);
        add(f, METRIC_frames_per_second, x->samples / seconds);
    }
    if (x->warmup.known)
        add(f, METRIC_warmup_inferences, (double)x->warmup.count);
    if (x->warmup.known && x->warmup.count)
        add(f, METRIC_warmup_duration_mean_seconds, x->warmup.mean_ns / 1e9);
    if (t->ttft.count)
        add(f, METRIC_time_to_first_token_seconds, t->ttft_ns / 1e9);
    if (t->gaps.count)
        add(f, METRIC_time_per_output_token_seconds, t->tpot_ns / 1e9);
    if (t->count)
        add(f, METRIC_tokens_total, (double)t->count);
    if (t->count && t->busy_ns > 0)
        add(f, METRIC_tokens_per_second, (double)t->count / (t->busy_ns / 1e9));
}

int run_figures_save(struct store *s, const struct summary *x, struct error *e)
{
    struct figures f = { 0 };

    add(&f, METRIC_inferences_total, (double)x->inferences);
    add(&f, METRIC_failed_inferences_total, (double)x->failed);
    add(&f, METRIC_lost_events_total, (double)x->lost);
    add_latency(&f, &x->latency);
    add_rates(&f, x);
    store_set_figures(s, x->run.row, f.item, f.count);
    return store_flush(s, e);
}

/* --- runs that nobody summed up ------------------------------------------- */

static int sum_up(struct store *s, int64_t row, struct error *e)
{
    struct summary x;
    int rc = summary_read(&x, s, row, e);

    if (rc)
        return rc;
    rc = run_figures_save(s, &x, e);
    summary_release(&x);
    return rc;
}

int run_figures_rescue(struct store *s, struct error *e)
{
    struct run_rows rows = { 0 };
    int rc = store_each_interrupted(s, run_rows_add, &rows, e);

    for (size_t i = 0; i < rows.count && !rc; i++) {
        rc = sum_up(s, rows.row[i], e);
        if (!rc)
            rc = store_mark_interrupted(s, rows.row[i], e);
    }
    free(rows.row);
    return rc;
}

int run_figures_complete(struct store *s, struct error *e)
{
    struct run_rows rows = { 0 };
    int rc = store_each_unsummed(s, run_rows_add, &rows, e);

    for (size_t i = 0; i < rows.count && !rc; i++)
        rc = sum_up(s, rows.row[i], e);
    free(rows.row);
    return rc;
}
