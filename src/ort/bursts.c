#include "ort/bursts.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "ort/profile.h"

#include <stdlib.h>
#include <string.h>

#define BURST_MOST  4096
#define EVENTS_MOST (1 << 22)
#define DEPTH_MOST  64
#define BESIDE_MOST 64 /* runs at the same time */

/* Times are cut to whole microseconds: what ends within something may seem to
 * end so much later. */
#define CUT_NS 1000

/* A run begins for ONNX Runtime a little later than for us, when it has looked
 * at the inputs. */
#define SLACK_NS INT64_C(5000000)

void bursts_add(struct burst_runs *b, const struct burst_run *run)
{
    if (b->count == BURST_MOST)
        return;
    if (b->count == b->cap) {
        b->cap = b->cap ? 2 * b->cap : 16;
        b->items = alloc_resize(b->items, b->cap * sizeof(*b->items));
    }
    b->items[b->count++] = *run;
}

void bursts_release(struct burst_runs *b)
{
    free(b->items);
    *b = (struct burst_runs){ 0 };
}

#define NOBODY SIZE_MAX

/* A node that ran, or a run itself. */
struct event {
    uint32_t operator_id;
    uint32_t thread;
    int64_t start_ns, end_ns;
    size_t of; /* a node: of that run; a run: it is that one of ours */
};

struct events {
    struct event *items;
    size_t count, cap;
};

struct burst_reader {
    struct burst_runs known; /* in the order of their start */
    uint32_t session;
    uint32_t *next_id;
    struct samples_sink sink;
    struct profile *profile;
    struct map operators; /* hash of name, index and shapes to our id */
    struct events nodes, runs;
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

/* --- reading -------------------------------------------------------------- */

static void keep(struct events *all, size_t most, const struct profile_event *e,
        uint32_t operator_id)
{
    if (all->count == most)
        return;
    if (all->count == all->cap) {
        all->cap = all->cap ? 2 * all->cap : 256;
        all->items = alloc_resize(all->items, all->cap * sizeof(*all->items));
    }
    all->items[all->count++] = (struct event){ operator_id, (uint32_t)e->tid,
        e->start_ns, e->start_ns + e->duration_ns, NOBODY };
}

static void take(void *to, const struct profile_event *e)
{
    struct burst_reader *r = to;

    if (e->start_ns < 0 || e->duration_ns < 0)
        return;
    switch (profile_kind(e)) {
    case PROFILE_KERNEL:
        keep(&r->nodes, EVENTS_MOST, e, number_of(r, e));
        break;
    case PROFILE_RUN: keep(&r->runs, BURST_MOST, e, 0); break;
    default: break;
    }
}

static int compare(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* By run and thread, then as they began; of two that began together, the
 * longer. */
static int by_start(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->start_ns != y->start_ns ? compare(x->start_ns, y->start_ns)
                                      : compare(y->end_ns, x->end_ns);
}

static int by_time(const void *a, const void *b)
{
    return compare(((const struct event *)a)->start_ns,
            ((const struct event *)b)->start_ns);
}

static int by_known_time(const void *a, const void *b)
{
    return compare((int64_t)((const struct burst_run *)a)->start_ns,
            (int64_t)((const struct burst_run *)b)->start_ns);
}

/* --- which run in the file is which of ours ------------------------------- */

/* Of those within reach: one of the same thread, or else the nearest. */
static size_t nearest(const struct burst_reader *r, const struct event *run,
        int64_t offset_ns, const bool *taken, size_t *first)
{
    int64_t at = run->start_ns + offset_ns, best_off = 2 * SLACK_NS;
    size_t best = NOBODY;

    while (*first < r->known.count &&
            (int64_t)r->known.items[*first].start_ns < at - SLACK_NS)
        ++*first;
    for (size_t i = *first; i < r->known.count; i++) {
        const struct burst_run *k = &r->known.items[i];
        int64_t off = llabs((int64_t)k->start_ns - at);

        if ((int64_t)k->start_ns > at + SLACK_NS)
            break;
        off += k->thread == run->thread ? 0 : SLACK_NS;
        if (!taken[i] && off < best_off) {
            best = i;
            best_off = off;
        }
    }
    return best;
}

/* If the file's clock began that long after ours: says whose each run is, and
 * returns how badly that fits. */
static int64_t match(struct burst_reader *r, int64_t offset_ns)
{
    bool *taken = alloc_zero(r->known.count, sizeof(*taken));
    int64_t misfit = 0;
    size_t first = 0;

    for (size_t i = 0; i < r->runs.count; i++) {
        struct event *run = &r->runs.items[i];
        size_t k = nearest(r, run, offset_ns, taken, &first);

        run->of = k;
        if (k == NOBODY) {
            misfit += SLACK_NS;
            continue;
        }
        taken[k] = true;
        misfit += llabs((int64_t)r->known.items[k].start_ns - offset_ns -
                        run->start_ns);
    }
    free(taken);
    return misfit;
}

/* The profile has a clock of its own, and not every run that we know: one whose
 * inputs were refused is not in it.  But the times between runs are the same,
 * so the offset is that with which they fit best; one of the first runs gives
 * it. */
static void match_runs(struct burst_reader *r)
{
    int64_t best = INT64_MAX, offset_ns = 0;

    for (size_t i = 0; i < r->runs.count && i < 4; i++)
        for (size_t k = 0; k < r->known.count && k < 16; k++) {
            int64_t offset = (int64_t)r->known.items[k].start_ns -
                             r->runs.items[i].start_ns;
            int64_t misfit = match(r, offset);

            if (misfit < best) {
                best = misfit;
                offset_ns = offset;
            }
        }
    (void)match(r, offset_ns);
}

/* --- which nodes are of which run ----------------------------------------- */

/* Those on its own thread, and, where only one run comes into question, those
 * on others: its nodes may run side by side.  `last`: of the runs that began
 * before it; it only moves on. */
static size_t run_of(const struct events *runs, const struct event *node,
        size_t *last)
{
    size_t found = NOBODY, beside = 0;

    while (*last < runs->count && runs->items[*last].start_ns <= node->start_ns)
        ++*last;
    for (size_t i = *last; i-- > 0 && beside < BESIDE_MOST; beside++) {
        const struct event *run = &runs->items[i];

        if (run->end_ns + CUT_NS < node->end_ns)
            continue;
        if (run->thread == node->thread)
            return i;
        found = found == NOBODY ? i : runs->count;
    }
    return found < runs->count ? found : NOBODY;
}

/* --- nodes within nodes --------------------------------------------------- */

struct told {
    struct operator_run run;
    int64_t end_ns;
    size_t order; /* in which they end */
};

/* Those that are open around the next one. */
struct nest {
    struct told *open[DEPTH_MOST];
    size_t count;
    size_t ended;
};

static bool is_around(const struct told *outer, const struct event *e)
{
    return outer->run.thread == e->thread && outer->end_ns > e->start_ns &&
           outer->end_ns + CUT_NS >= e->end_ns;
}

/* NULL: there is no next one. */
static void close_before(struct nest *n, const struct event *e)
{
    while (n->count && !(e && is_around(n->open[n->count - 1], e)))
        n->open[--n->count]->order = n->ended++;
}

static void open_node(struct nest *n, struct told *t)
{
    t->run.depth = (uint32_t)n->count;
    if (n->count && n->open[n->count - 1]->end_ns < t->end_ns)
        t->end_ns = n->open[n->count - 1]->end_ns;
    if (n->count < DEPTH_MOST)
        n->open[n->count++] = t;
    else
        t->order = n->ended++;
}

/* As they ended, and inner ones before those that they ran in. */
static int by_end(const void *a, const void *b)
{
    const struct told *x = a, *y = b;

    if (x->end_ns != y->end_ns)
        return compare(x->end_ns, y->end_ns);
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Its nodes are in order, thread by thread. */
static void tell_run(const struct burst_reader *r, const struct event *run,
        const struct event *nodes, size_t count)
{
    const struct burst_run *known = &r->known.items[run->of];
    struct told *told = alloc_zero(count, sizeof(*told));
    struct nest nest = { .count = 0 };

    for (size_t i = 0; i < count; i++) {
        const struct event *e = &nodes[i];

        close_before(&nest, e);
        told[i].end_ns = e->end_ns;
        told[i].run = (struct operator_run){
            .inference = known->inference,
            .operator_id = e->operator_id,
            .thread = e->thread,
            .start_ns =
                    known->start_ns + (uint64_t)(e->start_ns - run->start_ns),
            .raw_ns = (uint64_t)(e->end_ns - e->start_ns),
        };
        open_node(&nest, &told[i]);
    }
    close_before(&nest, NULL);
    qsort(told, count, sizeof(*told), by_end);
    for (size_t i = 0; i < count; i++)
        r->sink.ran(r->sink.context, &told[i].run);
    free(told);
}

static void sort(struct events *all, int (*by)(const void *a, const void *b))
{
    if (all->count)
        qsort(all->items, all->count, sizeof(*all->items), by);
}

static void tell_runs(struct burst_reader *r)
{
    struct event *nodes = r->nodes.items;
    size_t count = r->nodes.count, last = 0;

    sort(&r->runs, by_time);
    sort(&r->nodes, by_time);
    match_runs(r);
    for (size_t i = 0; i < count; i++)
        nodes[i].of = run_of(&r->runs, &nodes[i], &last);
    sort(&r->nodes, by_start);
    for (size_t i = 0, next; i < count; i = next) {
        size_t of = nodes[i].of;

        for (next = i + 1; next < count && nodes[next].of == of;)
            next++;
        if (of != NOBODY && r->runs.items[of].of != NOBODY)
            tell_run(r, &r->runs.items[of], &nodes[i], next - i);
    }
}

/* --- the reader ----------------------------------------------------------- */

struct burst_reader *burst_reader_new(const struct burst_runs *runs,
        uint32_t session, uint32_t *next_operator_id,
        const struct samples_sink *sink)
{
    struct burst_reader *r = alloc_zero(1, sizeof(*r));

    for (size_t i = 0; i < runs->count; i++)
        if (runs->items[i].start_ns < INT64_MAX / 4) /* differences fit */
            bursts_add(&r->known, &runs->items[i]);
    if (r->known.count)
        qsort(r->known.items, r->known.count, sizeof(*r->known.items),
                by_known_time);
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
    tell_runs(r);
    profile_free(r->profile);
    map_release(&r->operators);
    bursts_release(&r->known);
    free(r->nodes.items);
    free(r->runs.items);
    free(r);
}
