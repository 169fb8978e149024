#include "onnx/evaluate.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of numbers that are kept; a real model needs a few thousand. */
#define DATA_MAX ((size_t)64 << 20)

/* --- frames --------------------------------------------------------------- */

void frame_put(struct frame *f, uint32_t symbol, const struct fact *fact)
{
    uint64_t *at = map_find(&f->index, symbol);

    if (symbol == SYMBOL_EMPTY)
        return;
    if (at) {
        f->facts[*at] = *fact;
        return;
    }
    if (f->count == f->cap) {
        f->cap = f->cap ? 2 * f->cap : 32;
        f->facts = alloc_resize(f->facts, f->cap * sizeof(*f->facts));
    }
    map_put(&f->index, symbol, f->count);
    f->facts[f->count++] = *fact;
}

const struct fact *frame_find(const struct frame *f, uint32_t symbol)
{
    for (; f; f = f->outer) {
        const uint64_t *at = map_find(&f->index, symbol);

        if (at)
            return &f->facts[*at];
    }
    return NULL;
}

void frame_release(struct frame *f)
{
    map_release(&f->index);
    map_release(&f->declared);
    free(f->facts);
    f->facts = NULL;
}

struct fact evaluate_declared(const struct study *s, const struct onnx_value *v)
{
    struct fact f = fact_of_value(v);

    for (int i = 0; i < f.rank; i++) {
        const uint64_t *size = map_find(&s->sizes, v->dims[i].name);

        if (f.dims[i] < 0 && size)
            f.dims[i] = (int64_t)*size;
    }
    return f;
}

static void declare(struct frame *f, const struct onnx_value *list,
        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        map_put(&f->declared, list[i].name, (uint64_t)(uintptr_t)&list[i]);
}

void evaluate_begin(struct frame *f)
{
    const struct onnx_graph *g = f->graph;

    declare(f, g->values, g->value_count);
    declare(f, g->outputs, g->output_count);
    for (uint32_t i = 0; i < g->tensor_count; i++) {
        struct fact fact = fact_of_tensor(g->tensors[i]);

        frame_put(f, g->tensors[i]->name, &fact);
    }
    for (uint32_t i = 0; i < g->sparse_count; i++) {
        struct fact fact = fact_of_tensor(g->sparse[i]);

        frame_put(f, g->sparse[i]->name, &fact);
    }
}

/* --- nodes ---------------------------------------------------------------- */

static const struct onnx_op *find_op(struct study *s, const struct onnx_node *n)
{
    const uint64_t *known = map_find(&s->ops, n->kind);

    if (known)
        return (const struct onnx_op *)(uintptr_t)*known;

    const struct onnx_op *op = op_find(n->op_type, n->domain);

    map_put(&s->ops, n->kind, (uint64_t)(uintptr_t)op);
    return op;
}

static bool add_bytes(uint64_t *sum, const struct fact *f)
{
    uint64_t bytes;

    return f && fact_bytes(&bytes, f) && cost_add(sum, bytes, 1);
}

static void count_bytes(struct study_node *out, const struct onnx_call *c)
{
    out->bytes_known = true;
    for (int i = 0; i < c->in_count; i++)
        if (call_has(c, i))
            out->bytes_known &=
                    add_bytes(c->in[i]->weight ? &out->parameter_bytes
                                               : &out->activation_bytes,
                            c->in[i]);
    for (int i = 0; i < c->out_count; i++)
        if (c->node->outputs[i] != SYMBOL_EMPTY)
            out->bytes_known &= add_bytes(&out->output_bytes, &c->out[i]);
}

/* Fills what the operator left open from what the file says. */
static void complete(const struct study *s, const struct frame *f,
        struct onnx_call *c)
{
    for (int i = 0; i < c->out_count; i++) {
        const uint64_t *said = map_find(&f->declared, c->node->outputs[i]);

        if (said) {
            struct fact declared = evaluate_declared(s,
                    (const struct onnx_value *)(uintptr_t)*said);

            fact_complete(&c->out[i], &declared);
        }
    }
}

static struct total run_node(struct study *s, struct frame *f,
        struct onnx_call *c)
{
    struct total t = { .known = false };

    if (control_node(s, f, c, &t)) {
        complete(s, f, c);
        return t;
    }
    c->op = find_op(s, c->node);
    if (c->op && c->op->infer)
        c->op->infer(c);
    complete(s, f, c);
    t.known = c->op && c->op->cost && c->op->cost(c, &t.cost);
    return t;
}

static struct total one_node(struct study *s, struct frame *f, uint32_t node)
{
    const struct onnx_node *n = &f->graph->nodes[node];
    const struct fact **in = alloc_zero(n->input_count + 1u, sizeof(void *));
    struct fact *out = alloc_zero(n->output_count + 1u, sizeof(*out));
    struct onnx_call c = {
        .node = n,
        .caller = f->caller,
        .in = in,
        .in_count = (int)n->input_count,
        .out = out,
        .out_count = (int)n->output_count,
        .arena = &s->arena,
    };

    for (uint32_t i = 0; i < n->input_count; i++)
        if (n->inputs[i] != SYMBOL_EMPTY)
            in[i] = frame_find(f, n->inputs[i]);
    for (uint32_t i = 0; i < n->output_count; i++)
        out[i] = fact_nothing();

    struct total t = run_node(s, f, &c);

    if (f->results) {
        f->results[node].cost_known = t.known;
        f->results[node].cost = t.cost;
        count_bytes(&f->results[node], &c);
    }
    for (uint32_t i = 0; i < n->output_count; i++)
        frame_put(f, n->outputs[i], &out[i]);
    free(in);
    free(out);
    return t;
}

struct total evaluate(struct study *s, struct frame *f)
{
    const struct onnx_graph *g = f->graph;
    struct total sum = { .known = true };

    for (uint32_t i = 0; i < g->node_count; i++) {
        if (!s->budget || s->arena.total > DATA_MAX) {
            sum.known = false;
            break;
        }
        s->budget--;

        struct total t = one_node(s, f, g->order ? g->order[i] : i);

        sum.known &= t.known && cost_add(&sum.cost.macs, t.cost.macs, 1) &&
                     cost_add(&sum.cost.operations, t.cost.operations, 1);
    }
    return sum;
}
