/* op_table.c -- operators of equal sessions, and what they read from each
 * other. */
#include "base/alloc.h"
#include "collect/kernels_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- what a kernel is ----------------------------------------------------- */

/* Names that ONNX Runtime makes up and numbers: "x_token_17",
 * "reorder_token_3". Another session of the same model has other numbers. */
static bool is_numbered(const char *name)
{
    const char *token = strstr(name, "_token_");

    return token && token[7] >= '0' && token[7] <= '9';
}

/* Its first output's name; 0: it has none. */
static uint64_t first_output(const struct kernel *x)
{
    uint64_t name = 0;
    unsigned index = UINT16_MAX + 1u;

    for (uint32_t i = 0; i < x->tensor_count; i++) {
        const struct record *r = &x->tensors[i];

        if (r->flags & TENSOR_OUTPUT && r->tensor.name &&
                r->tensor.index < index) {
            index = r->tensor.index;
            name = r->tensor.name;
        }
    }
    return name;
}

static bool make_key(struct kernels *k, struct process_kernels *p,
        struct kernel *x, unsigned depth)
{
    struct kernel *parent = NULL;

    if (x->key)
        return true;
    if (x->found.kernel.parent) {
        parent = kernels_find(p, x->found.kernel.parent);
        if (!parent || depth == BODIES || !make_key(k, p, parent, depth + 1))
            return false;
    }

    uint64_t name = first_output(x);
    const char *text = kernels_text(k, name);
    uint64_t in_graph = name && !(text && is_numbered(text))
                                ? mixed(name, 1)
                                : mixed(x->found.kernel.node_index, 2);

    x->key = mixed(mixed(parent ? parent->key : 0, x->found.kernel.op_type),
                     in_graph) |
             1; /* never 0 */
    return true;
}

bool op_key(struct kernels *k, struct process_kernels *p, struct kernel *x)
{
    return make_key(k, p, x, 0);
}

/* --- tables --------------------------------------------------------------- */

struct op_table *op_table_find(const struct kernels *k, uint32_t session)
{
    uint64_t *place = map_find(&k->by_session, session);

    return place ? k->tables[*place - 1] : NULL;
}

static uint64_t new_table(struct kernels *k, uint32_t session)
{
    struct op_table *t = alloc_zero(1, sizeof(*t));

    t->session = session;
    k->tables = alloc_resize(k->tables,
            (k->table_count + 1) * sizeof(struct op_table *));
    k->tables[k->table_count++] = t;
    return k->table_count;
}

/* What was lost before there was a table to count it in. */
static void count_lost(struct kernels *k, struct op_table *t, uint32_t session)
{
    for (unsigned phase = 0; phase < PHASES; phase++) {
        uint64_t key = (uint64_t)session << 8 | phase;
        uint64_t *lost = map_find(&k->lost, key);

        if (!lost)
            continue;
        t->accounts[phase].sum.lost += *lost;
        t->accounts[phase].changed = t->changed = true;
        map_remove(&k->lost, key);
    }
}

struct op_table *op_table_of(struct kernels *k, const struct kernels_run *run,
        uint64_t signature)
{
    uint64_t identity =
            run->identity ? mixed(run->identity, 1) : mixed(signature, 2);
    uint64_t *known = map_find(&k->by_identity, identity);
    uint64_t place = known ? *known : new_table(k, run->session);
    struct op_table *t = k->tables[place - 1];

    if (!known)
        map_put(&k->by_identity, identity, place);
    map_put(&k->by_session, run->session, place);
    count_lost(k, t, run->session);
    k->sink.operators_of(k->sink.context, &(struct session){ .id = run->session,
                                                  .operators_of = t->session });
    return t;
}

static void free_op(struct op *o)
{
    for (uint32_t i = 0; i < o->tensor_count; i++)
        free(o->tensors[i].shape);
    for (uint32_t i = 0; i < o->shape_count; i++) {
        free(o->shapes[i].inputs);
        free(o->shapes[i].outputs);
    }
    for (size_t i = 0; i < PHASES; i++)
        if (o->sums[i]) {
            hist_part_release(&o->sums[i]->spread);
            free(o->sums[i]);
        }
    free(o->tensors);
    free(o->shapes);
    free(o->made_name);
}

void op_table_free(struct op_table *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free_op(&t->ops[i]);
    for (size_t i = 0; i < t->sets.cap; i++)
        if (t->sets.entries[i].used) {
            struct shape_set *set =
                    (struct shape_set *)(uintptr_t)t->sets.entries[i].value;

            free(set->shape);
            free(set);
        }
    for (size_t i = 0; i < PHASES; i++)
        hist_part_release(&t->accounts[i].durations);
    map_release(&t->places);
    map_release(&t->producers);
    map_release(&t->sets);
    free(t->ops);
    free(t);
}

/* --- operators ------------------------------------------------------------ */

static int by_index(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    int x_out = x->flags & TENSOR_OUTPUT, y_out = y->flags & TENSOR_OUTPUT;

    if (x_out != y_out)
        return x_out - y_out;
    return (int)x->tensor.index - (int)y->tensor.index;
}

/* An input without a value is a weight, too: the kernel has packed it away. */
static bool is_weight(const struct record *r)
{
    return !(r->flags & (TENSOR_OUTPUT | TENSOR_ABSENT)) &&
           r->flags & (TENSOR_CONSTANT | TENSOR_NO_VALUE);
}

/* "[64,3,7,7]"; NULL: not known. */
static char *weight_shape(struct kernels *k, const struct record *r)
{
    if (!is_weight(r) || !r->tensor.type ||
            r->flags & (TENSOR_CUT | TENSOR_OTHER) ||
            r->tensor.rank > TENSOR_DIMS)
        return NULL;
    buf_clear(&k->text);
    buf_char(&k->text, '[');
    for (unsigned i = 0; i < r->tensor.rank; i++)
        buf_printf(&k->text, "%s%" PRIu32, i ? "," : "", r->tensor.dims[i]);
    buf_char(&k->text, ']');
    return alloc_text(buf_cstr(&k->text));
}

/* As they were described: the first of each index, though one with a name is
 * better. */
static void take_tensors(struct kernels *k, struct op *o, struct kernel *x)
{
    o->tensors = alloc_zero(x->tensor_count ? x->tensor_count : 1,
            sizeof(*o->tensors));
    if (x->tensor_count)
        qsort(x->tensors, x->tensor_count, sizeof(*x->tensors), by_index);
    for (uint32_t i = 0; i < x->tensor_count; i++) {
        const struct record *r = &x->tensors[i];
        struct op_tensor *last =
                o->tensor_count ? &o->tensors[o->tensor_count - 1] : NULL;
        bool again = last && last->index == r->tensor.index &&
                     !((last->flags ^ r->flags) & TENSOR_OUTPUT);

        if (again && (last->name || !r->tensor.name))
            continue;
        if (again)
            free(last->shape);
        else
            last = &o->tensors[o->tensor_count++];
        *last = (struct op_tensor){
            .name = r->tensor.name,
            .shape = weight_shape(k, r),
            .index = r->tensor.index,
            .flags = (uint8_t)(r->flags | (is_weight(r) ? TENSOR_CONSTANT : 0)),
            .type = r->tensor.type,
        };
    }
    k->tensor_count += o->tensor_count;
}

const struct op_tensor *op_find_tensor(const struct op *o, bool is_output,
        uint16_t index)
{
    for (uint32_t i = 0; i < o->tensor_count; i++)
        if (o->tensors[i].index == index &&
                !(o->tensors[i].flags & TENSOR_OUTPUT) == !is_output)
            return &o->tensors[i];
    return NULL;
}

static uint64_t in_graph(uint32_t graph, uint64_t name)
{
    return mixed(name, graph + UINT64_C(1));
}

/* An unnamed node is called as ONNX Runtime's profile prints it. */
static const char *make_name(struct kernels *k, struct op *o)
{
    buf_clear(&k->text);
    buf_printf(&k->text, "%s_%" PRIu32, o->row.op_type ? o->row.op_type : "",
            o->row.node_index);
    o->made_name = alloc_text(buf_cstr(&k->text));
    return o->made_name;
}

static void fill_op(struct kernels *k, struct op_table *t, struct op *o,
        struct kernel *x)
{
    const struct record *r = &x->found;

    o->row = (struct operator){
        .id = ++k->operator_count,
        .session = t->session,
        .parent = o->graph ? t->ops[o->graph - 1].row.id : 0,
        .op_type = kernels_text(k, r->kernel.op_type),
        .provider = kernels_text(k, r->kernel.provider),
        .domain = kernels_text(k, r->kernel.domain),
        .since_version = r->kernel.since_version,
        .node_index = r->kernel.node_index,
    };
    o->row.name = r->kernel.name ? kernels_text(k, r->kernel.name) : NULL;
    if (!r->kernel.name)
        o->row.name = make_name(k, o);
    take_tensors(k, o, x);
    if (o->graph)
        t->ops[o->graph - 1].is_flow = true;
}

static uint32_t add_op(struct kernels *k, struct op_table *t, struct kernel *x,
        uint32_t graph)
{
    if (t->count == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 64;
        t->ops = alloc_resize(t->ops, t->cap * sizeof(*t->ops));
    }

    struct op *o = &t->ops[t->count];

    *o = (struct op){ .graph = graph };
    fill_op(k, t, o, x);
    for (uint32_t i = 0; i < o->tensor_count; i++) {
        uint64_t name = o->tensors[i].name;

        if (o->tensors[i].flags & TENSOR_OUTPUT && name &&
                !map_find(&t->producers, in_graph(graph, name)))
            map_put(&t->producers, in_graph(graph, name), t->count);
    }
    map_put(&t->places, x->key, t->count);
    return t->count++;
}

bool op_resolve(struct kernels *k, struct process_kernels *p,
        struct op_table *t, struct kernel *x, unsigned depth)
{
    uint32_t graph = 0;

    if (!op_key(k, p, x) || depth > BODIES)
        return false;
    if (x->found.kernel.parent) {
        struct kernel *parent = kernels_find(p, x->found.kernel.parent);

        if (!parent ||
                (!parent->table && !op_resolve(k, p, t, parent, depth + 1)) ||
                parent->table != t)
            return false;
        graph = parent->place + 1;
    }

    uint64_t *place = map_find(&t->places, x->key);

    if (!place && (k->operator_count >= OPERATORS_MAX ||
                          k->tensor_count + x->tensor_count > TENSORS_MAX))
        return false;
    x->place = place ? (uint32_t)*place : add_op(k, t, x, graph);
    x->table = t;
    p->tensor_count -= x->tensor_count;
    free(x->tensors);
    x->tensors = NULL;
    x->tensor_count = 0;
    return true;
}

/* --- telling of them ------------------------------------------------------ */

static void tell_tensors(struct kernels *k, const struct op *o)
{
    for (uint32_t i = 0; i < o->tensor_count; i++) {
        const struct op_tensor *x = &o->tensors[i];

        if (x->flags & TENSOR_ABSENT)
            continue;
        k->sink.tensor(k->sink.context,
                &(struct operator_tensor){
                        .operator_id = o->row.id,
                        .is_output = x->flags & TENSOR_OUTPUT,
                        .index = x->index,
                        .name = kernels_text(k, x->name),
                        .is_constant = x->flags & TENSOR_CONSTANT,
                        .type = x->type,
                        .shape = x->shape,
                });
    }
}

static void tell_edge(struct kernels *k, const struct op_table *t,
        uint32_t from, uint32_t to)
{
    if (from != to)
        k->sink.edge(k->sink.context,
                &(struct operator_edge){ .from = t->ops[from].row.id,
                        .to = t->ops[to].row.id });
}

/* Who makes what an operator reads: in its own graph, or in one around it.
 * Then the operator around it reads it, too. */
static void tell_reading(struct kernels *k, const struct op_table *t,
        uint32_t reader, uint64_t name, uint32_t least)
{
    uint32_t around = reader;

    for (;;) {
        uint32_t graph = t->ops[around].graph;
        uint64_t *maker = map_find(&t->producers, in_graph(graph, name));

        if (maker) {
            if (reader < least && *maker < least)
                return; /* told before */
            tell_edge(k, t, (uint32_t)*maker, reader);
            if (around != reader)
                tell_edge(k, t, (uint32_t)*maker, around);
            return;
        }
        if (!graph)
            return; /* an input of the model */
        around = graph - 1;
    }
}

/* One that is new may make what an older one reads. */
static void tell_edges(struct kernels *k, const struct op_table *t,
        uint32_t least)
{
    for (uint32_t i = 0; i < t->count; i++)
        for (uint32_t j = 0; j < t->ops[i].tensor_count; j++) {
            const struct op_tensor *x = &t->ops[i].tensors[j];

            if (x->name && !(x->flags & (TENSOR_OUTPUT | TENSOR_CONSTANT)))
                tell_reading(k, t, i, x->name, least);
        }
}

/* With the first shapes that it ran with. */
static void tell_operator(struct kernels *k, const struct op *o)
{
    struct operator row = o->row;

    if (o->shape_count) {
        const struct op_shape *s = &o->shapes[0];

        row.inputs = s->inputs;
        row.outputs = s->outputs;
        row.sizes_known = s->sizes_known && s->output_known;
        row.activation_bytes = s->activation_bytes;
        row.parameter_bytes = s->parameter_bytes;
        row.output_bytes = s->output_bytes;
    }
    k->sink.found_operator(k->sink.context, &row);
}

void op_tell_new(struct kernels *k, struct op_table *t)
{
    if (t->told == t->count)
        return;
    for (uint32_t i = t->told; i < t->count; i++) {
        tell_operator(k, &t->ops[i]);
        tell_tensors(k, &t->ops[i]);
    }
    tell_edges(k, t, t->told);
    t->told = t->count;
}
