/* ops_elementwise.c -- operators that work element by element. */
#include "onnx/fold.h"

static void infer_unary(struct onnx_call *c)
{
    infer_same(c);
    if (c->out_count)
        c->out[0].data = fold_unary(c, &c->out[0], c->op->name, call_in(c, 0));
}

static void infer_identity(struct onnx_call *c)
{
    call_set(c, 0, call_in(c, 0));
}

static void infer_binary(struct onnx_call *c)
{
    infer_broadcast(c);
    if (!c->out_count)
        return;

    struct fact made = c->out[0];

    /* Several, as Max and Sum may have, are folded one after another. */
    if (c->in_count == 1) {
        made.data = call_in(c, 0)->data;
    } else {
        made = *call_in(c, 0);
        for (int i = 1; i < c->in_count; i++) {
            struct fact next = c->out[0];

            next.data =
                    fold_binary(c, &next, c->op->name, &made, call_in(c, i));
            made = next;
        }
    }
    c->out[0].data = made.data;
}

static void infer_comparison(struct onnx_call *c)
{
    infer_binary(c);
    if (c->out_count)
        c->out[0].type = ONNX_BOOL;
}

static void infer_test(struct onnx_call *c)
{
    infer_same(c);
    if (c->out_count)
        c->out[0].type = ONNX_BOOL;
}

static void infer_where(struct onnx_call *c)
{
    struct fact f = { .type = call_in(c, 1)->type };

    fact_broadcast(&f, call_in(c, 1), call_in(c, 2));

    struct fact both = f;

    fact_broadcast(&f, &both, call_in(c, 0));
    f.data = fold_where(c, &f, call_in(c, 0), call_in(c, 1), call_in(c, 2));
    call_set(c, 0, &f);
}

static void infer_cast(struct onnx_call *c)
{
    struct fact f = *call_in(c, 0);

    f.weight = false;
    f.type = call_has(c, 1) ? call_in(c, 1)->type
                            : (int)call_int(c, "to", ONNX_UNKNOWN);
    f.data = fold_cast(c, &f, call_in(c, 0));
    call_set(c, 0, &f);
}

/* The shape of the first input; a Dropout also puts out its mask. */
static void infer_dropout(struct onnx_call *c)
{
    struct fact mask = *call_in(c, 0);

    infer_same(c);
    mask.data = NULL;
    mask.weight = false;
    mask.type = ONNX_BOOL;
    call_set(c, 1, &mask);
}

static void infer_quantize(struct onnx_call *c)
{
    infer_same(c);
    if (!c->out_count)
        return;

    int64_t type = call_int(c, "output_dtype", ONNX_UNKNOWN);

    if (call_has(c, 2))
        c->out[0].type = call_in(c, 2)->type;
    else
        c->out[0].type = type ? (int)type : ONNX_UINT8;
}

static void infer_dequantize(struct onnx_call *c)
{
    infer_same(c);
    if (c->out_count)
        c->out[0].type = call_in(c, 1)->type;
}

static void infer_dynamic_quantize(struct onnx_call *c)
{
    struct fact scale = fact_rank(ONNX_FLOAT, 0);
    struct fact zero = fact_rank(ONNX_UINT8, 0);

    infer_same(c);
    if (c->out_count)
        c->out[0].type = ONNX_UINT8;
    call_set(c, 1, &scale);
    call_set(c, 2, &zero);
}

/* The sum of several takes one addition less than there are. */
static bool cost_variadic(const struct onnx_call *c, struct onnx_cost *out)
{
    uint64_t elements;

    return c->out_count && fact_elements(&elements, &c->out[0]) &&
           cost_add(&out->operations, elements,
                   c->in_count > 1 ? (uint64_t)c->in_count - 1 : 0);
}

#define UNARY(name)                    \
    {                                  \
        name, infer_same, cost_each, 1 \
    }
#define FOLDED(name)                    \
    {                                   \
        name, infer_unary, cost_each, 1 \
    }
#define BINARY(name)                     \
    {                                    \
        name, infer_binary, cost_each, 1 \
    }
#define COMPARISON(name)                     \
    {                                        \
        name, infer_comparison, cost_each, 1 \
    }
#define VARIADIC(name)                       \
    {                                        \
        name, infer_binary, cost_variadic, 1 \
    }

const struct onnx_op ops_elementwise[] = {
    UNARY("Acos"),
    UNARY("Acosh"),
    UNARY("Asin"),
    UNARY("Asinh"),
    UNARY("Atan"),
    UNARY("Atanh"),
    UNARY("BitwiseNot"),
    UNARY("Celu"),
    UNARY("Clip"),
    UNARY("Cos"),
    UNARY("Cosh"),
    UNARY("Elu"),
    UNARY("Erf"),
    UNARY("Exp"),
    UNARY("Gelu"),
    UNARY("HardSigmoid"),
    UNARY("HardSwish"),
    UNARY("LeakyRelu"),
    UNARY("Log"),
    UNARY("Mish"),
    UNARY("PRelu"),
    UNARY("Reciprocal"),
    UNARY("Relu"),
    UNARY("Selu"),
    UNARY("Shrink"),
    UNARY("Sigmoid"),
    UNARY("Sign"),
    UNARY("Sin"),
    UNARY("Sinh"),
    UNARY("Softplus"),
    UNARY("Softsign"),
    UNARY("Swish"),
    UNARY("Tan"),
    UNARY("Tanh"),
    UNARY("ThresholdedRelu"),
    FOLDED("Abs"),
    FOLDED("Ceil"),
    FOLDED("Floor"),
    FOLDED("Neg"),
    FOLDED("Not"),
    FOLDED("Round"),
    FOLDED("Sqrt"),
    BINARY("Add"),
    BINARY("BitShift"),
    BINARY("BitwiseAnd"),
    BINARY("BitwiseOr"),
    BINARY("BitwiseXor"),
    BINARY("Div"),
    BINARY("Mod"),
    BINARY("Mul"),
    BINARY("Pow"),
    BINARY("Sub"),
    COMPARISON("And"),
    COMPARISON("Equal"),
    COMPARISON("Greater"),
    COMPARISON("GreaterOrEqual"),
    COMPARISON("Less"),
    COMPARISON("LessOrEqual"),
    COMPARISON("Or"),
    COMPARISON("Xor"),
    VARIADIC("Max"),
    VARIADIC("Mean"),
    VARIADIC("Min"),
    VARIADIC("Sum"),
    { "IsInf", infer_test, cost_each, 1 },
    { "IsNaN", infer_test, cost_each, 1 },
    { "Where", infer_where, cost_each, 1 },
    { "Identity", infer_identity, cost_free, 0 },
    { "Cast", infer_cast, cost_free, 0 },
    { "CastLike", infer_cast, cost_free, 0 },
    { "Dropout", infer_dropout, cost_free, 0 },
    { "QuantizeLinear", infer_quantize, cost_each, 1 },
    { "DequantizeLinear", infer_dequantize, cost_each, 1 },
    { "DynamicQuantizeLinear", infer_dynamic_quantize, cost_each, 1 },
    { 0 },
};

/* --- com.microsoft -------------------------------------------------------- */

/* Both sides are quantised: a, its scale and zero, b, ... */
static void infer_quantised_binary(struct onnx_call *c)
{
    struct fact f = { .type = call_in(c, 0)->type };

    fact_broadcast(&f, call_in(c, 0), call_in(c, 3));
    call_set(c, 0, &f);
}

/* Half of the last axis gates the other. */
static void infer_split_gelu(struct onnx_call *c)
{
    infer_same(c);
    if (c->out_count && c->out[0].rank > 0 &&
            c->out[0].dims[c->out[0].rank - 1] > 0)
        c->out[0].dims[c->out[0].rank - 1] /= 2;
}

const struct onnx_op ops_microsoft_elementwise[] = {
    UNARY("FastGelu"),
    UNARY("QuickGelu"),
    UNARY("QLinearLeakyRelu"),
    UNARY("QLinearSigmoid"),
    { "BiasGelu", infer_same, cost_each, 2 },
    { "BiasAdd", infer_same, cost_each, 2 },
    { "BiasDropout", infer_dropout, cost_each, 2 },
    { "BiasSplitGelu", infer_split_gelu, cost_each, 3 },
    { "BitmaskDropout", infer_dropout, cost_free, 0 },
    { "QLinearAdd", infer_quantised_binary, cost_each, 1 },
    { "QLinearMul", infer_quantised_binary, cost_each, 1 },
    { 0 },
};
