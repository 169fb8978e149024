/* evaluate.h -- between study.c, evaluate.c (nodes one after another) and
 * control.c (nodes that hold graphs). */
#pragma once

#include "onnx/study.h"

/* The values of a graph while it is gone through: of the model's once, of an
 * inner graph or a function once for each time it is entered. */
struct frame {
    const struct onnx_graph *graph;
    const struct frame *outer; /* that names not found here are looked for in */
    const struct onnx_call
            *caller;  /* of the function that this is the body of */
    struct map index; /* by symbol: where in `facts` */
    struct fact *facts;
    size_t count, cap;
    struct map declared;        /* by symbol: what the file says of a value */
    struct study_node *results; /* by node; NULL: nobody wants them */
};

/* What a graph costs in all. */
struct total {
    bool known;
    struct onnx_cost cost;
};

struct study {
    const struct onnx_model *model;
    struct arena arena; /* numbers of facts */
    struct frame main;
    struct map sizes; /* by symbol of a dimension's name */
    struct study_size *chosen;
    size_t chosen_count;
    struct map ops;       /* by a node's kind: struct onnx_op */
    struct map functions; /* by a node's kind: which of the model's */
    uint64_t budget;      /* nodes that may still be gone through */
    int depth;            /* graphs within graphs */
};

void frame_put(struct frame *f, uint32_t symbol, const struct fact *fact);
const struct fact *frame_find(const struct frame *f, uint32_t symbol);
void frame_release(struct frame *f);

/* What the file says of a value, with the sizes that were chosen. */
struct fact evaluate_declared(const struct study *s,
        const struct onnx_value *v);

/* Puts a graph's initializers, and what it says of values, into a frame. */
void evaluate_begin(struct frame *f);

/* Goes through all nodes, in their order. */
struct total evaluate(struct study *s, struct frame *f);

/* A node that holds graphs, or calls a function: fills its outputs.  False: it
 * is none of those that are known. */
bool control_node(struct study *s, struct frame *f, struct onnx_call *c,
        struct total *cost);
