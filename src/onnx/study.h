/* study.h -- a model with sizes for its inputs: the shapes of all values, and
 * what each node costs.
 *
 * Sizes that the file leaves open are chosen by name, or, where they have none,
 * as "input:axis"; an input that is a single whole number is given its value by
 * the input's name.  What then is still not known stays so: a study never
 * guesses.  Costs are counted as ops.h says; beyond that
 *   - an If costs what the branch costs that is taken, if the file settles
 *     that, else the dearer one;
 *   - a Loop or a Scan costs its body times its rounds, if these are known;
 *   - a call of one of the model's functions costs what is in it. */
#pragma once

#include "onnx/ops.h"

struct study_size {
    struct str name;
    int64_t size;
};

/* A node of the model's graph. */
struct study_node {
    bool cost_known;
    struct onnx_cost cost;
    bool bytes_known;          /* the next three */
    uint64_t parameter_bytes;  /* inputs that the file holds */
    uint64_t activation_bytes; /* all other inputs */
    uint64_t output_bytes;
};

struct study;

/* The model outlives the study; the sizes are copied. */
struct study *study_new(const struct onnx_model *m,
        const struct study_size *sizes, size_t count);
void study_free(struct study *s);

/* Whether the model has a dimension that size `i` is for. */
bool study_size_fits(const struct study *s, size_t i);

/* By its number in the model's graph. */
const struct study_node *study_node(const struct study *s, uint32_t node);

/* What is known of a value of the model's graph; NULL: it has none of that
 * name. */
const struct fact *study_value(const struct study *s, uint32_t symbol);

/* 2 MACs + operations; UINT64_MAX when it does not fit. */
uint64_t onnx_flops(const struct onnx_cost *c);
