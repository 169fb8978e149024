#include "ort/bursts.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "ort/profile.h"

#include <stdlib.h>
#include <string.h>

#define BURST_MOST  4096
#define EVENTS_MOST (1 << 22)
#define DEPTH_MOST  64

void bursts_add(struct burst_runs *b, uint64_t inference, uint64_t start_ns)
{
    if (b->count == BURST_MOST)
        return;
    if (b->count == b->cap) {
        b->cap = b->cap ? 2 * b->cap : 16;
        b->items = alloc_resize(b->items, b->cap * sizeof(*b->items));
    }
    b->items[b->count++] = (struct burst_run){ inference, start_ns };
}

void bursts_release(struct burst_runs *b)
{
    free(b->items);
    *b = (struct burst_runs){ 0 };
}

/* A node that ran; of which run shows when that ends. */
struct event {
    uint32_t operator_id;
    uint32_t thread;
    int64_t start_ns, end_ns;
};

struct burst_reader {
    const struct burst_runs *runs;
    uint32_t session;
    uint32_t *next_id;
    struct samples_sink sink;
    struct profile *profile;
    struct map operators; /* hash of name, index and shapes to our id */
    struct event *events;
    size_t count, cap;
    size_t run; /* how many have ended */
};

/* --- operators ------------------------------------------------------------ */

static uint64_t hash(uint64_t h, struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.p[i]) * UINT64_C(1099511628211);
    return h;
}

static const char *terminated(struct buf *b, struct str s)
{
    if (!s.len)
        return NULL;
    buf_add(b, s.p, s.len);
    return buf_cstr(b);
}

static void tell(struct burst_reader *r, uint32_t id,
        const struct profile_event *e)
{
    struct buf name = { 0 }, type = { 0 }, provider = { 0 }, in = { 0 },
               out = { 0 };
    struct operator o = {
        .id = id,
        .session = r->session,
        .name = terminated(&name, profile_node_name(e)),
        .op_type = terminated(&type, e->op_name),
        .provider = terminated(&provider, e->provider),
        .inputs = terminated(&in, e->input_type_shape),
        .outputs = terminated(&out, e->output_type_shape),
        .node_index = e->node_index >= 0 && e->node_index < UINT32_MAX
                              ? (uint32_t)e->node_index
                              : UINT32_MAX,
    };

    if (e->activation_size >= 0 && e->parameter_size >= 0 &&
            e->output_size >= 0) {
        o.sizes_known = true;
        o.activation_bytes = (uint64_t)e->activation_size;
        o.parameter_bytes = (uint64_t)e->parameter_size;
        o.output_bytes = (uint64_t)e->output_size;
    }
    r->sink.found(r->sink.context, &o);
    buf_release(&name);
    buf_release(&type);
    buf_release(&provider);
    buf_release(&in);
    buf_release(&out);
}

static uint32_t number_of(struct burst_reader *r, const struct profile_event *e)
{
    uint64_t key =
            hash(hash(UINT64_C(14695981039346656037) ^ (uint64_t)e->node_index,
                         profile_node_name(e)),
                    e->input_type_shape);
    uint64_t *known = map_find(&r->operators, key);

    if (known)
        return (uint32_t)*known;
    map_put(&r->operators, key, ++*r->next_id);
    tell(r, *r->next_id, e);
    return *r->next_id;
}

/* --- runs ----------------------------------------------------------------- */

static void keep(struct burst_reader *r, const struct profile_event *e)
{
    if (r->count == EVENTS_MOST || e->start_ns < 0 || e->duration_ns < 0)
        return;
    if (r->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 256;
        r->events = alloc_resize(r->events, r->cap * sizeof(*r->events));
    }
    r->events[r->count++] = (struct event){ number_of(r, e), (uint32_t)e->tid,
        e->start_ns, e->start_ns + e->duration_ns };
}

/* By thread, then as they began; of two that began together, the longer. */
static int by_start(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->end_ns > y->end_ns ? -1 : x->end_ns < y->end_ns;
}

/* How many of those before it, on its thread, are still open around it. */
static uint32_t depth_of(const struct event *e, const struct event **open,
        size_t *n)
{
    while (*n && (open[*n - 1]->thread != e->thread ||
                         open[*n - 1]->end_ns < e->end_ns ||
                         open[*n - 1]->end_ns <= e->start_ns))
        --*n;

    uint32_t depth = (uint32_t)*n;

    if (*n < DEPTH_MOST)
        open[(*n)++] = e;
    return depth;
}

struct told {
    struct operator_run run;
    int64_t end_ns;
};

/* Inner ones before those that they ran in, as they ended. */
static int by_end(const void *a, const void *b)
{
    const struct told *x = a, *y = b;

    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->run.depth > y->run.depth ? -1 : x->run.depth < y->run.depth;
}

static void close_run(struct burst_reader *r, const struct profile_event *run)
{
    int64_t run_end_ns = run->start_ns + run->duration_ns;
    const struct event *open[DEPTH_MOST];
    size_t open_count = 0, left = 0, count = 0;
    struct burst_run *known =
            r->run < r->runs->count ? &r->runs->items[r->run] : NULL;
    struct told *told = alloc_zero(r->count, sizeof(*told));

    r->run++;
    qsort(r->events, r->count, sizeof(*r->events), by_start);
    for (size_t i = 0; i < r->count; i++) {
        struct event e = r->events[i];

        if (e.start_ns < run->start_ns || e.end_ns > run_end_ns) {
            r->events[left++] = e; /* of a run beside this one */
            continue;
        }
        told[count].end_ns = e.end_ns;
        told[count].run = (struct operator_run){
            .operator_id = e.operator_id,
            .thread = e.thread,
            .depth = depth_of(&r->events[i], open, &open_count),
            .raw_ns = (uint64_t)(e.end_ns - e.start_ns),
        };
        if (known) {
            told[count].run.inference = known->inference;
            told[count].run.start_ns =
                    known->start_ns + (uint64_t)(e.start_ns - run->start_ns);
        }
        count++;
    }
    if (known) {
        qsort(told, count, sizeof(*told), by_end);
        for (size_t i = 0; i < count; i++)
            r->sink.ran(r->sink.context, &told[i].run);
    }
    r->count = left;
    free(told);
}

static void take(void *to, const struct profile_event *e)
{
    struct burst_reader *r = to;

    switch (profile_kind(e)) {
    case PROFILE_KERNEL: keep(r, e); break;
    case PROFILE_RUN: close_run(r, e); break;
    default: break;
    }
}

struct burst_reader *burst_reader_new(const struct burst_runs *runs,
        uint32_t session, uint32_t *next_operator_id,
        const struct samples_sink *sink)
{
    struct burst_reader *r = alloc_zero(1, sizeof(*r));

    r->runs = runs;
    r->session = session;
    r->next_id = next_operator_id;
    r->sink = *sink;
    r->profile = profile_new(take, r);
    return r;
}

void burst_reader_feed(void *reader, const void *bytes, size_t len)
{
    profile_feed(((struct burst_reader *)reader)->profile, bytes, len);
}

void burst_reader_end(struct burst_reader *r)
{
    (void)profile_end(r->profile);
    profile_free(r->profile);
    map_release(&r->operators);
    free(r->events);
    free(r);
}
