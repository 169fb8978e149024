#include "import/profile_operators.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "import/import.h"

#include <stdlib.h>

/* Of one operator; runs with shapes beyond these have none. */
#define SHAPES_MAX 512

struct node_shape {
    uint64_t hash;
    struct operator_shape is; /* its texts are owned */
};

struct profile_operator {
    struct operator is; /* its texts are owned; it has no shapes */
    struct node_shape *shapes;
    size_t shape_count, shape_cap;
};

static char *owned(struct str text)
{
    struct buf b = { 0 };
    const char *t = import_text(&b, text);
    char *copy = t ? alloc_text(t) : NULL;

    buf_release(&b);
    return copy;
}

/* --- taking --------------------------------------------------------------- */

static uint32_t add(struct profile_operators *o, uint32_t session,
        const struct profile_event *e)
{
    if (o->count == o->cap) {
        o->cap = o->cap ? 2 * o->cap : 64;
        o->items = alloc_resize(o->items, o->cap * sizeof(*o->items));
    }
    o->items[o->count] = (struct
            profile_operator){ .is = {
                                       .id = (uint32_t)o->count + 1,
                                       .session = session,
                                       .name = owned(profile_node_name(e)),
                                       .op_type = owned(e->op_name),
                                       .provider = owned(e->provider),
                                       .node_index =
                                               e->node_index >= 0 &&
                                                               e->node_index <
                                                                       UINT32_MAX
                                                       ? (uint32_t)e->node_index
                                                       : UINT32_MAX,
                               } };
    return (uint32_t)++o->count;
}

static uint32_t find(struct profile_operators *o, uint32_t session,
        const struct profile_event *e)
{
    const struct str texts[] = { profile_node_name(e), e->op_name,
        e->provider };
    uint64_t key = (uint64_t)e->node_index ^ (uint64_t)session << 32;

    for (size_t i = 0; i < LEN(texts); i++)
        key = import_hash(key, texts[i]);

    const uint64_t *known = map_find(&o->by_node, key);
    uint32_t id = known ? (uint32_t)*known : add(o, session, e);

    if (!known)
        map_put(&o->by_node, key, id);
    return id;
}

static void add_shape(struct profile_operator *o, uint64_t hash,
        const struct profile_event *e)
{
    bool sizes = e->activation_size >= 0 && e->parameter_size >= 0 &&
                 e->output_size >= 0;

    if (o->shape_count == o->shape_cap) {
        o->shape_cap = o->shape_cap ? 2 * o->shape_cap : 1;
        o->shapes = alloc_resize(o->shapes, o->shape_cap * sizeof(*o->shapes));
    }
    o->shapes[o->shape_count] = (struct node_shape){ hash,
        { .operator_id = o->is.id,
                .index = (uint32_t)o->shape_count,
                .inputs = owned(e->input_type_shape),
                .outputs = owned(e->output_type_shape),
                .count = 1,
                .sizes_known = sizes,
                .activation_bytes = sizes ? (uint64_t)e->activation_size : 0,
                .parameter_bytes = sizes ? (uint64_t)e->parameter_size : 0,
                .output_known = sizes,
                .output_bytes = sizes ? (uint64_t)e->output_size : 0 } };
    o->shape_count++;
}

static void count_shape(struct profile_operator *o,
        const struct profile_event *e)
{
    uint64_t hash = import_hash(import_hash(0, e->input_type_shape),
            e->output_type_shape);

    for (size_t i = 0; i < o->shape_count; i++)
        if (o->shapes[i].hash == hash) {
            o->shapes[i].is.count++;
            return;
        }
    if (o->shape_count < SHAPES_MAX)
        add_shape(o, hash, e);
}

uint32_t profile_operators_take(struct profile_operators *o, uint32_t session,
        const struct profile_event *e)
{
    uint32_t id = find(o, session, e);

    count_shape(&o->items[id - 1], e);
    return id;
}

/* --- storing -------------------------------------------------------------- */

/* The only shapes that it ever had are the operator's own. */
static struct operator whole(const struct profile_operator *o)
{
    struct operator x = o->is;

    if (o->shape_count == 1) {
        const struct operator_shape *s = &o->shapes->is;

        x.inputs = s->inputs;
        x.outputs = s->outputs;
        x.sizes_known = s->sizes_known;
        x.activation_bytes = s->activation_bytes;
        x.parameter_bytes = s->parameter_bytes;
        x.output_bytes = s->output_bytes;
    }
    return x;
}

void profile_operators_store(const struct profile_operators *o, struct store *s)
{
    for (size_t i = 0; i < o->count; i++) {
        const struct profile_operator *x = &o->items[i];
        struct operator one = whole(x);

        store_add_operator(s, &one);
        for (size_t k = 0; k < x->shape_count && x->shape_count > 1; k++)
            store_add_operator_shape(s, &x->shapes[k].is);
    }
}

void profile_operators_release(struct profile_operators *o)
{
    for (size_t i = 0; i < o->count; i++) {
        struct profile_operator *x = &o->items[i];

        free((char *)x->is.name);
        free((char *)x->is.op_type);
        free((char *)x->is.provider);
        for (size_t k = 0; k < x->shape_count; k++) {
            free((char *)x->shapes[k].is.inputs);
            free((char *)x->shapes[k].is.outputs);
        }
        free(x->shapes);
    }
    free(o->items);
    map_release(&o->by_node);
}
