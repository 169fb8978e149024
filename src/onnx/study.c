#include "onnx/study.h"

#include "base/alloc.h"
#include "onnx/evaluate.h"

#include <stdlib.h>
#include <string.h>

/* Going through inner graphs again and again: enough for any that is real. */
#define BUDGET_FACTOR 16
#define BUDGET_LEAST  20000

/* "input:axis" names a dimension that has no name of its own. */
static bool names_axis(struct str chosen, struct str input, int axis)
{
    struct str rest = str_after_last(chosen, ':');
    uint64_t number;

    return chosen.len == input.len + 1 + rest.len &&
           memcmp(chosen.p, input.p, input.len) == 0 &&
           str_u64(&number, rest) == 0 && number == (uint64_t)axis;
}

/* A single whole number: what it is may decide which branch is taken. */
static bool is_number(const struct onnx_value *v)
{
    return onnx_type_is_whole(v->type) &&
           (v->rank == 0 || (v->rank == 1 && v->dims[0].size == 1));
}

static void choose_for(struct study *s, struct fact *f,
        const struct onnx_value *v)
{
    struct str name = symbol_text(&s->model->symbols, v->name);

    for (size_t i = 0; i < s->chosen_count; i++) {
        const struct study_size *chosen = &s->chosen[i];

        if (is_number(v) && str_eq(chosen->name, name)) {
            double *value = arena_take(&s->arena, 1, sizeof(*value));

            *value = (double)chosen->size;
            f->data = value;
        }
        for (int k = 0; k < f->rank; k++)
            if (v->dims[k].size < 0 && names_axis(chosen->name, name, k))
                f->dims[k] = chosen->size;
    }
}

static void choose(struct study *s, const struct study_size *sizes,
        size_t count)
{
    s->chosen = alloc_zero(count + 1, sizeof(*s->chosen));
    s->chosen_count = count;
    for (size_t i = 0; i < count; i++) {
        uint32_t symbol = symbol_find(&s->model->symbols, sizes[i].name);

        s->chosen[i].name = arena_text(&s->arena, sizes[i].name);
        s->chosen[i].size = sizes[i].size;
        if (symbol != SYMBOL_EMPTY)
            map_put(&s->sizes, symbol, (uint64_t)sizes[i].size);
    }
}

struct study *study_new(const struct onnx_model *m,
        const struct study_size *sizes, size_t count)
{
    struct study *s = alloc_zero(1, sizeof(*s));
    const struct onnx_graph *g = m->graph;

    s->model = m;
    s->budget = BUDGET_FACTOR * m->graph_nodes + BUDGET_LEAST;
    s->main.graph = g;
    s->main.results = alloc_zero(g->node_count + 1u, sizeof(*s->main.results));
    choose(s, sizes, count);
    for (uint32_t i = 0; i < m->function_count; i++)
        map_put(&s->functions, m->functions[i].kind, i);
    for (uint32_t i = 0; i < g->input_count; i++) {
        struct fact f = evaluate_declared(s, &g->inputs[i]);

        choose_for(s, &f, &g->inputs[i]);
        frame_put(&s->main, g->inputs[i].name, &f);
    }
    /* An initializer stands in for an input of its name. */
    evaluate_begin(&s->main);
    (void)evaluate(s, &s->main);
    return s;
}

void study_free(struct study *s)
{
    if (!s)
        return;
    frame_release(&s->main);
    free(s->main.results);
    free(s->chosen);
    map_release(&s->sizes);
    map_release(&s->ops);
    map_release(&s->functions);
    arena_release(&s->arena);
    free(s);
}

static bool fits(const struct study *s, const struct onnx_value *v,
        const struct study_size *chosen)
{
    const struct symbols *symbols = &s->model->symbols;
    struct str name = symbol_text(symbols, v->name);

    if (is_number(v) && str_eq(name, chosen->name))
        return true;
    for (int k = 0; k < v->rank; k++) {
        struct str dim = symbol_text(symbols, v->dims[k].name);

        if (v->dims[k].size < 0 && ((dim.len && str_eq(dim, chosen->name)) ||
                                           names_axis(chosen->name, name, k)))
            return true;
    }
    return false;
}

static bool fits_any(const struct study *s, const struct onnx_value *list,
        uint32_t count, const struct study_size *chosen)
{
    for (uint32_t i = 0; i < count; i++)
        if (fits(s, &list[i], chosen))
            return true;
    return false;
}

bool study_size_fits(const struct study *s, size_t i)
{
    const struct onnx_graph *g = s->model->graph;

    return fits_any(s, g->inputs, g->input_count, &s->chosen[i]) ||
           fits_any(s, g->values, g->value_count, &s->chosen[i]) ||
           fits_any(s, g->outputs, g->output_count, &s->chosen[i]);
}

const struct study_node *study_node(const struct study *s, uint32_t node)
{
    return &s->main.results[node];
}

const struct fact *study_value(const struct study *s, uint32_t symbol)
{
    return frame_find(&s->main, symbol);
}

uint64_t onnx_flops(const struct onnx_cost *c)
{
    uint64_t sum = c->operations;

    return cost_add(&sum, c->macs, 2) ? sum : UINT64_MAX;
}
