/* Messages and field numbers are those of onnx.proto, which is part of ONNX:
 * github.com/onnx/onnx/blob/main/onnx/onnx.proto. */
#include "tools/models/draft.h"

#include "base/alloc.h"
#include "base/pb.h"
#include "tools/models/names.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What every ONNX Runtime since 1.10 (2021) reads. */
#define IR_VERSION    7
#define OPSET_VERSION 14

enum { MODEL_IR_VERSION = 1, MODEL_PRODUCER = 2, MODEL_PRODUCER_VERSION = 3 };
enum { MODEL_GRAPH = 7, MODEL_OPSET = 8, OPSET_ID_VERSION = 2 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_INITIALIZER = 5 };
enum { GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP_TYPE = 4 };
enum { NODE_ATTRIBUTE = 5 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_F = 2, ATTRIBUTE_I = 3 };
enum { ATTRIBUTE_G = 6, ATTRIBUTE_INTS = 8, ATTRIBUTE_TYPE = 20 };
enum { TENSOR_DIMS = 1, TENSOR_DATA_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9 };
enum { VALUE_INFO_NAME = 1, VALUE_INFO_TYPE = 2, TYPE_TENSOR = 1 };
enum { TENSOR_TYPE_ELEMENT = 1, TENSOR_TYPE_SHAPE = 2, SHAPE_DIM = 1 };
enum { DIM_VALUE = 1, DIM_PARAM = 2 };

/* AttributeProto.AttributeType */
static const int attribute_type[] = {
    [ATTR_FLOAT] = 1,
    [ATTR_INT] = 2,
    [ATTR_GRAPH] = 5,
    [ATTR_INTS] = 7,
};

struct draft {
    struct names *names;
    const char *graph_name;
    /* Fields of GraphProto, each kind for itself. */
    struct buf nodes;
    struct buf initializers;
    struct buf inputs;
    struct buf outputs;
};

struct draft *draft_new(const char *graph_name)
{
    struct draft *d = alloc_zero(1, sizeof(*d));

    d->names = names_new();
    d->graph_name = names_copy(d->names, graph_name);
    return d;
}

void draft_free(struct draft *d)
{
    if (!d)
        return;
    names_free(d->names);
    buf_release(&d->nodes);
    buf_release(&d->initializers);
    buf_release(&d->inputs);
    buf_release(&d->outputs);
    free(d);
}

static void add_graph(struct buf *out, uint32_t number, const struct draft *d)
{
    size_t graph = pb_begin(out, number);

    buf_add(out, d->nodes.p, d->nodes.len);
    pb_text(out, GRAPH_NAME, d->graph_name);
    buf_add(out, d->initializers.p, d->initializers.len);
    buf_add(out, d->inputs.p, d->inputs.len);
    buf_add(out, d->outputs.p, d->outputs.len);
    pb_end(out, graph);
}

void draft_write(const struct draft *d, struct buf *out)
{
    pb_i64(out, MODEL_IR_VERSION, IR_VERSION);
    pb_text(out, MODEL_PRODUCER, "ortmeter make_models");
    pb_text(out, MODEL_PRODUCER_VERSION, ORTMETER_VERSION);
    add_graph(out, MODEL_GRAPH, d);

    size_t opset = pb_begin(out, MODEL_OPSET);

    pb_i64(out, OPSET_ID_VERSION, OPSET_VERSION);
    pb_end(out, opset);
}

void draft_scope(struct draft *d, const char *fmt, ...)
{
    char scope[96];
    va_list args;

    va_start(args, fmt);
    int len = vsnprintf(scope, sizeof(scope), fmt, args);
    va_end(args);
    assert(len >= 0 && (size_t)len < sizeof(scope));
    (void)len;
    names_scope(d->names, scope);
}

/* --- inputs and outputs --------------------------------------------------- */

static void add_shape(struct buf *out, struct str words)
{
    size_t shape = pb_begin(out, TENSOR_TYPE_SHAPE);

    for (struct str w = str_word(&words); w.len; w = str_word(&words)) {
        size_t dim = pb_begin(out, SHAPE_DIM);
        uint64_t size;

        if (str_u64(&size, w) == 0)
            pb_u64(out, DIM_VALUE, size);
        else
            pb_str(out, DIM_PARAM, w);
        pb_end(out, dim);
    }
    pb_end(out, shape);
}

static void add_value_info(struct buf *out, uint32_t number, const char *name,
        enum draft_type element, const char *shape)
{
    size_t value = pb_begin(out, number);

    pb_text(out, VALUE_INFO_NAME, name);

    size_t type = pb_begin(out, VALUE_INFO_TYPE);
    size_t tensor = pb_begin(out, TYPE_TENSOR);

    pb_i64(out, TENSOR_TYPE_ELEMENT, element);
    add_shape(out, str_of(shape));
    pb_end(out, tensor);
    pb_end(out, type);
    pb_end(out, value);
}

const char *draft_input(struct draft *d, const char *name, enum draft_type type,
        const char *shape)
{
    add_value_info(&d->inputs, GRAPH_INPUT, name, type, shape);
    return names_copy(d->names, name);
}

void draft_output(struct draft *d, const char *name, enum draft_type type,
        const char *shape)
{
    add_value_info(&d->outputs, GRAPH_OUTPUT, name, type, shape);
}

/* --- parameters and constants --------------------------------------------- */

size_t dims_elements(struct dims shape)
{
    size_t count = 1;

    for (size_t i = 0; i < shape.count; i++)
        count *= (size_t)shape.of[i];
    return count;
}

static void add_tensor(struct draft *d, const char *name, enum draft_type type,
        struct dims shape, struct str raw)
{
    size_t tensor = pb_begin(&d->initializers, GRAPH_INITIALIZER);

    for (size_t i = 0; i < shape.count; i++)
        pb_i64(&d->initializers, TENSOR_DIMS, shape.of[i]);
    pb_i64(&d->initializers, TENSOR_DATA_TYPE, type);
    pb_text(&d->initializers, TENSOR_NAME, name);
    pb_str(&d->initializers, TENSOR_RAW, raw);
    pb_end(&d->initializers, tensor);
}

static const char *add_floats(struct draft *d, const char *name,
        struct dims shape, const float *values)
{
    struct buf raw = { 0 };

    for (size_t i = 0; i < dims_elements(shape); i++) {
        uint32_t bits;

        memcpy(&bits, &values[i], sizeof(bits));
        pb_add_fixed32(&raw, bits);
    }
    add_tensor(d, name, DRAFT_FLOAT, shape, buf_str(&raw));
    buf_release(&raw);
    return name;
}

static const char *add_ints(struct draft *d, const char *name,
        struct dims shape, const int64_t *values)
{
    struct buf raw = { 0 };

    for (size_t i = 0; i < dims_elements(shape); i++)
        pb_add_fixed64(&raw, (uint64_t)values[i]);
    add_tensor(d, name, DRAFT_INT64, shape, buf_str(&raw));
    buf_release(&raw);
    return name;
}

const char *draft_floats(struct draft *d, const char *name, struct dims shape,
        const float *values)
{
    return add_floats(d, names_parameter(d->names, name), shape, values);
}

static const char *constant_name(struct draft *d)
{
    return names_output(d->names, names_node(d->names, "Constant"));
}

const char *draft_float(struct draft *d, float value)
{
    return add_floats(d, constant_name(d), SCALAR, &value);
}

const char *draft_int(struct draft *d, int64_t value)
{
    return add_ints(d, constant_name(d), SCALAR, &value);
}

const char *draft_ints(struct draft *d, struct dims values)
{
    return add_ints(d, constant_name(d), DIMS((int64_t)values.count),
            values.of);
}

/* --- nodes ---------------------------------------------------------------- */

struct attr attr_int(const char *name, int64_t value)
{
    return (struct attr){ .name = name, .kind = ATTR_INT, .ints = DIMS(value) };
}

struct attr attr_ints(const char *name, struct dims values)
{
    return (struct attr){ .name = name, .kind = ATTR_INTS, .ints = values };
}

struct attr attr_float(const char *name, float value)
{
    return (struct attr){ .name = name, .kind = ATTR_FLOAT, .real = value };
}

struct attr attr_graph(const char *name, const struct draft *body)
{
    return (struct attr){ .name = name, .kind = ATTR_GRAPH, .graph = body };
}

static void add_attribute(struct buf *out, const struct attr *a)
{
    size_t attribute = pb_begin(out, NODE_ATTRIBUTE);

    pb_text(out, ATTRIBUTE_NAME, a->name);
    switch (a->kind) {
    case ATTR_FLOAT: pb_float(out, ATTRIBUTE_F, a->real); break;
    case ATTR_INT: pb_i64(out, ATTRIBUTE_I, a->ints.of[0]); break;
    case ATTR_INTS:
        for (size_t i = 0; i < a->ints.count; i++)
            pb_i64(out, ATTRIBUTE_INTS, a->ints.of[i]);
        break;
    case ATTR_GRAPH: add_graph(out, ATTRIBUTE_G, a->graph); break;
    }
    pb_i64(out, ATTRIBUTE_TYPE, attribute_type[a->kind]);
    pb_end(out, attribute);
}

const char *draft_node(struct draft *d, const struct node *n)
{
    const char *slash = strrchr(n->name, '/');
    const char *name = names_node(d->names, n->name);
    const char *out = n->out ? names_copy(d->names, n->out)
                             : names_output(d->names, name);
    size_t node = pb_begin(&d->nodes, GRAPH_NODE);

    for (size_t i = 0; i < LEN(n->in) && n->in[i]; i++)
        pb_text(&d->nodes, NODE_INPUT, n->in[i]);
    pb_text(&d->nodes, NODE_OUTPUT, out);
    pb_text(&d->nodes, NODE_NAME, name);
    pb_text(&d->nodes, NODE_OP_TYPE, slash ? slash + 1 : n->name);
    for (size_t i = 0; i < LEN(n->attr) && n->attr[i].name; i++)
        add_attribute(&d->nodes, &n->attr[i]);
    pb_end(&d->nodes, node);
    return out;
}

const char *draft_unary(struct draft *d, const char *name, const char *in)
{
    return draft_node(d, &(struct node){ .name = name, .in = { in } });
}

const char *draft_binary(struct draft *d, const char *name, const char *a,
        const char *b)
{
    return draft_node(d, &(struct node){ .name = name, .in = { a, b } });
}
