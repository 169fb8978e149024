#include "etw/trace.h"

#include "base/alloc.h"
#include "etw/bytes.h"
#include "etw/index.h"
#include "etw/info.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* One processor's buffers, one after the other. */
struct lane {
    size_t next, end; /* places in the index */
    struct etw_view view;
    unsigned char *plain; /* of a compressed buffer */
    size_t plain_cap;
    const unsigned char *p; /* records, of which `len` bytes are left */
    size_t len;
    int64_t last_time; /* for records that tell none */
    struct etw_record record;
};

struct etw_trace {
    struct etw_source *source;
    struct etw_info info;
    struct etw_tally tally;
    struct etw_index index;
    struct lane *lanes;
    size_t lane_count;
    struct lane **heap; /* those with a record, the earliest first */
    size_t heap_len;
    bool taken; /* the first of the heap was given out */
    bool shortened;
};

/* --- a lane ----------------------------------------------------------------
 */

static void leave(struct etw_trace *t, struct lane *l)
{
    if (l->view.p && !etw_view_unmap(&l->view))
        t->shortened = true;
    l->p = NULL;
    l->len = 0;
}

static void damaged(struct etw_trace *t, size_t bytes)
{
    t->tally.damaged_buffers++;
    t->tally.skipped_bytes += bytes;
}

static void unpack(struct etw_trace *t, struct lane *l,
        const struct etw_place *x)
{
    size_t want = x->used - ETW_BUFFER_HEADER;

    if (l->plain_cap < want) {
        l->plain = alloc_resize(l->plain, want);
        l->plain_cap = want;
    }

    int64_t got = etw_decompress(t->index.compression, l->plain, want,
            l->view.p + ETW_BUFFER_HEADER, x->bytes - ETW_BUFFER_HEADER);

    l->p = l->plain;
    l->len = got > 0 ? (size_t)got : 0;
    if (got < (int64_t)want)
        damaged(t, want - l->len);
}

/* Windows fills what is left of a buffer with 0xff, others with zeros.  Returns
 * how many bytes there are something else. */
static size_t not_fill(const unsigned char *p, size_t len)
{
    while (len && (p[len - 1] == 0xff || p[len - 1] == 0))
        len--;
    return len;
}

/* Goes to the lane's next buffer.  False: there is none. */
static bool enter(struct etw_trace *t, struct lane *l)
{
    leave(t, l);
    if (l->next == l->end || t->shortened)
        return false;

    const struct etw_place *x = &t->index.places[l->next++];

    if (etw_view_map(&l->view, t->source, x->at, x->bytes)) {
        damaged(t, x->bytes);
        return true;
    }
    t->tally.uncompressed_bytes += x->used;
    if (x->compressed)
        unpack(t, l, x);
    else {
        size_t hidden = not_fill(l->view.p + x->used, x->bytes - x->used);

        l->p = l->view.p + ETW_BUFFER_HEADER;
        l->len = x->used - ETW_BUFFER_HEADER;
        if (hidden)
            damaged(t, hidden);
    }
    return true;
}

/* Reads the lane's next record.  False: there are no more. */
static bool advance(struct etw_trace *t, struct lane *l)
{
    for (;;) {
        int64_t got = etw_record_parse(&l->record, l->p, l->len);

        if (got > 0) {
            l->p += got;
            l->len -= (size_t)got;
            l->record.processor = t->index.places[l->next - 1].processor;
            if (l->record.kind == ETW_WPP && !l->record.time)
                l->record.time = l->last_time;
            l->last_time = l->record.time;
            return true;
        }
        if (got < 0 || not_fill(l->p, l->len))
            damaged(t, l->len);
        if (!enter(t, l))
            return false;
    }
}

/* --- the merge -------------------------------------------------------------
 */

static bool earlier(const struct lane *a, const struct lane *b)
{
    if (a->record.time != b->record.time)
        return a->record.time < b->record.time;
    return a < b;
}

/* Puts the first of the heap where it belongs. */
static void sift(struct etw_trace *t)
{
    struct lane **h = t->heap, *moved = h[0];
    size_t at = 0, child;

    while ((child = 2 * at + 1) < t->heap_len) {
        if (child + 1 < t->heap_len && earlier(h[child + 1], h[child]))
            child++;
        if (!earlier(h[child], moved))
            break;
        h[at] = h[child];
        at = child;
    }
    h[at] = moved;
}

static void push(struct etw_trace *t, struct lane *l)
{
    struct lane **h = t->heap;
    size_t at = t->heap_len++;

    while (at && earlier(l, h[(at - 1) / 2])) {
        h[at] = h[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    h[at] = l;
}

const struct etw_record *etw_trace_next(struct etw_trace *t)
{
    if (t->taken) {
        if (!advance(t, t->heap[0]))
            t->heap[0] = t->heap[--t->heap_len];
        if (t->heap_len)
            sift(t);
    }
    t->taken = t->heap_len > 0;
    if (!t->taken)
        return NULL;
    t->tally.records++;
    t->tally.messages += t->heap[0]->record.kind == ETW_WPP;
    return &t->heap[0]->record;
}

/* --- open and close --------------------------------------------------------
 */

static void make_lanes(struct etw_trace *t)
{
    const struct etw_place *x = t->index.places;

    for (size_t i = 0; i < t->index.count; i++)
        t->lane_count += !i || x[i].processor != x[i - 1].processor;
    t->lanes = alloc_zero(t->lane_count, sizeof(*t->lanes));
    t->heap = alloc_zero(t->lane_count, sizeof(struct lane *));

    struct lane *l = t->lanes - 1;

    for (size_t i = 0; i < t->index.count; i++) {
        if (!i || x[i].processor != x[i - 1].processor)
            (++l)->next = i;
        l->end = i + 1;
    }
    for (size_t i = 0; i < t->lane_count; i++)
        if (advance(t, &t->lanes[i]))
            push(t, &t->lanes[i]);
}

static int start(struct etw_trace **out, struct etw_source *source,
        const char *name, struct error *e)
{
    struct etw_trace *t = alloc_zero(1, sizeof(*t));

    t->source = source;

    int rc = etw_index_build(&t->index, source, &t->info, &t->tally);

    if (rc) {
        etw_trace_close(t);
        return fail(e, rc,
                rc == -ENODATA ? "%.160s ends within its first buffer: nothing "
                                 "of it can be read"
                               : "%.160s is not an ETW trace, or its beginning "
                                 "is damaged",
                name);
    }
    make_lanes(t);
    *out = t;
    return 0;
}

int etw_trace_open(struct etw_trace **out, const char *path, struct error *e)
{
    struct etw_source *source;
    int rc = etw_source_open(&source, path, e);

    return rc ? rc : start(out, source, path, e);
}

int etw_trace_open_bytes(struct etw_trace **out, const unsigned char *bytes,
        size_t len, const char *name, struct error *e)
{
    return start(out, etw_source_of(bytes, len), name, e);
}

void etw_trace_close(struct etw_trace *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->lane_count; i++) {
        leave(t, &t->lanes[i]);
        free(t->lanes[i].plain);
    }
    free(t->lanes);
    free(t->heap);
    etw_index_release(&t->index);
    etw_info_release(&t->info);
    etw_source_close(t->source);
    free(t);
}

const struct etw_info *etw_trace_info(const struct etw_trace *t)
{
    return &t->info;
}

const struct etw_tally *etw_trace_tally(const struct etw_trace *t)
{
    return &t->tally;
}

void etw_trace_missing(struct buf *out, const struct etw_trace *t)
{
    const struct etw_tally *y = &t->tally;

    if (t->shortened)
        buf_text(out, "The file became shorter while it was read.  ");
    if (y->cut_bytes)
        buf_printf(out,
                "The trace is cut: its last %" PRIu64
                " bytes are no whole buffer and were not read.  ",
                y->cut_bytes);
    if (y->damaged_buffers)
        buf_printf(out,
                "%" PRIu64 " buffer%s damaged: %" PRIu64
                " bytes were passed over.  ",
                y->damaged_buffers, y->damaged_buffers == 1 ? " is" : "s are",
                y->skipped_bytes);
    if (t->info.events_lost || t->info.buffers_lost || y->lossy_buffers)
        buf_printf(out,
                "Windows lost %" PRIu32 " events and %" PRIu32
                " buffers while it recorded.  ",
                t->info.events_lost, t->info.buffers_lost);
}

bool etw_trace_recognise(const unsigned char *head, size_t len)
{
    struct etw_buffer b;

    return len > ETW_BUFFER_HEADER + 0x20 && etw_buffer_parse(&b, head) &&
           b.type == ETW_BUFFER_TYPE_HEADER &&
           !(b.flags & ETW_BUFFER_COMPRESSED) &&
           (head[ETW_BUFFER_HEADER + 2] == ETW_SYSTEM32 ||
                   head[ETW_BUFFER_HEADER + 2] == ETW_SYSTEM64);
}
