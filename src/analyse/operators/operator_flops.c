#include "analyse/operators/operator_flops.h"

#include "analyse/operators/fusion.h"
#include "analyse/operators/model_flops.h"
#include "base/alloc.h"
#include "base/map.h"
#include "onnx/model.h"
#include "onnx/ran_cost.h"
#include "onnx/study.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* The nodes of a model's file by their names. */
struct nodes {
    struct onnx_model *model; /* NULL: there is no file that can be read */
    struct map by_name;       /* from a symbol to a node; */
    struct map by_output;     /* the same of what it puts out */
};

static double *not_known(size_t count)
{
    double *items = alloc_zero(count + 1, sizeof(*items));

    for (size_t i = 0; i < count; i++)
        items[i] = NAN;
    return items;
}

static void open_nodes(struct nodes *n, const struct summary *s,
        const struct summary_session *x)
{
    char path[PATH_MAX];

    *n = (struct nodes){ 0 };
    if (!x->model || fusion_model_path(path, sizeof(path), s, x, NULL) ||
            onnx_open(&n->model, path, NULL))
        return;
    for (uint32_t g = 0; g < n->model->all_graph_count; g++) {
        const struct onnx_graph *graph = n->model->graphs[g];

        for (uint32_t i = 0; i < graph->node_count; i++) {
            uint32_t name =
                    symbol_find(&n->model->symbols, graph->nodes[i].name);

            if (graph->nodes[i].name.len)
                map_put(&n->by_name, name, (uintptr_t)&graph->nodes[i]);
            for (uint32_t k = 0; k < graph->nodes[i].output_count; k++)
                map_put(&n->by_output, graph->nodes[i].outputs[k],
                        (uintptr_t)&graph->nodes[i]);
        }
    }
}

static void close_nodes(struct nodes *n)
{
    map_release(&n->by_name);
    map_release(&n->by_output);
    if (n->model)
        onnx_close(n->model);
}

static const struct onnx_node *find_in(const struct nodes *n,
        const struct map *map, const char *name)
{
    const uint64_t *at =
            n->model ? map_find(map,
                               symbol_find(&n->model->symbols, str_of(name)))
                     : NULL;

    return at ? (const struct onnx_node *)(uintptr_t)*at : NULL;
}

static const struct onnx_node *find(const struct nodes *n, const char *name)
{
    return find_in(n, &n->by_name, name);
}

static const struct onnx_node *find_maker(const struct nodes *n,
        const char *value)
{
    return find_in(n, &n->by_output, value);
}

static double flops_of_shape(const struct operator_figures *o,
        const struct operator_shape *shape, const struct onnx_node *node)
{
    struct onnx_cost cost = { 0 };
    struct ran_operator ran = {
        .op_type = str_of(o->op_type ? o->op_type : ""),
        .inputs = str_of(shape->inputs ? shape->inputs : ""),
        .outputs = str_of(shape->outputs ? shape->outputs : ""),
        .node = node,
    };

    return ran_cost(&cost, &ran) ? (double)onnx_flops(&cost) : NAN;
}

/* How often the shape was there in inferences of a phase; PHASES: in all. */
static double times_in(const struct operator_shape *s, unsigned phase)
{
    double all = s->count ? (double)s->count : 1;

    if (phase == PHASES)
        return all;
    if (!s->phases_known)
        return 0;
    return phase == PHASE_PREFILL  ? (double)s->prefill_count
           : phase == PHASE_DECODE ? (double)s->decode_count
           : phase == PHASE_OTHER
                   ? (double)(s->count - s->prefill_count - s->decode_count)
                   : 0;
}

/* The mean of its shapes, by how often each was there; NAN: none was. */
static double mean_in(const struct operator_figures *o, const double *flops,
        unsigned phase)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < o->shape_count; i++) {
        double times = times_in(&o->shapes[i], phase);

        sum += times > 0 ? times * flops[i] : 0;
        count += times;
    }
    return count > 0 ? sum / count : NAN;
}

/* Of a long text one step in many tells its shapes, but how many steps there
 * were is known: so each phase weighs what it should. */
static double mean_of_phases(const struct operator_figures *o)
{
    double sum = 0, count = 0;

    for (unsigned phase = 0; phase < PHASES; phase++) {
        double times = (double)o->times[phase].count;

        sum += times > 0 ? times * o->phase_flops[phase] : 0;
        count += times;
    }
    return count > 0 ? sum / count : NAN;
}

static void find_flops(struct operator_figures *o, const struct onnx_node *node)
{
    double *flops = alloc_zero(o->shape_count + 1, sizeof(*flops));
    double read = 0, least = INFINITY, most = 0;

    for (size_t i = 0; i < o->shape_count; i++) {
        flops[i] = flops_of_shape(o, &o->shapes[i], node);
        read += times_in(&o->shapes[i], PHASES);
        least = fmin(least, flops[i]);
        most = fmax(most, flops[i]);
    }

    bool differ = most > least;
    double all = o->contains ? 0 /* what ran in it is counted there */
                             : mean_in(o, flops, PHASES);

    for (unsigned phase = 0; phase < PHASES; phase++)
        o->phase_flops[phase] =
                o->contains || !differ ? all : mean_in(o, flops, phase);
    o->flops = mean_of_phases(o);
    if (isnan(o->flops))
        o->flops = all;
    o->flops_estimated = differ && read < (double)o->times[PHASES].count;
    free(flops);
}

/* By what it puts out where that is known: ONNX Runtime names nodes anew. */
static const struct onnx_node *node_of(const struct nodes *n,
        const struct operators *all, const struct operator_figures *o)
{
    const struct onnx_node *node = find(n, o->name ? o->name : "");
    size_t count;
    const struct operator_tensor *t = operators_tensors(all, o->id, &count);

    for (size_t i = 0; i < count && !node; i++)
        if (t[i].is_output && t[i].name)
            node = find_maker(n, t[i].name);
    return node;
}

void operator_flops_fill(struct operators *all, const struct summary *s,
        const struct summary_session *x)
{
    struct nodes nodes;

    open_nodes(&nodes, s, x);
    for (size_t i = 0; i < all->count; i++) {
        struct operator_figures *o = &all->items[i];

        if (o->session == x->id)
            find_flops(o, node_of(&nodes, all, o));
    }
    close_nodes(&nodes);
}

/* Where a phase's own are not known, the mean of all stands for them. */
static void put_phases(struct phase_flops *out,
        const struct operator_figures *o)
{
    for (unsigned phase = 0; phase < PHASES; phase++)
        out->in[phase] =
                isnan(o->phase_flops[phase]) ? o->flops : o->phase_flops[phase];
}

void operator_flops_find(struct operator_flops *out, const struct summary *s)
{
    *out = (struct operator_flops){ 0 };
    for (size_t i = 0; i < s->operators.count; i++)
        if (s->operators.items[i].id > out->operator_count)
            out->operator_count = s->operators.items[i].id;
    for (size_t i = 0; i < s->session_count; i++)
        if (s->sessions[i].id > out->session_count)
            out->session_count = s->sessions[i].id;
    out->operators =
            alloc_zero(out->operator_count + 1, sizeof(*out->operators));
    out->sessions = not_known(out->session_count);
    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];

        if (!x->inferences || !x->id)
            continue;
        (void)model_flops_of_session(&out->sessions[x->id - 1], s, x, NULL);
    }
    for (size_t i = 0; i < out->operator_count; i++)
        for (unsigned phase = 0; phase < PHASES; phase++)
            out->operators[i].in[phase] = NAN;
    for (size_t i = 0; i < s->operators.count; i++)
        if (s->operators.items[i].id)
            put_phases(&out->operators[s->operators.items[i].id - 1],
                    &s->operators.items[i]);
}

void operator_flops_release(struct operator_flops *f)
{
    free(f->operators);
    free(f->sessions);
    *f = (struct operator_flops){ 0 };
}
