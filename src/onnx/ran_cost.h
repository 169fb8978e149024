/* ran_cost.h -- what an operator cost that ran: counted as ops.h says, with the
 * shapes that ONNX Runtime told of it.
 *
 * So sizes that a model's file leaves open do not matter. */
#pragma once

#include "onnx/ops.h"

struct ran_operator {
    struct str op_type;
    struct str inputs;            /* as ONNX Runtime writes types and shapes: */
    struct str outputs;           /* [{"float":[1,3,48,192]},{"int64":[]}] */
    const struct onnx_node *node; /* of the file, for its attributes; NULL: it
                                   * has none that we know of */
};

/* False: it cannot be told; `out` is then untouched.  The texts may be
 * anything. */
bool ran_cost(struct onnx_cost *out, const struct ran_operator *o);
