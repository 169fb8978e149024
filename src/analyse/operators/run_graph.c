#include "analyse/operators/run_graph.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>

#define DEPTH_MAX 64 /* bodies within bodies */

struct edge {
    uint32_t to, from;
};

struct builder {
    struct run_graph *g;
    struct map by_id;
    struct map makers; /* of a name in a body to a place */
    struct edge *edges;
    size_t count, cap;
};

/* --- names ---------------------------------------------------------------- */

static uint64_t name_key(uint32_t body, const char *name)
{
    uint64_t h = UINT64_C(14695981039346656037) ^ body;

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return h;
}

/* Body 0 is the graph itself. */
static uint32_t body_of(const struct run_graph *g, uint32_t place)
{
    return g->parent[place] == RUN_GRAPH_NONE ? 0 : g->parent[place] + 1;
}

/* Who makes it, as seen from a body. */
static uint32_t find_maker(const struct builder *b, uint32_t body,
        const char *name)
{
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        const uint64_t *place = map_find(&b->makers, name_key(body, name));

        if (place)
            return (uint32_t)*place;
        if (!body)
            break;
        body = body_of(b->g, body - 1);
    }
    return RUN_GRAPH_NONE;
}

/* --- edges ---------------------------------------------------------------- */

static void add_edge(struct builder *b, uint32_t to, uint32_t from)
{
    if (b->count == b->cap) {
        b->cap = b->cap ? 2 * b->cap : 256;
        b->edges = alloc_resize(b->edges, b->cap * sizeof(*b->edges));
    }
    b->edges[b->count++] = (struct edge){ to, from };
}

/* Whoever the reader is in the body of waits as well, up to the maker's own
 * body.  What comes later cannot have been read: branches of an If may use one
 * name. */
static void connect(struct builder *b, uint32_t to, uint32_t from)
{
    uint32_t home = body_of(b->g, from);

    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        if (to == from || to == RUN_GRAPH_NONE)
            return;
        if (from < to)
            add_edge(b, to, from);
        if (body_of(b->g, to) == home)
            return;
        to = b->g->parent[to];
    }
}

static int by_reader(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Each edge once. */
static void keep_edges(struct builder *b)
{
    struct run_graph *g = b->g;
    size_t at = 0, n = 0;

    if (b->count)
        qsort(b->edges, b->count, sizeof(*b->edges), by_reader);
    g->from = alloc_zero(b->count + 1, sizeof(*g->from));
    for (uint32_t i = 0; i < g->count; i++) {
        g->first[i] = n;
        for (; at < b->count && b->edges[at].to == i; at++) {
            uint32_t from = b->edges[at].from;

            if (n > g->first[i] && g->from[n - 1] == from)
                continue;
            g->from[n++] = from;
            g->last_reader[from] = i;
        }
    }
    g->first[g->count] = n;
}

void run_graph_build(struct run_graph *g, const struct run_operator *operators,
        size_t count, const struct operator_tensor *tensors,
        size_t tensor_count)
{
    struct builder b = { .g = g };

    *g = (struct run_graph){
        .count = count,
        .operators = operators,
        .parent = alloc_zero(count + 1, sizeof(*g->parent)),
        .first = alloc_zero(count + 1, sizeof(*g->first)),
        .last_reader = alloc_zero(count + 1, sizeof(*g->last_reader)),
    };
    for (size_t i = 0; i < count; i++)
        map_put(&b.by_id, operators[i].id, i);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *parent = map_find(&b.by_id, operators[i].parent);

        g->parent[i] = operators[i].parent && parent && *parent != i
                               ? (uint32_t)*parent
                               : RUN_GRAPH_NONE;
        g->last_reader[i] = RUN_GRAPH_NONE;
    }
    for (size_t i = 0; i < tensor_count; i++) {
        const uint64_t *place = map_find(&b.by_id, tensors[i].operator_id);

        if (place && tensors[i].is_output && tensors[i].name &&
                *tensors[i].name)
            map_put(&b.makers,
                    name_key(body_of(g, (uint32_t)*place), tensors[i].name),
                    *place);
    }
    for (size_t i = 0; i < tensor_count; i++) {
        const uint64_t *place = map_find(&b.by_id, tensors[i].operator_id);

        if (!place || tensors[i].is_output || tensors[i].is_constant ||
                !tensors[i].name || !*tensors[i].name)
            continue;

        uint32_t from =
                find_maker(&b, body_of(g, (uint32_t)*place), tensors[i].name);

        if (from != RUN_GRAPH_NONE)
            connect(&b, (uint32_t)*place, from);
    }
    keep_edges(&b);
    map_release(&b.by_id);
    map_release(&b.makers);
    free(b.edges);
}

void run_graph_release(struct run_graph *g)
{
    free(g->parent);
    free(g->from);
    free(g->first);
    free(g->last_reader);
    *g = (struct run_graph){ 0 };
}

/* --- what follows from it ------------------------------------------------- */

/* What an operator waits for lies before it, so one pass in order is enough. */

double run_graph_critical_path(const struct run_graph *g, uint32_t *path,
        size_t *path_count)
{
    double *done = alloc_zero(g->count + 1, sizeof(*done));
    uint32_t *before = alloc_zero(g->count + 1, sizeof(*before));
    uint32_t last = RUN_GRAPH_NONE;
    size_t n = 0;

    for (uint32_t i = 0; i < g->count; i++) {
        before[i] = RUN_GRAPH_NONE;
        if (g->parent[i] != RUN_GRAPH_NONE)
            continue;
        for (size_t k = g->first[i]; k < g->first[i + 1]; k++)
            if (g->parent[g->from[k]] == RUN_GRAPH_NONE &&
                    (before[i] == RUN_GRAPH_NONE ||
                            done[g->from[k]] > done[before[i]]))
                before[i] = g->from[k];
        done[i] = g->operators[i].ns +
                  (before[i] == RUN_GRAPH_NONE ? 0 : done[before[i]]);
        if (last == RUN_GRAPH_NONE || done[i] > done[last])
            last = i;
    }

    double longest = last == RUN_GRAPH_NONE ? 0 : done[last];

    for (uint32_t i = last; path && i != RUN_GRAPH_NONE; i = before[i])
        path[n++] = i;
    for (size_t i = 0; i < n / 2; i++) { /* the first one first */
        uint32_t other = path[n - 1 - i];

        path[n - 1 - i] = path[i];
        path[i] = other;
    }
    if (path_count)
        *path_count = n;
    free(done);
    free(before);
    return longest;
}

size_t run_graph_width(const struct run_graph *g)
{
    size_t *step = alloc_zero(g->count + 1, sizeof(*step));
    size_t *ready = alloc_zero(g->count + 1, sizeof(*ready));
    size_t width = 0;

    for (uint32_t i = 0; i < g->count; i++) {
        if (g->parent[i] != RUN_GRAPH_NONE)
            continue;
        for (size_t k = g->first[i]; k < g->first[i + 1]; k++)
            if (g->parent[g->from[k]] == RUN_GRAPH_NONE &&
                    step[g->from[k]] + 1 > step[i])
                step[i] = step[g->from[k]] + 1;
        if (++ready[step[i]] > width)
            width = ready[step[i]];
    }
    free(step);
    free(ready);
    return width;
}

bool run_graph_peak(uint64_t *bytes, const struct run_graph *g)
{
    uint64_t *ends = alloc_zero(g->count + 1, sizeof(*ends));
    uint64_t live = 0, most = 0;
    bool known = g->count > 0;

    for (uint32_t i = 0; i < g->count; i++) {
        const struct run_operator *o = &g->operators[i];

        known &= o->bytes_known;
        live += o->output_bytes;
        if (live > most)
            most = live;
        if (g->last_reader[i] != RUN_GRAPH_NONE)
            ends[g->last_reader[i]] += o->output_bytes;
        live -= ends[i];
    }
    free(ends);
    if (known)
        *bytes = most;
    return known;
}
