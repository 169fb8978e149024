/* deep_values.h -- what operators' outputs held, inference by inference: the
 * rows that --stats left. */
#pragma once

#include "analyse/operators/operators.h"

enum deep_head_figure {
    HEAD_ENTROPY,
    HEAD_LARGEST,
    HEAD_SPARSITY,
    HEAD_FIGURES
};

struct deep_value {
    uint64_t inference; /* 0: of all together */
    uint32_t operator_id;
    uint16_t output;
    uint64_t read, near_zero, negative;
    bool negative_known;
    double mean, std, max; /* NAN: none is finite */
    double *heads;         /* head by head, HEAD_FIGURES each; NULL: none */
    size_t head_count;
};

struct deep_values {
    struct deep_value *items; /* by inference, operator, output */
    size_t count;
};

/* Those of operators in a component, and all inferences summed up. */
int deep_values_read(struct deep_values *out, const struct operators *o,
        struct store *s, int64_t run, struct error *e);
void deep_values_release(struct deep_values *v);

/* NULL: nobody looked. */
const struct deep_value *deep_values_find(const struct deep_values *v,
        uint64_t inference, uint32_t operator_id, uint16_t output);
