#include "etw/index.h"

#include "base/alloc.h"
#include "etw/bytes.h"
#include "etw/info.h"

#include <errno.h>
#include <stdlib.h>

/* Of a buffer, so much is enough for the time of its first record, also when
 * it is compressed. */
#define GLANCE_BYTES 1024
/* The first record: a TRACE_LOGFILE_HEADER and two names. */
#define FIRST_BYTES 65536

struct walk {
    struct etw_index *index;
    struct etw_source *source;
    struct etw_tally *tally;
    uint32_t stride; /* of a plain trace: all its buffers are as large */
};

static void add(struct etw_index *x, const struct etw_place *p)
{
    if (x->count == x->cap) {
        x->cap = x->cap ? 2 * x->cap : 64;
        x->places = alloc_resize(x->places, x->cap * sizeof(*x->places));
    }
    x->places[x->count++] = *p;
}

/* The time of the first record that has one. */
static int64_t first_time(const struct etw_index *x, const struct etw_place *p,
        const unsigned char *glance, size_t len)
{
    unsigned char plain[128];
    struct etw_record r;

    if (p->compressed) {
        size_t want = p->used - ETW_BUFFER_HEADER;
        int64_t got = etw_decompress(x->compression, plain,
                want < sizeof(plain) ? want : sizeof(plain), glance, len);

        if (got <= 0)
            return INT64_MAX;
        glance = plain;
        len = (size_t)got;
    } else if (len > p->used - ETW_BUFFER_HEADER)
        len = p->used - ETW_BUFFER_HEADER;
    /* The record itself need not be whole here; its header is. */
    if (len >= 0x18 && (glance[3] & 0xc0) == 0xc0) {
        bool perfinfo =
                glance[2] == ETW_PERFINFO32 || glance[2] == ETW_PERFINFO64;

        return (int64_t)get_u64(glance + (perfinfo ? 8 : 16));
    }
    return etw_record_parse(&r, glance, len) > 0 ? r.time : INT64_MAX;
}

/* Whether nothing but zeros, or what Windows fills with, is left: room that was
 * reserved and never used.  A look at the beginning is enough. */
static bool is_unused(const unsigned char *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i] != p[0] || (p[0] && p[0] != 0xff))
            return false;
    return len > 0;
}

/* No buffer begins here.  Returns how far to go; 0: that was all. */
static uint64_t resume(struct walk *w, uint64_t at, const unsigned char *glance,
        size_t len)
{
    uint64_t left = w->tally->bytes - at;

    if (is_unused(glance, len)) {
        w->tally->unused_bytes +=
                w->stride && w->stride < left ? w->stride : left;
        return w->stride && w->stride < left ? w->stride : 0;
    }
    if (w->stride && w->stride <= left) {
        w->tally->damaged_buffers++;
        w->tally->skipped_bytes += w->stride;
        return w->stride;
    }
    if (left < ETW_BUFFER_HEADER || w->stride)
        w->tally->cut_bytes += left;
    else {
        w->tally->damaged_buffers++;
        w->tally->skipped_bytes += left;
    }
    return 0;
}

/* One buffer.  Returns how far the next one is; 0: that was all. */
static uint64_t visit(struct walk *w, uint64_t at)
{
    unsigned char glance[GLANCE_BYTES];
    size_t len = etw_source_read(w->source, at, glance, sizeof(glance));
    struct etw_buffer b;
    uint64_t left = w->tally->bytes - at;

    if (len < ETW_BUFFER_HEADER || !etw_buffer_parse(&b, glance))
        return resume(w, at, glance, len);
    if (w->stride && b.bytes != w->stride && (b.bytes & 7 || b.bytes > left))
        return resume(w, at, glance, len);
    if (b.bytes > left) {
        w->tally->cut_bytes += left;
        return 0;
    }

    struct etw_place p = { .at = at,
        .bytes = b.bytes,
        .used = b.used,
        .processor = b.processor,
        .compressed = b.flags & ETW_BUFFER_COMPRESSED };

    if (len > b.bytes)
        len = b.bytes;
    p.first_time = first_time(w->index, &p, glance + ETW_BUFFER_HEADER,
            len - ETW_BUFFER_HEADER);
    w->tally->buffers++;
    w->tally->lossy_buffers +=
            (b.flags & (ETW_BUFFER_EVENTS_LOST | ETW_BUFFER_BUFFER_LOST)) != 0;
    add(w->index, &p);
    return b.bytes;
}

static int by_processor_and_time(const void *a, const void *b)
{
    const struct etw_place *x = a, *y = b;

    if (x->processor != y->processor)
        return x->processor < y->processor ? -1 : 1;
    if (x->first_time != y->first_time)
        return x->first_time < y->first_time ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* The first buffer: what the trace is. */
static int open_first(struct walk *w, struct etw_info *info)
{
    unsigned char *p = alloc_zero(1, FIRST_BYTES);
    size_t len = etw_source_read(w->source, 0, p, FIRST_BYTES);
    struct etw_buffer b;
    struct etw_record r;
    int rc = -EINVAL;

    if (etw_trace_recognise(p, len) && etw_buffer_parse(&b, p)) {
        size_t used = b.used < len ? b.used : len;

        rc = b.bytes > w->tally->bytes ? -ENODATA : -EINVAL;
        if (rc == -EINVAL && etw_record_parse(&r, p + ETW_BUFFER_HEADER,
                                     used - ETW_BUFFER_HEADER) > 0)
            rc = etw_info_parse(info, &r);
        w->index->compression = (enum etw_compression)(b.state & 0xffff);
    }
    if (!rc) {
        info->compression = info->mode & 0x04000000
                                    ? (uint8_t)w->index->compression
                                    : ETW_PLAIN;
        w->stride = info->compression ? 0 : b.bytes;
    }
    free(p);
    return rc;
}

int etw_index_build(struct etw_index *out, struct etw_source *s,
        struct etw_info *info, struct etw_tally *tally)
{
    struct walk w = { .index = out, .source = s, .tally = tally };
    uint64_t step;

    tally->bytes = etw_source_bytes(s);

    int rc = open_first(&w, info);

    if (rc)
        return rc;
    for (uint64_t at = 0; at < tally->bytes && (step = visit(&w, at));)
        at += step;
    if (out->count)
        qsort(out->places, out->count, sizeof(*out->places),
                by_processor_and_time);
    return 0;
}

void etw_index_release(struct etw_index *x)
{
    free(x->places);
    *x = (struct etw_index){ 0 };
}
