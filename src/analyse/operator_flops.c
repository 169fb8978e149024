#include "analyse/operator_flops.h"

#include "analyse/fusion.h"
#include "analyse/model_flops.h"
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
    struct map by_name;       /* from a symbol to a node */
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
        }
    }
}

static void close_nodes(struct nodes *n)
{
    map_release(&n->by_name);
    if (n->model)
        onnx_close(n->model);
}

static const struct onnx_node *find(const struct nodes *n, const char *name)
{
    const uint64_t *at =
            n->model ? map_find(&n->by_name,
                               symbol_find(&n->model->symbols, str_of(name)))
                     : NULL;

    return at ? (const struct onnx_node *)(uintptr_t)*at : NULL;
}

static double flops_of(const struct operator_sum *o, const struct nodes *n)
{
    struct onnx_cost cost = { 0 };
    struct ran_operator ran = {
        .op_type = str_of(o->op_type ? o->op_type : ""),
        .inputs = str_of(o->inputs ? o->inputs : ""),
        .outputs = str_of(o->outputs ? o->outputs : ""),
        .node = find(n, o->name ? o->name : ""),
    };

    /* What ran in it is counted there. */
    if (o->contains)
        return 0;
    return ran_cost(&cost, &ran) ? (double)onnx_flops(&cost) : NAN;
}

static void take_operators(struct operator_flops *out, const struct summary *s,
        const struct summary_session *x)
{
    struct nodes nodes;

    open_nodes(&nodes, s, x);
    for (size_t i = 0; i < s->operators.count; i++) {
        const struct operator_sum *o = &s->operators.items[i];

        if (o->session == x->id && o->id && o->id <= out->operator_count)
            out->operators[o->id - 1] = flops_of(o, &nodes);
    }
    close_nodes(&nodes);
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
    out->operators = not_known(out->operator_count);
    out->sessions = not_known(out->session_count);
    for (size_t i = 0; i < s->session_count; i++) {
        const struct summary_session *x = &s->sessions[i];

        if (!x->inferences || !x->id)
            continue;
        (void)model_flops_of_session(&out->sessions[x->id - 1], s, x, NULL);
        take_operators(out, s, x);
    }
}

void operator_flops_release(struct operator_flops *f)
{
    free(f->operators);
    free(f->sessions);
    *f = (struct operator_flops){ 0 };
}
