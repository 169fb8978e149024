/* ops_reduce.c -- sums and the like along axes. */
#include "onnx/fold.h"

#include <stddef.h>
#include <string.h>

/* Whether all is reduced to one number, and how. */
static const double *fold_all(struct onnx_call *c, const struct fact *f)
{
    static const char *const names[][2] = { { "ReduceSum", "Sum" },
        { "ReduceProd", "Prod" }, { "ReduceMax", "Max" },
        { "ReduceMin", "Min" } };
    uint64_t elements;

    if (!fact_elements(&elements, f) || elements != 1)
        return NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(c->op->name, names[i][0]) == 0)
            return fold_reduce(c, names[i][1], call_in(c, 0));
    return NULL;
}

static void infer_reduce(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    struct fact f = fact_rank(in->type, 0);
    int64_t axes[FACT_DATA_MAX];
    bool given, keep = call_int(c, "keepdims", 1);
    int count = call_list(c, 1, "axes", axes, &given);
    unsigned gone = 0;

    if (in->rank < 0)
        return;
    /* Which axes go is not known: at least the rank may be. */
    if (given && count < 0) {
        f = fact_rank(in->type, keep ? in->rank : FACT_UNKNOWN);
        call_set(c, 0, &f);
        return;
    }
    for (int i = 0; i < count; i++) {
        int axis = fact_axis(axes[i], in->rank);

        if (axis < 0)
            return;
        gone |= 1u << axis;
    }
    if (count <= 0 && !call_int(c, "noop_with_empty_axes", 0))
        gone = ~0u;
    for (int i = 0; i < in->rank; i++) {
        if (!(gone & 1u << i))
            f.dims[f.rank++] = in->dims[i];
        else if (keep)
            f.dims[f.rank++] = 1;
    }
    f.data = fold_all(c, &f);
    call_set(c, 0, &f);
}

static void infer_arg(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    int axis = fact_axis(call_int(c, "axis", 0), in->rank);
    bool keep = call_int(c, "keepdims", 1);
    struct fact f = fact_rank(ONNX_INT64, 0);

    if (axis < 0)
        return;
    for (int i = 0; i < in->rank; i++) {
        if (i != axis)
            f.dims[f.rank++] = in->dims[i];
        else if (keep)
            f.dims[f.rank++] = 1;
    }
    call_set(c, 0, &f);
}

static void infer_top_k(struct onnx_call *c)
{
    struct fact values = *call_in(c, 0), indices;
    int axis = fact_axis(call_int(c, "axis", -1), values.rank);
    int64_t k[FACT_DATA_MAX] = { 0 };
    int known = call_numbers(c, 1, k);

    if (axis < 0)
        return;
    if (!call_has(c, 1)) { /* before operator set 10 */
        k[0] = call_int(c, "k", FACT_UNKNOWN);
        known = 1;
    }
    values.data = NULL;
    values.weight = false;
    values.dims[axis] = known == 1 && k[0] >= 0 ? k[0] : FACT_UNKNOWN;
    indices = values;
    indices.type = ONNX_INT64;
    call_set(c, 0, &values);
    call_set(c, 1, &indices);
}

/* The determinants of all matrices in the last two axes. */
static void infer_det(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    struct fact f =
            fact_rank(in->type, in->rank < 2 ? FACT_UNKNOWN : in->rank - 2);

    for (int i = 0; i < f.rank; i++)
        f.dims[i] = in->dims[i];
    call_set(c, 0, &f);
}

const struct onnx_op ops_reduce[] = {
    { "ReduceL1", infer_reduce, cost_read, 2 },
    { "ReduceL2", infer_reduce, cost_read, 2 },
    { "ReduceLogSum", infer_reduce, cost_read, 1 },
    { "ReduceLogSumExp", infer_reduce, cost_read, 2 },
    { "ReduceMax", infer_reduce, cost_read, 1 },
    { "ReduceMean", infer_reduce, cost_read, 1 },
    { "ReduceMin", infer_reduce, cost_read, 1 },
    { "ReduceProd", infer_reduce, cost_read, 1 },
    { "ReduceSum", infer_reduce, cost_read, 1 },
    { "ReduceSumSquare", infer_reduce, cost_read, 2 },
    { "ArgMax", infer_arg, cost_read, 1 },
    { "ArgMin", infer_arg, cost_read, 1 },
    { "TopK", infer_top_k, cost_free, 0 },
    { "CumSum", infer_same, cost_read, 1 },
    { "Softmax", infer_same, cost_each, 3 },
    { "LogSoftmax", infer_same, cost_each, 3 },
    { "Hardmax", infer_same, cost_each, 1 },
    { "Det", infer_det, NULL, 0 },
    { 0 },
};
