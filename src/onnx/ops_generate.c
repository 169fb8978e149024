/* ops_generate.c -- operators that make values out of little: constants,
 * shapes, ranges, random numbers; and those of which little can be said. */
#include "onnx/fold.h"

#include <math.h>
#include <stddef.h>

/* A shape that an input lists; sizes that are not known stay open. */
static struct fact listed(const struct onnx_call *c, int i, int type)
{
    const struct fact *shape = call_in(c, i);
    int count = fact_count(shape);
    int rank = count;

    if (count < 0 && shape->rank == 1 && shape->dims[0] <= FACT_RANK_MAX)
        rank = (int)shape->dims[0];

    struct fact f = fact_rank(type, rank);

    for (int k = 0; k < count && k < f.rank; k++) {
        int64_t size;

        if (fact_int(&size, shape->data[k]) && size >= 0)
            f.dims[k] = size;
    }
    return f;
}

/* --- constants ------------------------------------------------------------ */

static struct fact numbers(struct onnx_call *c, int type, uint32_t count)
{
    struct fact f = fact_rank(type, 1);

    f.dims[0] = count;
    f.weight = true;
    f.data = count <= FACT_DATA_MAX ? call_data(c, (int)count) : NULL;
    return f;
}

static struct fact of_ints(struct onnx_call *c, const struct onnx_attr *a)
{
    struct fact f = numbers(c, ONNX_INT64, a->count);
    double *data = (double *)(uintptr_t)f.data;

    for (uint32_t i = 0; data && i < a->count; i++)
        data[i] = (double)a->ints[i];
    return f;
}

static struct fact of_floats(struct onnx_call *c, const struct onnx_attr *a)
{
    struct fact f = numbers(c, ONNX_FLOAT, a->count);
    double *data = (double *)(uintptr_t)f.data;

    for (uint32_t i = 0; data && i < a->count; i++)
        data[i] = (double)a->floats[i];
    return f;
}

static struct fact of_one(struct onnx_call *c, int type, double value)
{
    struct fact f = fact_rank(type, 0);
    double *data = call_data(c, 1);

    data[0] = value;
    f.data = data;
    f.weight = true;
    return f;
}

static void infer_constant(struct onnx_call *c)
{
    static const char *const names[] = { "value", "value_int", "value_ints",
        "value_float", "value_floats", "value_string", "value_strings" };
    const struct onnx_attr *a = NULL;
    struct fact f = fact_nothing();

    for (size_t i = 0; !a && i < sizeof(names) / sizeof(names[0]); i++)
        a = call_attr(c, names[i]);
    if (!a)
        return;
    switch (a->kind) {
    case ONNX_ATTR_TENSOR: f = fact_of_tensor(a->tensor); break;
    case ONNX_ATTR_INT: f = of_one(c, ONNX_INT64, (double)a->i); break;
    case ONNX_ATTR_FLOAT: f = of_one(c, ONNX_FLOAT, (double)a->f); break;
    case ONNX_ATTR_INTS: f = of_ints(c, a); break;
    case ONNX_ATTR_FLOATS: f = of_floats(c, a); break;
    case ONNX_ATTR_TEXT: f = fact_rank(ONNX_STRING, 0); break;
    case ONNX_ATTR_TEXTS:
        f = fact_rank(ONNX_STRING, 1);
        f.dims[0] = a->count;
        break;
    default: break;
    }
    call_set(c, 0, &f);
}

static void infer_constant_of_shape(struct onnx_call *c)
{
    const struct onnx_attr *a = call_attr(c, "value");
    struct fact value = fact_rank(ONNX_FLOAT, 0);
    static const double zero = 0;

    value.data = &zero;
    if (a && a->kind == ONNX_ATTR_TENSOR) {
        value = fact_of_tensor(a->tensor);
        value.rank = 0; /* its one element fills the shape */
        if (a->tensor->elements != 1)
            value.data = NULL;
    }

    struct fact f = listed(c, 0, value.type);

    f.data = fold_expand(c, &f, &value);
    call_set(c, 0, &f);
}

/* --- shapes --------------------------------------------------------------- */

static int64_t clamp(int64_t x, int64_t rank)
{
    if (x < 0)
        x += rank;
    return x < 0 ? 0 : (x > rank ? rank : x);
}

static void infer_shape(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    struct fact f = fact_rank(ONNX_INT64, 1);

    if (in->rank >= 0) {
        int64_t from = clamp(call_int(c, "start", 0), in->rank);
        int64_t to = clamp(call_int(c, "end", in->rank), in->rank);
        double *data = call_data(c, in->rank);

        f.dims[0] = to > from ? to - from : 0;
        for (int64_t i = from; i < to; i++)
            data[i - from] =
                    in->dims[i] < 0 ? (double)NAN : (double)in->dims[i];
        f.data = data;
    }
    call_set(c, 0, &f);
}

static void infer_size(struct onnx_call *c)
{
    struct fact f = fact_rank(ONNX_INT64, 0);
    uint64_t elements;
    double *data = call_data(c, 1);

    data[0] = (double)NAN;
    if (fact_elements(&elements, call_in(c, 0)))
        data[0] = (double)elements;
    f.data = data;
    call_set(c, 0, &f);
}

/* --- ranges and the like -------------------------------------------------- */

static void infer_range(struct onnx_call *c)
{
    const struct fact *in[3];
    struct fact f = fact_rank(call_in(c, 0)->type, 1);

    for (int i = 0; i < 3; i++) {
        in[i] = call_in(c, i);
        if (fact_count(in[i]) != 1 || isnan(in[i]->data[0])) {
            call_set(c, 0, &f);
            return;
        }
    }

    double from = in[0]->data[0], step = in[2]->data[0];
    double count = step != 0 ? ceil((in[1]->data[0] - from) / step) : 0;

    f.dims[0] = count > 0 && count < 1e15 ? (int64_t)count : 0;
    if (f.dims[0] <= FACT_DATA_MAX) {
        double *data = call_data(c, (int)f.dims[0]);

        for (int i = 0; i < f.dims[0]; i++)
            data[i] = from + i * step;
        f.data = data;
    }
    call_set(c, 0, &f);
}

/* Of known numbers, where they are not zero: [rank, how many]. */
static void infer_non_zero(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    struct fact f = fact_rank(ONNX_INT64, 2);
    int count = fact_count(in), found = 0;

    f.dims[0] = in->rank;
    for (int i = 0; i < count; i++) {
        if (isnan(in->data[i]))
            count = FACT_UNKNOWN;
        else
            found += in->data[i] != 0;
    }
    if (count >= 0)
        f.dims[1] = found;
    call_set(c, 0, &f);
}

/* The shape of the input, the type of the attribute. */
static void infer_like(struct onnx_call *c)
{
    infer_same(c);
    if (c->out_count)
        c->out[0].type = (int)call_int(c, "dtype", c->out[0].type);
}

static void infer_random(struct onnx_call *c)
{
    const int64_t *shape;
    int rank = call_ints(c, "shape", &shape);
    struct fact f = fact_rank((int)call_int(c, "dtype", ONNX_FLOAT), rank);

    for (int i = 0; i < f.rank; i++)
        f.dims[i] = shape[i] < 0 ? FACT_UNKNOWN : shape[i];
    call_set(c, 0, &f);
}

/* HannWindow and its kin: as long as they are told. */
static void infer_window(struct onnx_call *c)
{
    int64_t size[FACT_DATA_MAX];
    struct fact f =
            fact_rank((int)call_int(c, "output_datatype", ONNX_FLOAT), 1);

    if (call_numbers(c, 0, size) == 1 && size[0] >= 0)
        f.dims[0] = size[0];
    call_set(c, 0, &f);
}

static void infer_multinomial(struct onnx_call *c)
{
    struct fact f = fact_rank((int)call_int(c, "dtype", ONNX_INT32), 2);
    int64_t count = call_int(c, "sample_size", 1);

    if (call_in(c, 0)->rank == 2)
        f.dims[0] = call_in(c, 0)->dims[0];
    f.dims[1] = count < 0 ? FACT_UNKNOWN : count;
    call_set(c, 0, &f);
}

static void infer_flag(struct onnx_call *c)
{
    struct fact f = fact_rank(ONNX_BOOL, 0);

    call_set(c, 0, &f);
}

static void infer_length(struct onnx_call *c)
{
    struct fact f = fact_rank(ONNX_INT64, 0);

    call_set(c, 0, &f);
}

static void infer_boxes(struct onnx_call *c)
{
    struct fact f = fact_rank(ONNX_INT64, 2);

    f.dims[1] = 3;
    call_set(c, 0, &f);
}

/* As many as the data has it: of all elements in a row, or along an axis. */
static void infer_some(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    bool all = !call_attr(c, "axis");
    int axis = fact_axis(call_int(c, "axis", 0), in->rank);
    struct fact f = fact_rank(in->type, all ? 1 : in->rank);

    for (int i = 0; !all && axis >= 0 && i < f.rank; i++)
        if (i != axis)
            f.dims[i] = in->dims[i];
    call_set(c, 0, &f);
}

const struct onnx_op ops_generate[] = {
    { "Constant", infer_constant, cost_free, 0 },
    { "ConstantOfShape", infer_constant_of_shape, cost_free, 0 },
    { "Shape", infer_shape, cost_free, 0 },
    { "Size", infer_size, cost_free, 0 },
    { "Range", infer_range, cost_free, 0 },
    { "NonZero", infer_non_zero, cost_free, 0 },
    { "EyeLike", infer_like, cost_free, 0 },
    { "Bernoulli", infer_like, cost_free, 0 },
    { "RandomNormalLike", infer_like, cost_free, 0 },
    { "RandomUniformLike", infer_like, cost_free, 0 },
    { "RandomNormal", infer_random, cost_free, 0 },
    { "RandomUniform", infer_random, cost_free, 0 },
    { "Multinomial", infer_multinomial, cost_free, 0 },
    { "BlackmanWindow", infer_window, cost_each, 1 },
    { "HammingWindow", infer_window, cost_each, 1 },
    { "HannWindow", infer_window, cost_each, 1 },
    { "NonMaxSuppression", infer_boxes, cost_free, 0 },
    { "Compress", infer_some, cost_free, 0 },
    { "Unique", infer_some, cost_free, 0 },
    { "OptionalHasElement", infer_flag, cost_free, 0 },
    { "Optional", NULL, cost_free, 0 },
    { "OptionalGetElement", NULL, cost_free, 0 },
    { "SequenceAt", NULL, cost_free, 0 },
    { "SequenceConstruct", NULL, cost_free, 0 },
    { "SequenceEmpty", NULL, cost_free, 0 },
    { "SequenceErase", NULL, cost_free, 0 },
    { "SequenceInsert", NULL, cost_free, 0 },
    { "SequenceLength", infer_length, cost_free, 0 },
    { "SplitToSequence", NULL, cost_free, 0 },
    { "ConcatFromSequence", NULL, cost_free, 0 },
    { 0 },
};
