#include "onnx/tally.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A list of operators while it is made. */
struct list {
    struct tally_op *ops;
    uint32_t count, cap;
    struct map index; /* by a node's kind */
};

static struct tally_row *row_of(struct list *l, const struct onnx_node *n)
{
    const uint64_t *at = map_find(&l->index, n->kind);

    if (at)
        return &l->ops[*at].row;
    if (l->count == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 32;
        l->ops = alloc_resize(l->ops, l->cap * sizeof(*l->ops));
    }
    map_put(&l->index, n->kind, l->count);
    l->ops[l->count] = (struct tally_op){ n->op_type, n->domain, { 0 } };
    return &l->ops[l->count++].row;
}

static int by_count(const void *a, const void *b)
{
    const struct tally_op *left = a, *right = b;

    if (left->row.nodes != right->row.nodes)
        return left->row.nodes > right->row.nodes ? -1 : 1;

    size_t shared = left->op_type.len < right->op_type.len ? left->op_type.len
                                                           : right->op_type.len;
    int order = memcmp(left->op_type.p, right->op_type.p, shared);

    if (order)
        return order;
    if (left->op_type.len != right->op_type.len)
        return left->op_type.len < right->op_type.len ? -1 : 1;
    return left->domain.len < right->domain.len ? -1 : 1;
}

static void finish(struct list *l, struct tally_op **ops, uint32_t *count)
{
    map_release(&l->index);
    if (l->count)
        qsort(l->ops, l->count, sizeof(*l->ops), by_count);
    *ops = l->ops;
    *count = l->count;
}

static void add(struct tally_row *r, const struct study_node *n)
{
    struct tally_row sum = *r;

    r->nodes++;
    (void)cost_add(&r->parameter_bytes, n->parameter_bytes, 1);
    if (!n->cost_known || !cost_add(&sum.cost.macs, n->cost.macs, 1) ||
            !cost_add(&sum.cost.operations, n->cost.operations, 1))
        return;
    r->known++;
    r->cost = sum.cost;
}

void tally_init(struct tally *t, const struct onnx_model *m,
        const struct study *s, const struct arch *a)
{
    struct list ops = { 0 }, inner = { 0 };

    *t = (struct tally){ .layer_count = a->layers };
    t->layers = alloc_zero((size_t)a->layers + 1, sizeof(*t->layers));
    for (uint32_t i = 0; i < m->graph->node_count; i++) {
        const struct study_node *n = study_node(s, i);
        struct arch_place p = a->places[i];

        add(&t->all, n);
        add(row_of(&ops, &m->graph->nodes[i]), n);
        add(&t->component[p.component], n);
        if (p.layer >= 0 && p.layer < t->layer_count)
            add(&t->layers[p.layer], n);
    }
    for (uint32_t i = 0; i < m->all_graph_count; i++)
        for (uint32_t k = 0; k < m->graphs[i]->node_count; k++)
            if (m->graphs[i] != m->graph)
                row_of(&inner, &m->graphs[i]->nodes[k])->nodes++;
    finish(&ops, &t->ops, &t->op_count);
    finish(&inner, &t->inner_ops, &t->inner_op_count);
}

void tally_release(struct tally *t)
{
    free(t->layers);
    free(t->ops);
    free(t->inner_ops);
    *t = (struct tally){ 0 };
}

bool tally_is_complete(const struct tally_row *r)
{
    return r->known == r->nodes;
}

bool tally_tells(const struct tally_row *r)
{
    return tally_is_complete(r) || r->cost.macs;
}
