/* ops_normalise.c -- normalisations.
 *
 * Operations for an element: LayerNormalization takes it off the mean (1),
 * squares and sums it (2), sums it for the mean (1), scales it twice (2) and
 * shifts it (1): 7.  Without a mean (RMS) 4; with one that was learned
 * (BatchNormalization) a factor and a summand: 2; a skip adds one. */
#include "onnx/ops.h"

#include <stddef.h>

/* What goes in comes out; statistics are of the channels. */
static void infer_batch(struct onnx_call *c)
{
    infer_same(c);
    for (int i = 1; i < 3 && i < c->out_count; i++) {
        struct fact f = *call_in(c, i + 2);

        f.data = NULL;
        f.weight = false;
        call_set(c, i, &f);
    }
}

/* The mean, and one over the deviation: 1 for each axis that is normalised. */
static void infer_layer(struct onnx_call *c)
{
    struct fact f = *call_in(c, 0);
    int axis = fact_axis(call_int(c, "axis", -1), f.rank);

    infer_same(c);
    if (axis < 0)
        return;
    for (int i = axis; i < f.rank; i++)
        f.dims[i] = 1;
    f.type = (int)call_int(c, "stash_type", ONNX_FLOAT);
    f.data = NULL;
    f.weight = false;
    call_set(c, 1, &f);
    call_set(c, 2, &f);
}

const struct onnx_op ops_normalise[] = {
    { "BatchNormalization", infer_batch, cost_each, 2 },
    { "GroupNormalization", infer_same, cost_each, 7 },
    { "InstanceNormalization", infer_same, cost_each, 7 },
    { "LayerNormalization", infer_layer, cost_each, 7 },
    { "LpNormalization", infer_same, cost_each, 3 },
    { "LRN", infer_same, cost_each, 4 },
    { "MeanVarianceNormalization", infer_same, cost_each, 5 },
    { "RMSNormalization", infer_layer, cost_each, 4 },
    /* ONNX Runtime's, in ONNX's domain. */
    { "SimplifiedLayerNormalization", infer_layer, cost_each, 4 },
    { 0 },
};

/* --- com.microsoft -------------------------------------------------------- */

/* The fourth output is what was normalised: the sum. */
static void infer_skip(struct onnx_call *c)
{
    struct fact sum = *call_in(c, 0);

    infer_layer(c);
    sum.data = NULL;
    sum.weight = false;
    call_set(c, 3, &sum);
}

/* The second is the sum. */
static void infer_skip_group(struct onnx_call *c)
{
    struct fact sum = *call_in(c, 0);

    infer_same(c);
    sum.data = NULL;
    sum.weight = false;
    call_set(c, 1, &sum);
}

const struct onnx_op ops_microsoft_normalise[] = {
    { "GroupNorm", infer_same, cost_each, 7 },
    { "SkipGroupNorm", infer_skip_group, cost_each, 8 },
    { "SkipLayerNormalization", infer_skip, cost_each, 8 },
    { "SkipSimplifiedLayerNormalization", infer_skip, cost_each, 5 },
    { 0 },
};
