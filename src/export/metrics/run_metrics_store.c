/* run_metrics_store.c -- all that is known of a stored run: what is counted as
 * things happen, and what only its summary can tell. */
#include "export/metrics/run_metrics.h"

#include "analyse/counting.h"
#include "analyse/summary.h"
#include "export/metrics/readings.h"
#include "store/replay.h"

#include <math.h>

static void take_process(void *to, const struct process *p)
{
    run_metrics_process(to, p);
}

static void take_library(void *to, const struct library *l)
{
    run_metrics_library(to, l);
}

static void take_session(void *to, const struct session *x)
{
    run_metrics_session(to, x);
}

static void take_inference(void *to, const struct inference *i)
{
    run_metrics_inference(to, i);
}

static int read_rows(struct run_metrics *f, struct store *s, int64_t run,
        struct error *e)
{
    const struct subscriber to = { .context = f,
        .process = take_process,
        .library = take_library,
        .session = take_session,
        .inference = take_inference };
    struct counting *counting = NULL;
    int rc = counting_read(&counting, s, run, e);

    if (!rc)
        run_metrics_counting(f, counting);
    if (!rc)
        rc = store_replay_to(s, run, &to, e);
    run_metrics_end(f);
    return rc;
}

/* What is not known is left out: NaN. */
static void seconds(struct figure_list *out, enum metric_id metric, double ns)
{
    if (!isnan(ns))
        (void)figure_add(out, metric, ns / 1e9);
}

static void latency(struct figure_list *out, const struct spread_figures *l)
{
    if (!l->count)
        return;
    (void)figure_add(out, METRIC_timed_inferences, (double)l->count);
    seconds(out, METRIC_inference_duration_mean_seconds, l->mean);
    seconds(out, METRIC_inference_duration_median_seconds, l->median);
    seconds(out, METRIC_inference_duration_min_seconds, l->min);
    seconds(out, METRIC_inference_duration_max_seconds, l->max);
    if (l->count > 1)
        seconds(out, METRIC_inference_duration_stddev_seconds, l->stddev);
    if (l->pairs)
        seconds(out, METRIC_inference_duration_jitter_seconds, l->jitter);
    seconds(out, METRIC_inference_duration_p50_seconds, l->p50);
    seconds(out, METRIC_inference_duration_p90_seconds, l->p90);
    seconds(out, METRIC_inference_duration_p95_seconds, l->p95);
    seconds(out, METRIC_inference_duration_p99_seconds, l->p99);
    seconds(out, METRIC_inference_duration_p99_9_seconds, l->p99_9);
}

static void throughput(struct figure_list *out, const struct summary *s)
{
    const struct summary_tokens *t = &s->tokens;
    double busy_s = s->last_end_ns > s->first_start_ns
                            ? (double)(s->last_end_ns - s->first_start_ns) / 1e9
                            : 0;

    /* Of a sweep it would be of several things at once. */
    if (s->inferences > s->failed && busy_s > 0 && !s->sweep.count) {
        (void)figure_add(out, METRIC_inferences_per_second,
                (double)(s->inferences - s->failed) / busy_s);
        (void)figure_add(out, METRIC_frames_per_second, s->samples / busy_s);
    }
    if (t->generations && t->busy_ns > 0)
        (void)figure_add(out, METRIC_tokens_per_second,
                (double)t->count / (t->busy_ns / 1e9));
    if (s->warmup.known)
        (void)figure_add(out, METRIC_warmup_inferences,
                (double)s->warmup.count);
    if (s->warmup.known && s->warmup.count)
        seconds(out, METRIC_warmup_duration_mean_seconds, s->warmup.mean_ns);
}

int run_metrics_read(struct run_metrics **f, struct figure_list *out,
        struct store *s, int64_t run, struct error *e)
{
    struct summary summary;
    int rc = summary_read(&summary, s, run, e);

    if (rc)
        return rc;

    struct run_metrics *made = run_metrics_new(&summary.run);

    rc = read_rows(made, s, run, e);
    if (!rc)
        rc = readings_read(out, s, run, e);
    if (rc) {
        figure_list_release(out);
        run_metrics_free(made);
    } else {
        run_metrics_meter(made, summary.run.meter_cpu_ns,
                summary.run.meter_rss_bytes);
        run_metrics_collect(made, out);
        latency(out, &summary.latency);
        throughput(out, &summary);
        figure_list_sort(out);
        *f = made;
    }
    summary_release(&summary);
    return rc;
}
