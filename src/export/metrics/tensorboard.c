/* tensorboard.c -- a run for TensorBoard: the latency of every inference as a
 * scalar, the spread of those that count (analyse/counting.h) along the run as
 * histograms, and the run's figures.
 *
 * Steps count the inferences of a session from 1.  TensorBoard reads files
 * whose names contain "tfevents", and calls a run by its folder. */
#include "analyse/summary.h"
#include "base/alloc.h"
#include "base/map.h"
#include "export/formats.h"
#include "export/metrics/run_metrics.h"
#include "export/metrics/tfevents.h"
#include "export/subject_book.h"

#include <math.h>
#include <stdlib.h>

/* A session has so many histograms, or fewer of at least so many values. */
#define WINDOWS    30
#define WINDOW_MIN 10

/* A session. */
struct latencies {
    char *tag;
    uint64_t count;  /* of all its inferences that did not fail */
    uint64_t window; /* so many make a histogram */
    uint64_t step;
    struct hist hist;
    double squares;
};

struct board {
    struct tfevents *to;
    struct counting *counting;
    struct map series; /* session to struct latencies */
    struct subject_book subjects;
    struct map steps; /* of readings: metric and subject to their count */
    struct buf tag;
    uint64_t started_ns, ended_ns; /* Unix time */
};

static struct latencies *series_of(struct board *b, uint32_t session)
{
    const uint64_t *found = map_find(&b->series, session);

    if (found)
        return (struct latencies *)(uintptr_t)*found;

    struct latencies *x = alloc_zero(1, sizeof(*x));

    map_put(&b->series, session, (uintptr_t)x);
    return x;
}

static void name_series(struct latencies *x, uint32_t session, const char *path)
{
    char *model = path ? summary_model_name(path) : NULL;
    struct buf tag = { 0 };

    free(x->tag);
    buf_printf(&tag, "%s/%u",
            metric_table[METRIC_inference_duration_seconds].name, session);
    if (model)
        buf_printf(&tag, " %s", model);
    x->tag = alloc_text(buf_cstr(&tag));
    buf_release(&tag);
    free(model);
}

static void take_session(void *to, const struct session *s)
{
    name_series(series_of(to, s->id), s->id, s->model);
}

static void count_inference(void *to, const struct inference *i)
{
    struct latencies *x = series_of(to, i->session);

    if (!x->tag)
        name_series(x, i->session, NULL);
    x->count += !(i->flags & FLAG_FAILED);
}

static void set_windows(struct board *b)
{
    for (size_t i = 0; i < b->series.cap; i++) {
        if (!b->series.entries[i].used)
            continue;

        struct latencies *x =
                (struct latencies *)(uintptr_t)b->series.entries[i].value;

        x->window = (x->count + WINDOWS - 1) / WINDOWS;
        if (x->window < WINDOW_MIN)
            x->window = WINDOW_MIN;
    }
}

static void take_inference(void *to, const struct inference *i)
{
    struct board *b = to;
    struct latencies *x = series_of(b, i->session);
    uint64_t end_ns = b->started_ns + i->start_ns + i->duration_ns;
    double value = (double)i->duration_ns;

    if (i->flags & FLAG_FAILED)
        return;
    x->step++;
    tfevents_scalar(b->to, end_ns, (int64_t)x->step, x->tag, value / 1e9);
    if (counting_of(b->counting, i) != LEFT_OUT) {
        hist_add(&x->hist, i->duration_ns);
        x->squares += value * value;
    }
    if (!x->hist.count || (x->hist.count < x->window && x->step < x->count))
        return;
    tfevents_histogram(b->to, end_ns, (int64_t)x->step, x->tag, &x->hist,
            x->squares, 1e9);
    x->hist = (struct hist){ 0 };
    x->squares = 0;
}

static void take_reading(void *to, const struct reading *r)
{
    struct board *b = to;
    uint64_t key = (uint64_t)r->metric << 32 | r->subject;
    const uint64_t *before = map_find(&b->steps, key);
    uint64_t step = before ? *before + 1 : 1;

    if (!isfinite(r->value))
        return;
    map_put(&b->steps, key, step);
    buf_clear(&b->tag);
    buf_printf(&b->tag, "%s/",
            metric_scope_name(metric_table[r->metric].scope));
    subject_add_series(&b->tag, &b->subjects, (enum metric_id)r->metric,
            r->subject);
    tfevents_scalar(b->to, b->started_ns + r->time_ns, (int64_t)step,
            buf_cstr(&b->tag), r->value);
}

/* Figures of the whole run, at its end. */
static void write_figures(struct board *b, const struct figure_list *list)
{
    struct buf tag = { 0 };

    for (size_t i = 0; i < list->count; i++) {
        const struct figure *f = &list->items[i];
        const struct metric *m = &metric_table[f->metric];

        if (f->buckets || m->kind == METRIC_INFO || f->sampled)
            continue;
        buf_clear(&tag);
        buf_printf(&tag, "%s/%s", metric_scope_name(m->scope), m->name);
        for (size_t j = 0; j < f->label_count; j++)
            buf_printf(&tag, " %s=%s", f->label[j].name, f->label[j].value);
        tfevents_scalar(b->to, b->ended_ns, 0, buf_cstr(&tag), f->value);
    }
    buf_release(&tag);
}

static void take_run(void *to, const struct run *r)
{
    struct board *b = to;

    b->started_ns = r->started_wall_ns;
    b->ended_ns = r->started_wall_ns + r->duration_ns;
}

static int write_all(struct board *b, struct store *s, int64_t run,
        struct error *e)
{
    struct run_metrics *figures = NULL;
    struct figure_list list = { 0 };
    int rc = counting_read(&b->counting, s, run, e);

    if (!rc)
        rc = store_each_session(s, run, take_session, b, e);
    if (!rc)
        rc = store_each_inference(s, run, count_inference, b, e);
    set_windows(b);
    if (!rc)
        rc = store_each_inference(s, run, take_inference, b, e);
    if (!rc)
        rc = subject_book_read(&b->subjects, s, run, e);
    if (!rc)
        rc = store_each_reading(s, run, take_reading, b, e);
    if (!rc)
        rc = run_metrics_read(&figures, &list, s, run, e);
    if (!rc)
        write_figures(b, &list);
    figure_list_release(&list);
    run_metrics_free(figures);
    return rc;
}

static void release(struct board *b)
{
    for (size_t i = 0; i < b->series.cap; i++)
        if (b->series.entries[i].used) {
            struct latencies *x =
                    (struct latencies *)(uintptr_t)b->series.entries[i].value;

            free(x->tag);
            free(x);
        }
    map_release(&b->series);
    map_release(&b->steps);
    subject_book_release(&b->subjects);
    buf_release(&b->tag);
    counting_free(b->counting);
    tfevents_free(b->to);
}

static EXPORT_WRITE(write)
{
    struct board b = { 0 };
    int rc = store_read_run(s, run, take_run, &b, e);

    if (!rc) {
        b.to = tfevents_new(to, b.started_ns);
        rc = write_all(&b, s, run, e);
    }
    release(&b);
    return rc;
}

const struct export_format export_tensorboard = {
    .name = "tensorboard",
    .about = "scalars and histograms for TensorBoard: an event file",
    .ending = ".tfevents",
    .binary = true,
    .write = write,
};
