/* tally.h -- a study's costs, summed by operator, component and layer. */
#pragma once

#include "onnx/arch.h"
#include "onnx/study.h"

struct tally_row {
    uint32_t nodes;
    uint32_t known; /* nodes whose cost is known; the sum is of these */
    struct onnx_cost cost;
    uint64_t parameter_bytes; /* that the nodes read, as far as is known */
};

struct tally_op {
    struct str op_type;
    struct str domain;
    struct tally_row row;
};

struct tally {
    struct tally_row all; /* nodes of the model's graph */
    struct tally_row component[ARCH_COMPONENTS];
    struct tally_row *layers;
    int layer_count;
    struct tally_op *ops; /* of the model's graph, the most frequent first */
    uint32_t op_count;
    struct tally_op *inner_ops; /* of graphs within nodes, and functions: only
                                   nodes are counted */
    uint32_t inner_op_count;
};

/* Texts are the model's. */
void tally_init(struct tally *t, const struct onnx_model *m,
        const struct study *s, const struct arch *a);
void tally_release(struct tally *t);

/* Whether the costs of all nodes are known. */
bool tally_is_complete(const struct tally_row *r);

/* Whether the sum tells something: it is complete, or has MACs in it, and then
 * it is a lower bound.  A 0 that leaves out nodes would be no figure. */
bool tally_tells(const struct tally_row *r);
