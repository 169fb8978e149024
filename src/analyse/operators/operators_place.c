/* operators_place.c -- in which layer of a transformer an operator is, and as
 * what.
 *
 * Its own name says so, or that of what it puts out, or of a weight that it
 * reads: "/model/layers.3/mlp/down_proj/MatMul", "model.layers.3.mlp.weight".
 * One that ONNX Runtime made and named anew is in the layer of those that it
 * reads from and of those that read from it, if that is one layer. */
#include "analyse/operators/operators_state.h"
#include "base/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define LAYERS_MAX 4096 /* a name may say anything */

static bool is_known(struct arch_place p)
{
    return p.layer >= 0 || p.component != ARCH_NONE;
}

static struct arch_place place_of_name(const char *name, const char *op_type)
{
    struct arch_place p = arch_place(str_of(name ? name : ""),
            str_of(op_type ? op_type : ""));

    if (p.layer >= LAYERS_MAX)
        p.layer = -1;
    return p;
}

/* Results come first: a weight may be shared. */
static void look_at_tensors(struct operators *o, bool outputs)
{
    for (size_t i = 0; i < o->tensor_count; i++) {
        const struct operator_tensor *t = &o->tensors[i];
        struct operator_figures *x = operators_by_id(o, t->operator_id);

        if (x && !is_known(x->place) && t->name &&
                (outputs ? t->is_output : t->is_constant))
            x->place = place_of_name(t->name, x->op_type);
    }
}

/* The layers around operators: the last that is read from, the first that
 * reads. */
struct around {
    int before, behind;
};

static void look_around(struct operators *o)
{
    struct around *around = alloc_zero(o->count + 1, sizeof(*around));

    for (size_t i = 0; i < o->count; i++)
        around[i] = (struct around){ -1, INT_MAX };
    for (size_t i = 0; i < o->edge_count; i++) {
        const struct operator_figures *from =
                operators_by_id(o, o->edges[i].from);
        const struct operator_figures *to = operators_by_id(o, o->edges[i].to);

        if (!from || !to)
            continue;

        struct around *at = &around[to - o->items];

        if (from->place.layer > at->before)
            at->before = from->place.layer;
        at = &around[from - o->items];
        if (to->place.layer >= 0 && to->place.layer < at->behind)
            at->behind = to->place.layer;
    }
    for (size_t i = 0; i < o->count; i++)
        if (!is_known(o->items[i].place) &&
                around[i].before == around[i].behind)
            o->items[i].place.layer = around[i].before;
    free(around);
}

/* --- around a softmax ----------------------------------------------------- */

#define SCORES_FAR 6 /* operators between a softmax and its product */

static bool is_type(const struct operator_figures *x, const char *op_type)
{
    return x->op_type && strcmp(x->op_type, op_type) == 0;
}

static bool reads_constant(const struct operators *o,
        const struct operator_figures *x)
{
    size_t count;
    const struct operator_tensor *t = operators_tensors(o, x->id, &count);

    for (size_t i = 0; i < count; i++)
        if (t[i].is_constant && !t[i].is_output)
            return true;
    return false;
}

/* A product of two results; with a weight it would be a projection. */
static bool is_product(const struct operators *o,
        const struct operator_figures *x)
{
    return (is_type(x, "MatMul") || is_type(x, "FusedMatMul")) &&
           !reads_constant(o, x);
}

/* Where its edges begin: they are by the one that reads. */
static size_t first_edge(const struct operators *o, uint32_t to)
{
    size_t low = 0, high = o->edge_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (o->edges[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A number for all: from the model, or the root of one. */
static bool is_scaling(struct operators *o, const struct operator_figures *x)
{
    if (!is_type(x, "Mul") && !is_type(x, "Div"))
        return false;
    for (size_t i = first_edge(o, x->id);
            i < o->edge_count && o->edges[i].to == x->id; i++) {
        const struct operator_figures *from =
                operators_by_id(o, o->edges[i].from);

        if (from && is_type(from, "Sqrt"))
            return true;
    }
    return reads_constant(o, x);
}

static enum arch_component between(struct operators *o,
        const struct operator_figures *x)
{
    static const char *const masks[] = { "Add", "Sub", "Where", "Max", "Min" };

    if (is_scaling(o, x))
        return ARCH_SCALE;
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
        if (is_type(x, masks[i]))
            return ARCH_MASK;
    return is_type(x, "Cast") || is_type(x, "Reshape") ? ARCH_ATTENTION
                                                       : ARCH_NONE;
}

static void scale_before(struct operators *o, const struct operator_figures *x)
{
    for (size_t i = first_edge(o, x->id);
            i < o->edge_count && o->edges[i].to == x->id; i++) {
        struct operator_figures *from = operators_by_id(o, o->edges[i].from);

        if (from && from->place.layer == x->place.layer &&
                from->place.component == ARCH_ATTENTION && is_scaling(o, from))
            from->place.component = ARCH_SCALE;
    }
}

/* Goes back from what a softmax reads to the product of queries and keys. */
static bool find_scores(struct operators *o, uint32_t id, int layer, int far)
{
    struct operator_figures *x = operators_by_id(o, id);
    enum arch_component as;

    if (!x || !far || x->place.layer != layer)
        return false;
    if (is_product(o, x)) {
        x->place.component = ARCH_QK;
        scale_before(o, x);
        return true;
    }
    as = between(o, x);
    for (size_t i = first_edge(o, id);
            as != ARCH_NONE && i < o->edge_count && o->edges[i].to == id; i++)
        if (find_scores(o, o->edges[i].from, layer, far - 1)) {
            x->place.component = as;
            return true;
        }
    return false;
}

static void look_around_softmax(struct operators *o)
{
    for (size_t i = 0; i < o->edge_count; i++) {
        const struct operator_figures *to = operators_by_id(o, o->edges[i].to);
        struct operator_figures *from = operators_by_id(o, o->edges[i].from);

        if (!from || !to)
            continue;
        if (to->place.component == ARCH_SOFTMAX && to->place.layer >= 0)
            (void)find_scores(o, from->id, to->place.layer, SCORES_FAR);
        if (from->place.component == ARCH_SOFTMAX && from->place.layer >= 0 &&
                from->place.layer == to->place.layer && is_product(o, to))
            operators_by_id(o, to->id)->place.component = ARCH_AV;
    }
}

/* What runs in these has a place of its own. */
static bool is_control_flow(const char *op_type)
{
    return op_type &&
           (strcmp(op_type, "If") == 0 || strcmp(op_type, "Loop") == 0 ||
                   strcmp(op_type, "Scan") == 0);
}

void operators_find_places(struct operators *o)
{
    for (size_t i = 0; i < o->count; i++) {
        struct operator_figures *x = &o->items[i];

        x->place = is_control_flow(x->op_type)
                           ? (struct arch_place){ -1, ARCH_NONE }
                           : place_of_name(x->name, x->op_type);
    }
    look_at_tensors(o, true);
    look_at_tensors(o, false);
    look_around(o);
    look_around_softmax(o);
    for (size_t i = 0; i < o->count; i++)
        if (is_control_flow(o->items[i].op_type))
            o->items[i].place = (struct arch_place){ -1, ARCH_NONE };
}
