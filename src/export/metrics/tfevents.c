/* tfevents.c -- a record is:
 *
 *     8 bytes   length, little-endian
 *     4         masked CRC-32C of these 8
 *     length    the Event
 *     4         masked CRC-32C of it */
#include "export/metrics/tfevents.h"

#include "base/alloc.h"
#include "base/pb.h"
#include "export/metrics/crc32c.h"

#include <stdlib.h>
#include <string.h>

#define FLUSH_BYTES 65536

struct tfevents {
    struct sink *to;
    struct buf out;
    struct buf event;
};

static void record(struct tfevents *t)
{
    struct buf *out = &t->out;
    size_t head = out->len;

    pb_add_fixed64(out, t->event.len);
    pb_add_fixed32(out, crc32c_masked((struct str){ out->p + head, 8 }));
    buf_add(out, t->event.p, t->event.len);
    pb_add_fixed32(out, crc32c_masked(buf_str(&t->event)));
    if (out->len >= FLUSH_BYTES) {
        sink_write(t->to, buf_str(out));
        buf_clear(out);
    }
}

static void begin_event(struct tfevents *t, uint64_t wall_ns, int64_t step)
{
    buf_clear(&t->event);
    pb_double(&t->event, 1, (double)wall_ns / 1e9);
    pb_i64(&t->event, 2, step);
}

struct tfevents *tfevents_new(struct sink *to, uint64_t wall_ns)
{
    struct tfevents *t = alloc_zero(1, sizeof(*t));

    t->to = to;
    begin_event(t, wall_ns, 0);
    pb_text(&t->event, 3, "brain.Event:2");

    size_t source = pb_begin(&t->event, 10);

    pb_text(&t->event, 1, "ortmeter");
    pb_end(&t->event, source);
    record(t);
    return t;
}

void tfevents_free(struct tfevents *t)
{
    if (!t)
        return;
    sink_write(t->to, buf_str(&t->out));
    buf_release(&t->out);
    buf_release(&t->event);
    free(t);
}

void tfevents_scalar(struct tfevents *t, uint64_t wall_ns, int64_t step,
        const char *tag, double value)
{
    begin_event(t, wall_ns, step);

    size_t summary = pb_begin(&t->event, 5);
    size_t entry = pb_begin(&t->event, 1);

    pb_text(&t->event, 1, tag);
    pb_float(&t->event, 2, (float)value);
    pb_end(&t->event, entry);
    pb_end(&t->event, summary);
    record(t);
}

static void add_double(struct buf *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    pb_add_fixed64(out, bits);
}

/* Right ends, and counts.  Where values are missing between two buckets, an
 * empty one stands; never at the ends, which some readers do not bear. */
static void buckets(struct buf *limits, struct buf *counts,
        const struct hist *h, double per_unit)
{
    struct hist_range r;
    unsigned at = 0;
    uint64_t end = 0;

    while (hist_next(h, &at, &r)) {
        if (limits->len && r.least > end) {
            add_double(limits, (double)r.least / per_unit);
            add_double(counts, 0);
        }
        end = r.greatest < UINT64_MAX ? r.greatest + 1 : r.greatest;
        add_double(limits, (double)end / per_unit);
        add_double(counts, (double)r.count);
    }
}

void tfevents_histogram(struct tfevents *t, uint64_t wall_ns, int64_t step,
        const char *tag, const struct hist *h, double squares, double per_unit)
{
    struct buf limits = { 0 }, counts = { 0 };
    struct buf *out = &t->event;

    if (!h->count)
        return;
    begin_event(t, wall_ns, step);

    size_t summary = pb_begin(out, 5);
    size_t entry = pb_begin(out, 1);

    pb_text(out, 1, tag);

    size_t histogram = pb_begin(out, 5);

    pb_double(out, 1, (double)h->min / per_unit);
    pb_double(out, 2, (double)h->max / per_unit);
    pb_double(out, 3, (double)h->count);
    pb_double(out, 4, h->sum / per_unit);
    pb_double(out, 5, squares / per_unit / per_unit);
    buckets(&limits, &counts, h, per_unit);
    pb_str(out, 6, buf_str(&limits));
    pb_str(out, 7, buf_str(&counts));
    pb_end(out, histogram);
    pb_end(out, entry);
    pb_end(out, summary);
    record(t);
    buf_release(&limits);
    buf_release(&counts);
}
