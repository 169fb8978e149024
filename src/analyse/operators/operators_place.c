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
    for (size_t i = 0; i < o->count; i++)
        if (is_control_flow(o->items[i].op_type))
            o->items[i].place = (struct arch_place){ -1, ARCH_NONE };
}
