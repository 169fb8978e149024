/* activations.h -- the values of operators' outputs, in inferences that were
 * looked at (--stats). */
#pragma once

#include "analyse/operators/operators.h"

/* An output of an operator, in all of these inferences. */
struct activation_figures {
    uint32_t operator_id;
    uint16_t output;
    uint64_t inferences;
    uint64_t elements, read; /* together: elements, and those looked at */
    uint64_t nans, infinities, near_zero; /* of `read` */
    /* Of the finite ones; NAN: there is none. */
    double mean_abs, std_dev, max_abs;
};

struct activations {
    struct activation_figures *items; /* in the order in which they ran first */
    size_t count;
    uint64_t inferences;
    double cost_ns;      /* of looking, all together, */
    double looked_bytes; /* at so much; 0: not known */
    /* The operator that made the first NaN or infinity: in the first inference
     * that had one, the first in the order of the graph.  0: none. */
    uint32_t first_nan, first_infinity;
    uint64_t nan_inference, infinity_inference; /* their numbers */
};

int activations_read(struct activations *out, const struct operators *o,
        struct store *s, int64_t run, struct error *e);
void activations_release(struct activations *a);
