#include "onnx/arch_places.h"

#include "base/alloc.h"
#include "onnx/arch_name.h"

#include <stdlib.h>

#define STEPS_MAX   4000000 /* of walks through the graph, in all */
#define PRODUCT_FAR 6       /* nodes between a softmax and its products */
#define SIDE_FAR    40      /* nodes between a product and a projection */

/* The graph, so that one can walk along its values.  All but the last three are
 * by symbol; 0 is none. */
struct walk {
    const struct onnx_model *model;
    const struct onnx_graph *graph;
    struct arch_place *places;
    uint32_t *maker;   /* the node that makes it + 1 */
    uint32_t *reader;  /* the first node that reads it + 1 */
    uint32_t *readers; /* how many do */
    uint64_t *weight;  /* the elements of an initializer + 1 */
    bool *given;       /* whether it is an input of the graph */
    uint32_t *seen;    /* by node: the walk that came by last */
    uint32_t number;   /* of this walk */
    uint64_t steps;    /* that are left */
};

static void walk_begin(struct walk *w)
{
    const struct onnx_graph *g = w->graph;
    size_t symbols = w->model->symbols.count + 1u;

    w->maker = alloc_zero(symbols, sizeof(*w->maker));
    w->reader = alloc_zero(symbols, sizeof(*w->reader));
    w->readers = alloc_zero(symbols, sizeof(*w->readers));
    w->weight = alloc_zero(symbols, sizeof(*w->weight));
    w->given = alloc_zero(symbols, sizeof(*w->given));
    w->seen = alloc_zero(g->node_count + 1u, sizeof(*w->seen));
    w->steps = STEPS_MAX;
    for (uint32_t i = 0; i < g->input_count; i++)
        w->given[g->inputs[i].name] = true;
    for (uint32_t i = 0; i < g->tensor_count; i++)
        w->weight[g->tensors[i]->name] = g->tensors[i]->elements + 1;
    for (uint32_t i = 0; i < g->node_count; i++) {
        const struct onnx_node *n = &g->nodes[i];

        for (uint32_t k = 0; k < n->output_count; k++)
            w->maker[n->outputs[k]] = i + 1;
        for (uint32_t k = 0; k < n->input_count; k++)
            if (!w->readers[n->inputs[k]]++)
                w->reader[n->inputs[k]] = i + 1;
    }
    w->maker[SYMBOL_EMPTY] = w->reader[SYMBOL_EMPTY] = 0;
}

static void walk_end(struct walk *w)
{
    free(w->maker);
    free(w->reader);
    free(w->readers);
    free(w->weight);
    free(w->given);
    free(w->seen);
}

/* The node that makes an input of a node; -1: none. */
static int before(const struct walk *w, int node, uint32_t input)
{
    const struct onnx_node *n = &w->graph->nodes[node];

    return input < n->input_count ? (int)w->maker[n->inputs[input]] - 1 : -1;
}

/* The first node that reads an output of a node; -1: none. */
static int after(const struct walk *w, int node, uint32_t output)
{
    const struct onnx_node *n = &w->graph->nodes[node];

    return output < n->output_count ? (int)w->reader[n->outputs[output]] - 1
                                    : -1;
}

static bool is_op(const struct walk *w, int node, const char *op_type)
{
    return str_is(w->graph->nodes[node].op_type, op_type);
}

static void place(const struct walk *w, int node, int layer,
        enum arch_component component)
{
    w->places[node] = (struct arch_place){ layer, component };
}

/* --- by names ------------------------------------------------------------- */

/* What lies in no layer says so by its component. */
static bool is_outside(enum arch_component c)
{
    return c == ARCH_FINAL_NORM || c == ARCH_LM_HEAD || c == ARCH_EMBEDDING;
}

/* Takes what is not known yet from another name. */
static void take(struct arch_place *p, struct str name, struct str op_type)
{
    struct arch_place from = arch_place(name, op_type);

    if (p->layer < 0 && !is_outside(p->component))
        p->layer = from.layer;
    if (p->component == ARCH_NONE)
        p->component = from.component;
}

static struct arch_place by_names(const struct walk *w, uint32_t node)
{
    const struct onnx_node *n = &w->graph->nodes[node];
    const struct symbols *names = &w->model->symbols;
    struct arch_place p = arch_place(n->name, n->op_type);

    for (uint32_t i = 0; i < n->output_count && i < 8; i++)
        take(&p, symbol_text(names, n->outputs[i]), n->op_type);
    /* A weight that several share is named after the first of them. */
    for (uint32_t i = 0; i < n->input_count && i < 16; i++)
        if (w->readers[n->inputs[i]] == 1 && w->weight[n->inputs[i]])
            take(&p, symbol_text(names, n->inputs[i]), n->op_type);
    return p;
}

/* --- around a softmax ----------------------------------------------------- */

/* What stands between the product of queries and keys and the softmax. */
static enum arch_component between(const struct walk *w, int node)
{
    static const char *const masks[] = { "Add", "Sub", "Where", "Max", "Min",
        "Clip" };

    if (is_op(w, node, "Mul") || is_op(w, node, "Div"))
        return ARCH_SCALE;
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
        if (is_op(w, node, masks[i]))
            return ARCH_MASK;
    if (is_op(w, node, "Cast") || is_op(w, node, "Reshape") ||
            is_op(w, node, "Identity"))
        return ARCH_ATTENTION;
    return ARCH_NONE;
}

static bool is_product(const struct walk *w, int node)
{
    const struct onnx_node *n = &w->graph->nodes[node];

    /* With weights it would be a projection. */
    return op_is_matmul(n->op_type) && n->input_count >= 2 &&
           !w->weight[n->inputs[1]];
}

/* Goes back to the product, and places what it passes; -1: there is none. */
static int find_product(struct walk *w, int node, int layer, int far)
{
    if (node < 0 || !far || !w->steps)
        return -1;
    w->steps--;
    if (is_product(w, node)) {
        place(w, node, layer, ARCH_QK);
        return node;
    }

    enum arch_component c = between(w, node);
    uint32_t inputs = w->graph->nodes[node].input_count;

    for (uint32_t i = 0; c != ARCH_NONE && i < inputs && i < 3; i++) {
        int found = find_product(w, before(w, node, i), layer, far - 1);

        if (found >= 0) {
            place(w, node, layer, c);
            return found;
        }
    }
    return -1;
}

/* A single number: from the file, or reckoned from such. */
static bool is_scalar(const struct walk *w, uint32_t symbol)
{
    int maker = (int)w->maker[symbol] - 1;

    if (w->weight[symbol])
        return w->weight[symbol] == 2;
    return maker >= 0 &&
           (is_op(w, maker, "Constant") || is_op(w, maker, "Sqrt"));
}

static bool reads_cache(const struct walk *w, const struct onnx_node *n)
{
    for (uint32_t i = 0; i < n->input_count; i++)
        if (w->given[n->inputs[i]] && !w->weight[n->inputs[i]])
            return true;
    return false;
}

/* What stands between a projection and a product. */
static enum arch_component beside(const struct walk *w, int node, bool values)
{
    static const char *const turning[] = { "Mul", "Add", "Sub", "Neg", "Slice",
        "Split", "Concat", "Gather" };
    const struct onnx_node *n = &w->graph->nodes[node];

    if (is_op(w, node, "Concat") && reads_cache(w, n))
        return ARCH_KV_CACHE;
    if (str_starts(n->op_type, "Scatter") || is_op(w, node, "TensorScatter"))
        return ARCH_KV_CACHE;
    if ((is_op(w, node, "Mul") || is_op(w, node, "Div")) &&
            n->input_count == 2 &&
            (is_scalar(w, n->inputs[0]) || is_scalar(w, n->inputs[1])))
        return ARCH_SCALE;
    for (size_t i = 0; !values && i < sizeof(turning) / sizeof(turning[0]); i++)
        if (is_op(w, node, turning[i]))
            return ARCH_ROTARY;
    return ARCH_ATTENTION;
}

/* Goes back from a product to the projections. */
static void mark_side(struct walk *w, int node, int layer, bool values, int far)
{
    if (node < 0 || !far || !w->steps || w->seen[node] == w->number)
        return;
    w->steps--;
    w->seen[node] = w->number;

    struct arch_place *p = &w->places[node];
    bool open = p->component == ARCH_ATTENTION || p->component == ARCH_NONE ||
                p->component == ARCH_RESIDUAL;

    /* Up to what has a place of its own, or is shared by all layers. */
    if (!open || (p->layer >= 0 && p->layer != layer) ||
            op_is_attention(w->graph->nodes[node].op_type))
        return;
    if (p->layer < 0 && p->component == ARCH_NONE &&
            w->graph->nodes[node].name.len)
        return;
    *p = (struct arch_place){ layer, beside(w, node, values) };

    /* Other inputs of the rest are shapes. */
    bool all = p->component == ARCH_ROTARY || p->component == ARCH_KV_CACHE ||
               p->component == ARCH_SCALE;
    uint32_t inputs = all ? w->graph->nodes[node].input_count : 1;

    for (uint32_t i = 0; i < inputs && i < 8; i++)
        mark_side(w, before(w, node, i), layer, values, far - 1);
}

/* Goes on from the softmax to the product with the values; -1: none. */
static int find_values(struct walk *w, int softmax, int layer)
{
    int node = after(w, softmax, 0);

    for (int far = 0; node >= 0 && far < PRODUCT_FAR; far++) {
        if (is_product(w, node)) {
            place(w, node, layer, ARCH_AV);
            return node;
        }
        if (between(w, node) != ARCH_ATTENTION && !is_op(w, node, "Dropout") &&
                !is_op(w, node, "Where"))
            return -1;
        place(w, node, layer, ARCH_ATTENTION);
        node = after(w, node, 0);
    }
    return -1;
}

static void around_softmax(struct walk *w, int softmax)
{
    int layer = w->places[softmax].layer;
    int scores = find_product(w, before(w, softmax, 0), layer, PRODUCT_FAR);

    if (scores < 0)
        return;
    place(w, softmax, layer, ARCH_SOFTMAX);

    int values = find_values(w, softmax, layer);

    w->number++;
    mark_side(w, before(w, scores, 0), layer, false, SIDE_FAR);
    mark_side(w, before(w, scores, 1), layer, false, SIDE_FAR);
    if (values >= 0)
        mark_side(w, before(w, values, 1), layer, true, SIDE_FAR);
}

/* --- what is left --------------------------------------------------------- */

/* A node without a name of its own belongs where what it reads comes from. */
static void follow(struct walk *w, int node)
{
    struct arch_place *p = &w->places[node];
    const struct onnx_node *n = &w->graph->nodes[node];

    if (p->layer >= 0 || p->component != ARCH_NONE)
        return;
    for (uint32_t i = 0; i < n->input_count && i < 16; i++) {
        int from = before(w, node, i);

        if (from >= 0 && w->places[from].layer > p->layer)
            p->layer = w->places[from].layer;
    }
    if (p->layer >= 0 && op_is_activation(n->op_type))
        p->component = ARCH_ACTIVATION;
    if (p->layer >= 0 && is_op(w, node, "Add") && before(w, node, 0) >= 0 &&
            before(w, node, 1) >= 0)
        p->component = ARCH_RESIDUAL;
}

/* A normalisation is known by what it feeds. */
static void name_norm(struct walk *w, int node)
{
    struct arch_place *p = &w->places[node];
    int reader = after(w, node, 0);

    if (!op_is_norm(w->graph->nodes[node].op_type) ||
            p->component != ARCH_NONE || reader < 0)
        return;
    switch (w->places[reader].component) {
    case ARCH_Q:
    case ARCH_K:
    case ARCH_V:
    case ARCH_QKV:
    case ARCH_ATTENTION:
        *p = (struct arch_place){ w->places[reader].layer, ARCH_INPUT_NORM };
        break;
    case ARCH_UP:
    case ARCH_GATE:
    case ARCH_GATE_UP:
        *p = (struct arch_place){ w->places[reader].layer, ARCH_POST_NORM };
        break;
    case ARCH_LM_HEAD: *p = (struct arch_place){ -1, ARCH_FINAL_NORM }; break;
    default: break;
    }
}

static void name_head(struct walk *w)
{
    const struct onnx_graph *g = w->graph;

    for (uint32_t i = 0; i < g->output_count; i++) {
        int maker = (int)w->maker[g->outputs[i].name] - 1;
        struct str name = symbol_text(&w->model->symbols, g->outputs[i].name);

        if (maker >= 0 && str_is(name, "logits") &&
                op_is_matmul(g->nodes[maker].op_type) &&
                w->places[maker].component == ARCH_NONE)
            place(w, maker, -1, ARCH_LM_HEAD);
    }
}

/* A table of weights, looked up by an input of the graph. */
static void name_embedding(struct walk *w, int node)
{
    const struct onnx_node *n = &w->graph->nodes[node];

    if (is_op(w, node, "Gather") && n->input_count == 2 &&
            w->places[node].component == ARCH_NONE && w->weight[n->inputs[0]] &&
            w->given[n->inputs[1]])
        place(w, node, -1, ARCH_EMBEDDING);
}

void arch_places(struct arch_place *out, const struct onnx_model *m)
{
    struct walk w = { .model = m, .graph = m->graph, .places = out };
    uint32_t count = m->graph->node_count;

    walk_begin(&w);
    for (uint32_t i = 0; i < count; i++)
        out[i] = by_names(&w, i);
    name_head(&w);
    for (uint32_t i = 0; i < count; i++)
        name_embedding(&w, (int)i);
    for (uint32_t i = 0; i < count; i++)
        if (is_op(&w, (int)i, "Softmax") && out[i].layer >= 0)
            around_softmax(&w, (int)i);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = m->graph->order ? m->graph->order[i] : i;

        follow(&w, (int)node);
    }
    for (uint32_t i = 0; i < count; i++)
        name_norm(&w, (int)i);
    walk_end(&w);
}
