/* link.c -- whether a graph holds together: each name has one value, made
 * before it is read, and no node waits for itself. */
#include "onnx/reader.h"

#include "base/alloc.h"
#include "onnx/quote.h"

#include <errno.h>
#include <stdlib.h>

/* The node `to` reads what `from` makes. */
struct edge {
    uint32_t from, to;
};

/* The names of a graph, while it and what lies in it is looked through. */
struct scope {
    struct onnx_graph *graph;
    struct scope *outer;
    struct map made; /* by symbol: the node that makes it + 1; 0: it is given */
    uint32_t current; /* the node that is looked at */
    struct edge *edges;
    size_t edge_count, edge_cap;
    bool unsorted; /* a node reads what a later one makes */
};

static const char *name_of(char out[QUOTE_NAME], const struct onnx_reader *r,
        uint32_t symbol)
{
    return quote_name(out, symbol_text(&r->model->symbols, symbol));
}

/* A node by its name, or by its operator if it has none. */
static const char *node_of(char out[QUOTE_NAME], const struct onnx_node *n)
{
    return quote_name(out, n->name.len ? n->name : n->op_type);
}

/* --- names ---------------------------------------------------------------- */

static void give(struct scope *s, uint32_t symbol)
{
    if (symbol != SYMBOL_EMPTY)
        map_put(&s->made, symbol, 0);
}

static int make(const struct onnx_reader *r, struct scope *s, uint32_t node)
{
    const struct onnx_node *n = &s->graph->nodes[node];

    for (uint32_t i = 0; i < n->output_count; i++) {
        char name[QUOTE_NAME], maker[QUOTE_NAME];

        if (n->outputs[i] == SYMBOL_EMPTY)
            continue;
        if (map_find(&s->made, n->outputs[i]))
            return reader_fail(r, -EINVAL,
                    "makes %s twice, the second time in node %s",
                    name_of(name, r, n->outputs[i]), node_of(maker, n));
        map_put(&s->made, n->outputs[i], (uint64_t)node + 1);
    }
    return 0;
}

static int collect(const struct onnx_reader *r, struct scope *s)
{
    const struct onnx_graph *g = s->graph;
    int rc = 0;

    for (uint32_t i = 0; i < g->tensor_count; i++)
        give(s, g->tensors[i]->name);
    for (uint32_t i = 0; i < g->sparse_count; i++)
        give(s, g->sparse[i]->name);
    for (uint32_t i = 0; i < g->input_count; i++) {
        g->inputs[i].has_default = map_find(&s->made, g->inputs[i].name);
        give(s, g->inputs[i].name);
    }
    for (uint32_t i = 0; !rc && i < g->node_count; i++)
        rc = make(r, s, i);
    return rc;
}

static void add_edge(struct scope *s, uint32_t from)
{
    if (s->edge_count == s->edge_cap) {
        s->edge_cap = s->edge_cap ? 2 * s->edge_cap : 64;
        s->edges = alloc_resize(s->edges, s->edge_cap * sizeof(*s->edges));
    }
    s->edges[s->edge_count++] = (struct edge){ from, s->current };
    s->unsorted |= from >= s->current;
}

/* Finds who makes the name: in this graph, or in one around it, where the node
 * that holds us then waits for it. */
static bool resolve(struct scope *s, uint32_t symbol)
{
    for (; s; s = s->outer) {
        const uint64_t *maker = map_find(&s->made, symbol);

        if (!maker)
            continue;
        if (*maker && s->current != UINT32_MAX)
            add_edge(s, (uint32_t)(*maker - 1));
        return true;
    }
    return false;
}

/* --- order ---------------------------------------------------------------- */

/* A node of a circle: whoever goes from a node that waits to one it waits for,
 * again and again, ends up in one. */
static uint32_t find_circle(const struct scope *s, const uint32_t *waits)
{
    uint32_t count = s->graph->node_count;
    uint32_t *before = alloc_zero(count, sizeof(*before));
    uint32_t at = 0;

    for (size_t i = 0; i < s->edge_count; i++)
        if (waits[s->edges[i].from] && waits[s->edges[i].to]) {
            before[s->edges[i].to] = s->edges[i].from;
            at = s->edges[i].to;
        }
    for (uint32_t i = 0; i < count; i++)
        at = before[at];
    free(before);
    return at;
}

/* Kahn's: whoever waits for nobody comes next. */
static uint32_t sort(const struct scope *s, uint32_t *order, uint32_t *waits)
{
    uint32_t count = s->graph->node_count;
    size_t *first = alloc_zero((size_t)count + 2, sizeof(*first));
    uint32_t *next = alloc_zero(s->edge_count + 1, sizeof(*next));
    uint32_t done = 0;

    for (size_t i = 0; i < s->edge_count; i++) {
        waits[s->edges[i].to]++;
        first[s->edges[i].from + 2]++;
    }
    for (uint32_t i = 2; i < count + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < s->edge_count; i++)
        next[first[s->edges[i].from + 1]++] = s->edges[i].to;
    for (uint32_t i = 0; i < count; i++)
        if (!waits[i])
            order[done++] = i;
    for (uint32_t i = 0; i < done; i++)
        for (size_t k = first[order[i]]; k < first[order[i] + 1]; k++)
            if (!--waits[next[k]])
                order[done++] = next[k];
    free(first);
    free(next);
    return done;
}

static int set_order(struct onnx_reader *r, struct scope *s)
{
    struct onnx_graph *g = s->graph;

    if (!s->unsorted)
        return 0;

    uint32_t *waits = alloc_zero(g->node_count, sizeof(*waits));
    char name[QUOTE_NAME];
    int rc = 0;

    g->order = arena_take(&r->model->arena, g->node_count, sizeof(*g->order));
    if (sort(s, g->order, waits) < g->node_count)
        rc = reader_fail(r, -EINVAL, "runs in a circle through node %s",
                node_of(name, &g->nodes[find_circle(s, waits)]));
    free(waits);
    return rc;
}

/* --- graphs --------------------------------------------------------------- */

static int link_graph(struct onnx_reader *r, struct onnx_graph *g,
        struct scope *outer);

static int link_node(struct onnx_reader *r, struct scope *s,
        const struct onnx_node *n)
{
    char name[QUOTE_NAME], reader[QUOTE_NAME];
    int rc = 0;

    for (uint32_t i = 0; i < n->input_count; i++)
        if (n->inputs[i] != SYMBOL_EMPTY && !resolve(s, n->inputs[i]))
            return reader_fail(r, -EINVAL,
                    "has a node %s that reads %s, which nothing makes",
                    node_of(reader, n), name_of(name, r, n->inputs[i]));
    for (uint32_t i = 0; !rc && i < n->attr_count; i++)
        if (n->attrs[i].kind == ONNX_ATTR_GRAPH)
            rc = link_graph(r, n->attrs[i].graph, s);
    return rc;
}

static int link_outputs(const struct onnx_reader *r, struct scope *s)
{
    const struct onnx_graph *g = s->graph;
    char name[QUOTE_NAME];

    s->current = UINT32_MAX;
    for (uint32_t i = 0; i < g->output_count; i++)
        if (g->outputs[i].name != SYMBOL_EMPTY &&
                !resolve(s, g->outputs[i].name))
            return reader_fail(r, -EINVAL,
                    "promises an output %s, which nothing makes",
                    name_of(name, r, g->outputs[i].name));
    return 0;
}

static int link_graph(struct onnx_reader *r, struct onnx_graph *g,
        struct scope *outer)
{
    struct scope s = { .graph = g, .outer = outer };
    int rc = collect(r, &s);

    for (s.current = 0; !rc && s.current < g->node_count; s.current++)
        rc = link_node(r, &s, &g->nodes[s.current]);
    if (!rc)
        rc = link_outputs(r, &s);
    if (!rc)
        rc = set_order(r, &s);
    map_release(&s.made);
    free(s.edges);
    return rc;
}

int reader_link(struct onnx_reader *r)
{
    struct onnx_model *m = r->model;
    int rc = link_graph(r, m->graph, NULL);

    for (uint32_t i = 0; !rc && i < m->function_count; i++)
        rc = link_graph(r, m->functions[i].body, NULL);
    return rc;
}
