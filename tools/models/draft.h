/* draft.h -- an ONNX model while it is being written, in the manner of
 * PyTorch's exporter.
 *
 *     struct draft *d = draft_new("mlp");
 *     const char *x = draft_input(d, "x", DRAFT_FLOAT, "batch 64");
 *
 *     draft_scope(d, "/act");
 *     const char *y = draft_unary(d, "Relu", x);   node /act/Relu,
 *     ...                                          value /act/Relu_output_0
 *     draft_write(d, &file);
 *     draft_free(d);
 *
 * A value (an input, a tensor of weights, what a node puts out) is known by its
 * name.  Names that are returned belong to the draft; what is passed in is
 * copied.  Nodes are written in the order in which they are added, so a node
 * comes after those it feeds on.  Nothing here fails. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"

#include <stdint.h>

struct draft;

/* The element types we use, numbered as in TensorProto.DataType. */
enum draft_type {
    DRAFT_FLOAT = 1,
    DRAFT_INT64 = 7,
    DRAFT_BOOL = 9,
};

/* A few whole numbers: `DIMS(1, 3, 64, 64)`. */
struct dims {
    size_t count;
    int64_t of[5];
};
#define DIMS(...)                                                 \
    ((struct dims){ .count = sizeof((int64_t[]){ __VA_ARGS__ }) / \
                             sizeof(int64_t),                     \
            .of = { __VA_ARGS__ } })
#define SCALAR ((struct dims){ .count = 0 })

/* How many elements a tensor of this shape has. */
size_t dims_elements(struct dims shape);

/* An attribute of a node; one without a name ends a list. */
struct attr {
    const char *name;
    enum { ATTR_INT, ATTR_INTS, ATTR_FLOAT, ATTR_GRAPH } kind;
    struct dims ints; /* ATTR_INT: the first */
    float real;
    const struct draft *graph;
};
struct attr attr_int(const char *name, int64_t value);
struct attr attr_ints(const char *name, struct dims values);
struct attr attr_float(const char *name, float value);
/* The body of a loop, a branch: a draft of its own, written with the node.  It
 * sees the values of the graph around it, so its scopes differ from those. */
struct attr attr_graph(const char *name, const struct draft *body);

struct node {
    const char *name;    /* below the scope; the last part is the operator:
                            "q_proj/MatMul", "Add" */
    const char *in[6];   /* ends with NULL */
    struct attr attr[6]; /* ends with one that has no name */
    const char *out;     /* NULL: named after the node */
};

struct draft *draft_new(const char *graph_name);
void draft_free(struct draft *d);

/* Adds the whole model, as a .onnx file holds it. */
void draft_write(const struct draft *d, struct buf *out);

/* An input or output of the graph.  `shape` is a row of words: numbers are
 * sizes, anything else names a size that each run chooses. */
const char *draft_input(struct draft *d, const char *name, enum draft_type type,
        const char *shape);
void draft_output(struct draft *d, const char *name, enum draft_type type,
        const char *shape);

/* The module that what follows belongs to, "/model/layers.0", entered for the
 * first time or again.  See names.h for what it does to names. */
void draft_scope(struct draft *d, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A parameter of the module. */
const char *draft_floats(struct draft *d, const char *name, struct dims shape,
        const float *values);

/* Constants that need no name of their own: scalars, and a vector (a shape to
 * reshape to, axes, ...). */
const char *draft_float(struct draft *d, float value);
const char *draft_int(struct draft *d, int64_t value);
const char *draft_ints(struct draft *d, struct dims values);

/* Adds a node and returns the value it puts out. */
const char *draft_node(struct draft *d, const struct node *n);
/* The common cases: no attributes, and one input or two. */
const char *draft_unary(struct draft *d, const char *name, const char *in);
const char *draft_binary(struct draft *d, const char *name, const char *a,
        const char *b);
