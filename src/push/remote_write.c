/* remote_write.c -- prometheus.io/docs/specs/remote_write_spec:
 *
 *     WriteRequest  1 series*
 *     TimeSeries    1 labels*  2 samples*
 *     Label         1 name  2 value
 *     Sample        1 value  2 milliseconds
 *
 * Labels are in the order of their names, each once and none empty. */
#include "push/remote_write.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/pb.h"
#include "push/snappy.h"

#include <stdlib.h>
#include <string.h>

#define LABELS_MAX (FIGURE_LABELS_MAX + 6)

struct label {
    const char *name, *value;
};

struct request {
    struct buf *out;
    const struct run_metrics_about *about;
    int64_t now_ms;
    uint64_t samples;
};

/* --- a request ------------------------------------------------------------ */

static int by_name(const void *left, const void *right)
{
    const struct label *a = left, *b = right;

    return strcmp(a->name, b->name);
}

static size_t gather(struct label label[LABELS_MAX], const struct request *r,
        const struct figure *f, const char *bound)
{
    size_t n = 0;

    label[n++] = (struct label){ "job", "ortmeter" };
    label[n++] = (struct label){ "run", r->about->run };
    if (r->about->host_name && *r->about->host_name)
        label[n++] = (struct label){ "instance", r->about->host_name };
    if (bound)
        label[n++] = (struct label){ "le", bound };
    if (f->method != READING_MEASURED)
        label[n++] = (struct label){ "method", reading_method_name(f->method) };
    for (size_t i = 0; i < f->label_count; i++)
        label[n++] = (struct label){ f->label[i].name, f->label[i].value };
    qsort(label, n, sizeof(*label), by_name);
    return n;
}

static void add_label(struct buf *out, const char *name, const char *value)
{
    size_t label = pb_begin(out, 1);

    pb_text(out, 1, name);
    pb_text(out, 2, value);
    pb_end(out, label);
}

static void add_sample(struct request *r, const struct figure *f, double value)
{
    uint64_t own_ns = r->about->started_wall_ns + f->time_ns;
    size_t one = pb_begin(r->out, 2);

    pb_double(r->out, 1, value);
    pb_i64(r->out, 2, f->time_ns ? (int64_t)(own_ns / 1000000) : r->now_ms);
    pb_end(r->out, one);
    r->samples++;
}

/* A series, of which the samples are still to come. */
static size_t begin(struct request *r, const struct figure *f,
        const char *ending, const char *bound)
{
    struct label label[LABELS_MAX];
    size_t count = gather(label, r, f, bound);
    struct buf name = { 0 };
    size_t series = pb_begin(r->out, 1);

    buf_printf(&name, "ortmeter_%s%s", metric_table[f->metric].name, ending);
    add_label(r->out, "__name__", buf_cstr(&name)); /* '_' is before letters */
    buf_release(&name);
    for (size_t i = 0; i < count; i++)
        add_label(r->out, label[i].name, label[i].value);
    return series;
}

static void sample(struct request *r, const struct figure *f,
        const char *ending, const char *bound, double value)
{
    size_t series = begin(r, f, ending, bound);

    add_sample(r, f, value);
    pb_end(r->out, series);
}

/* All figures of the series of the first; returns how many. */
static size_t numbers(struct request *r, const struct figure *f, size_t count)
{
    size_t series = begin(r, f, "", NULL), i = 0;

    do
        add_sample(r, &f[i], f[i].value);
    while (++i < count && figure_same_series(f, &f[i]));
    pb_end(r->out, series);
    return i;
}

static void histogram(struct request *r, const struct figure *f)
{
    const struct buckets *b = f->buckets;
    struct buf bound = { 0 };
    uint64_t below = 0;

    for (size_t i = 0; i < b->bounds->count; i++) {
        struct json j = json_line_into(&bound);

        buf_clear(&bound);
        json_real(&j, NULL, buckets_bound(b, i));
        below += b->counts[i];
        sample(r, f, "_bucket", buf_cstr(&bound), (double)below);
    }
    buf_release(&bound);
    sample(r, f, "_bucket", "+Inf", (double)b->count);
    sample(r, f, "_sum", NULL, buckets_sum(b));
    sample(r, f, "_count", NULL, (double)b->count);
}

uint64_t remote_write_request(struct buf *out,
        const struct run_metrics_about *about, const struct figure_list *list,
        int64_t now_ms)
{
    struct request r = { out, about, now_ms, 0 };

    for (size_t i = 0; i < list->count;) {
        if (list->items[i].buckets)
            histogram(&r, &list->items[i++]);
        else
            i += numbers(&r, &list->items[i], list->count - i);
    }
    return r.samples;
}

/* --- sending -------------------------------------------------------------- */

struct remote_write {
    struct sender *sender;
    int64_t last_ms;
};

static void pack(void *context, struct buf *out, struct str body)
{
    (void)context;
    snappy_compress(out, body);
}

/* What is wrong with a sample does not change by sending it again. */
static bool again(int status)
{
    return status == 429 || status / 100 == 5;
}

int remote_write_start(struct remote_write **out, const char *url,
        struct error *e)
{
    static const char *const headers[] = {
        "Content-Type: application/x-protobuf",
        "Content-Encoding: snappy",
        "X-Prometheus-Remote-Write-Version: 0.1.0",
        NULL,
    };
    struct remote_write *w = alloc_zero(1, sizeof(*w));
    int rc = sender_start(&w->sender,
            &(struct sender_plan){
                    .url = url,
                    .headers = headers,
                    .spool_bytes = SENDER_SPOOL_BYTES,
                    .timeout_ms = SENDER_TIMEOUT_MS,
                    .drain_ms = SENDER_DRAIN_MS,
                    .pack = pack,
                    .again = again,
            },
            e);

    if (rc) {
        free(w);
        return rc;
    }
    *out = w;
    return 0;
}

void remote_write_push(struct remote_write *w,
        const struct run_metrics_about *about, const struct figure_list *list,
        uint64_t now_wall_ns)
{
    int64_t now_ms = (int64_t)(now_wall_ns / 1000000);
    struct buf body = { 0 };

    /* A series has one sample at a time, and the clock may be set back. */
    if (now_ms <= w->last_ms)
        now_ms = w->last_ms + 1;
    w->last_ms = now_ms;

    uint64_t samples = remote_write_request(&body, about, list, now_ms);

    sender_put(w->sender, &body, samples);
}

void remote_write_finish(struct remote_write *w)
{
    if (w)
        sender_finish(w->sender);
}

void remote_write_stop(struct remote_write *w, struct sender_outcome *out)
{
    if (!w)
        return;
    sender_stop(w->sender, out);
    free(w);
}
