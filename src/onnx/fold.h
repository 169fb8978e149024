/* fold.h -- arithmetic on the few numbers that shapes are made from.
 *
 * Each returns the numbers of a value of the shape `to`, or NULL when they are
 * not known or too many.  NaN in, NaN out: part of a shape may be unknown. */
#pragma once

#include "onnx/ops.h"

/* One operator on one input, or on two that are broadcast: "Neg", "Add", ...
 * `whole`: the inputs are whole numbers, which Div and Mod mind. */
const double *fold_unary(struct onnx_call *c, const struct fact *to,
        const char *op, const struct fact *a);
const double *fold_binary(struct onnx_call *c, const struct fact *to,
        const char *op, const struct fact *a, const struct fact *b);

/* To the type of `to`: whole numbers lose their fraction. */
const double *fold_cast(struct onnx_call *c, const struct fact *to,
        const struct fact *a);

/* a where `condition`, else b. */
const double *fold_where(struct onnx_call *c, const struct fact *to,
        const struct fact *condition, const struct fact *a,
        const struct fact *b);

/* Repeated to a larger shape. */
const double *fold_expand(struct onnx_call *c, const struct fact *to,
        const struct fact *a);

/* Those at `start` + i * `step` along each axis. */
const double *fold_slice(struct onnx_call *c, const struct fact *to,
        const struct fact *a, const int64_t *start, const int64_t *step);

/* With its axes in another order. */
const double *fold_transpose(struct onnx_call *c, const struct fact *to,
        const struct fact *a, const int *order);

/* Several behind each other along an axis. */
const double *fold_concat(struct onnx_call *c, const struct fact *to, int axis);

/* All of them to one: "Sum", "Prod", "Max", "Min". */
const double *fold_reduce(struct onnx_call *c, const char *op,
        const struct fact *a);
