/* run_graph.h -- the graph of a session as it ran, after ONNX Runtime optimised
 * it: which operator reads what which other one made.
 *
 * It is put together from the names of the operators' inputs and outputs.  The
 * operators in the body of an If, a Loop or a Scan see the names around it, so
 * what they read from outside, the If itself waits for.
 *
 * Arithmetic on what is handed in; nothing is read from anywhere. */
#pragma once

#include "model/traced.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_GRAPH_NONE UINT32_MAX

/* An operator, in the order in which they ran first. */
struct run_operator {
    uint32_t id;
    uint32_t parent; /* id of the operator in whose body it is; 0: of none */
    double ns;       /* that it takes in an inference, with what runs in it */
    bool bytes_known;
    uint64_t output_bytes;
};

/* Operators are known by their places in the array that was handed in. */
struct run_graph {
    size_t count;
    const struct run_operator *operators; /* the caller's */
    uint32_t *parent;                     /* place, or RUN_GRAPH_NONE */
    uint32_t *from;        /* whose results are read: those of operator i are */
    size_t *first;         /* from[first[i]] to before from[first[i + 1]] */
    uint32_t *last_reader; /* the last that reads its results; NONE: none */
};

/* The tensors may be in any order, those of other operators are passed over.
 * run_graph_release() in any case. */
void run_graph_build(struct run_graph *g, const struct run_operator *operators,
        size_t count, const struct operator_tensor *tensors,
        size_t tensor_count);
void run_graph_release(struct run_graph *g);

/* The chain of operators, each of which waits for the one before, that takes
 * longest: no number of threads makes an inference shorter.  Operators in the
 * bodies of others are part of these.  `path`, if it is not NULL, has room for
 * all; returns the time. */
double run_graph_critical_path(const struct run_graph *g, uint32_t *path,
        size_t *path_count);

/* How many operators may run side by side at most, if each starts as soon as
 * what it reads is there and all take equally long. */
size_t run_graph_width(const struct run_graph *g);

/* The most bytes of results that are needed at the same time, in the order in
 * which the operators ran: a result is kept until its last reader is done, and
 * to the end where it has none.  What ONNX Runtime computes in place is not
 * taken off.  False: of some operator that has results no size is known. */
bool run_graph_peak(uint64_t *bytes, const struct run_graph *g);
