/* ops_conv.c -- windows that slide: convolutions and pools. */
#include "onnx/ops.h"

#include <stddef.h>

/* How a window slides along one axis of space. */
struct window {
    int64_t size, stride, dilation;
    int64_t pad_front, pad_back;
    int64_t extra; /* output_padding */
};

/* The attribute's number for axis `i`, or the default. */
static int64_t pick(const struct onnx_call *c, const char *name, int i,
        int64_t otherwise)
{
    const int64_t *ints;

    return i < call_ints(c, name, &ints) ? ints[i] : otherwise;
}

/* For axis `i` of `count`.  False: what is said of it cannot be. */
static bool window_read(struct window *w, const struct onnx_call *c, int i,
        int count, int64_t size)
{
    *w = (struct window){
        .size = pick(c, "kernel_shape", i, size),
        .stride = pick(c, "strides", i, 1),
        .dilation = pick(c, "dilations", i, 1),
        .pad_front = pick(c, "pads", i, 0),
        .pad_back = pick(c, "pads", i + count, 0),
        .extra = pick(c, "output_padding", i, 0),
    };

    const int64_t most = INT32_MAX;

    return w->size > 0 && w->stride > 0 && w->dilation > 0 && w->size < most &&
           w->stride < most && w->dilation < most && w->pad_front > -most &&
           w->pad_front < most && w->pad_back > -most && w->pad_back < most &&
           w->extra >= 0 && w->extra < most;
}

/* What `w` sees at once, gaps included. */
static int64_t reach(const struct window *w)
{
    return (w->size - 1) * w->dilation + 1;
}

static int64_t slide(const struct window *w, int64_t in, struct str auto_pad,
        bool round_up)
{
    if (in < 0 || in > INT32_MAX)
        return FACT_UNKNOWN;
    if (str_starts(auto_pad, "SAME"))
        return (in + w->stride - 1) / w->stride;

    bool valid = str_is(auto_pad, "VALID");
    int64_t front = valid ? 0 : w->pad_front;
    int64_t room = in + front + (valid ? 0 : w->pad_back) - reach(w);

    if (room < 0)
        return FACT_UNKNOWN;
    if (!round_up)
        return room / w->stride + 1;

    int64_t out = (room + w->stride - 1) / w->stride + 1;

    /* The last window begins within what is there. */
    return (out - 1) * w->stride >= in + front ? out - 1 : out;
}

/* --- convolutions --------------------------------------------------------- */

/* `x` and `w` are the inputs' numbers; what comes out has the type given. */
static void infer_with(struct onnx_call *c, int x, int w, int type)
{
    const struct fact *in = call_in(c, x), *weights = call_in(c, w);
    struct fact f = fact_rank(type, in->rank);

    if (in->rank >= 3)
        f.dims[0] = in->dims[0];
    if (in->rank >= 3 && weights->rank == in->rank)
        f.dims[1] = weights->dims[0];
    for (int i = 0; i + 2 < in->rank; i++) {
        bool known = weights->rank == in->rank;
        struct window window;

        if (window_read(&window, c, i, in->rank - 2,
                    known ? weights->dims[i + 2] : 0))
            f.dims[i + 2] = slide(&window, in->dims[i + 2],
                    call_text(c, "auto_pad"), false);
    }
    call_set(c, 0, &f);
}

static void infer_conv(struct onnx_call *c)
{
    infer_with(c, 0, 1, call_in(c, 0)->type);
}

static void infer_conv_integer(struct onnx_call *c)
{
    infer_with(c, 0, 1, ONNX_INT32);
}

static void infer_quantised_conv(struct onnx_call *c)
{
    infer_with(c, 0, 3, call_in(c, 7)->type);
}

/* N * Cout * space * (Cin / group) * window: each output takes as many MACs as
 * a filter has weights. */
static bool cost_with(const struct onnx_call *c, int w, bool bias,
        struct onnx_cost *out)
{
    uint64_t elements, filter;
    const struct fact *weights = call_in(c, w);

    if (!c->out_count || !fact_elements(&elements, &c->out[0]) ||
            !fact_product(&filter, weights, 1, weights->rank))
        return false;
    return cost_add(&out->macs, elements, filter) &&
           (!bias || cost_add(&out->operations, elements, 1));
}

static bool cost_conv(const struct onnx_call *c, struct onnx_cost *out)
{
    return cost_with(c, 1, call_has(c, 2), out);
}

static bool cost_conv_integer(const struct onnx_call *c, struct onnx_cost *out)
{
    return cost_with(c, 1, false, out);
}

static bool cost_quantised_conv(const struct onnx_call *c,
        struct onnx_cost *out)
{
    return cost_with(c, 3, call_has(c, 8), out);
}

/* X, W, offset, bias, mask. */
static bool cost_deform_conv(const struct onnx_call *c, struct onnx_cost *out)
{
    return cost_with(c, 1, call_has(c, 3), out);
}

static int64_t unslide(const struct onnx_call *c, int i, int64_t in, int count,
        int64_t size)
{
    struct window w;
    int64_t wanted = pick(c, "output_shape", i, FACT_UNKNOWN);

    if (wanted >= 0)
        return wanted;
    if (in < 0 || in > INT32_MAX || !window_read(&w, c, i, count, size))
        return FACT_UNKNOWN;
    if (str_starts(call_text(c, "auto_pad"), "SAME"))
        return in * w.stride;

    bool valid = str_is(call_text(c, "auto_pad"), "VALID");
    int64_t pads = valid ? 0 : w.pad_front + w.pad_back;
    int64_t out = w.stride * (in - 1) + w.extra + reach(&w) - pads;

    return out < 0 ? FACT_UNKNOWN : out;
}

static void infer_conv_transpose(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0), *weights = call_in(c, 1);
    struct fact f = fact_rank(in->type, in->rank);
    int64_t group = call_int(c, "group", 1);
    bool known = weights->rank == in->rank;

    if (in->rank >= 3)
        f.dims[0] = in->dims[0];
    if (in->rank >= 3 && known && weights->dims[1] >= 0 && group > 0 &&
            weights->dims[1] <= INT64_MAX / group)
        f.dims[1] = weights->dims[1] * group;
    for (int i = 0; i + 2 < in->rank; i++)
        f.dims[i + 2] = unslide(c, i, in->dims[i + 2], in->rank - 2,
                known ? weights->dims[i + 2] : 0);
    call_set(c, 0, &f);
}

/* Each element that goes in is multiplied with the weights of its channel. */
static bool cost_conv_transpose(const struct onnx_call *c,
        struct onnx_cost *out)
{
    uint64_t elements, filter, made;
    const struct fact *weights = call_in(c, 1);

    if (!fact_elements(&elements, call_in(c, 0)) ||
            !fact_product(&filter, weights, 1, weights->rank) ||
            !cost_add(&out->macs, elements, filter))
        return false;
    if (!call_has(c, 2))
        return true;
    return c->out_count && fact_elements(&made, &c->out[0]) &&
           cost_add(&out->operations, made, 1);
}

/* --- pools ---------------------------------------------------------------- */

static void infer_pool(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    struct fact f = fact_rank(in->type, in->rank);
    struct fact indices;

    for (int i = 0; i < in->rank && i < 2; i++)
        f.dims[i] = in->dims[i];
    for (int i = 0; i + 2 < in->rank; i++) {
        struct window w;

        if (window_read(&w, c, i, in->rank - 2, 0))
            f.dims[i + 2] = slide(&w, in->dims[i + 2], call_text(c, "auto_pad"),
                    call_int(c, "ceil_mode", 0));
    }
    call_set(c, 0, &f);
    indices = f;
    indices.type = ONNX_INT64;
    call_set(c, 1, &indices);
}

static bool cost_pool(const struct onnx_call *c, struct onnx_cost *out)
{
    const int64_t *sizes;
    int count = call_ints(c, "kernel_shape", &sizes);
    uint64_t elements, window = 1;

    if (count < 1 || !c->out_count || !fact_elements(&elements, &c->out[0]))
        return false;
    for (int i = 0; i < count; i++) {
        if (sizes[i] < 1 || window > INT32_MAX || sizes[i] > INT32_MAX)
            return false;
        window *= (uint64_t)sizes[i];
    }
    return cost_add(&out->operations, elements, window);
}

static void infer_global_pool(struct onnx_call *c)
{
    struct fact f = *call_in(c, 0);

    f.data = NULL;
    f.weight = false;
    for (int i = 2; i < f.rank; i++)
        f.dims[i] = 1;
    call_set(c, 0, &f);
}

/* The wanted shape is given, or grows as a transposed window would. */
static void infer_unpool(struct onnx_call *c)
{
    const struct fact *in = call_in(c, 0);
    struct fact f = fact_rank(in->type, in->rank);
    int64_t shape[FACT_DATA_MAX];
    int count = call_numbers(c, 2, shape);

    for (int i = 0; i < in->rank && i < 2; i++)
        f.dims[i] = in->dims[i];
    for (int i = 0; i + 2 < in->rank; i++)
        f.dims[i + 2] = unslide(c, i, in->dims[i + 2], in->rank - 2, 0);
    for (int i = 0; call_has(c, 2) && i < in->rank; i++)
        f.dims[i] = count == in->rank ? shape[i] : FACT_UNKNOWN;
    call_set(c, 0, &f);
}

const struct onnx_op ops_conv[] = {
    { "Conv", infer_conv, cost_conv, 0 },
    { "ConvInteger", infer_conv_integer, cost_conv_integer, 0 },
    { "ConvTranspose", infer_conv_transpose, cost_conv_transpose, 0 },
    { "DeformConv", infer_conv, cost_deform_conv, 0 },
    { "QLinearConv", infer_quantised_conv, cost_quantised_conv, 0 },
    { "AveragePool", infer_pool, cost_pool, 0 },
    { "LpPool", infer_pool, cost_pool, 0 },
    { "MaxPool", infer_pool, cost_pool, 0 },
    { "MaxUnpool", infer_unpool, cost_free, 0 },
    { "GlobalAveragePool", infer_global_pool, cost_read, 1 },
    { "GlobalLpPool", infer_global_pool, cost_read, 1 },
    { "GlobalMaxPool", infer_global_pool, cost_read, 1 },
    { 0 },
};

/* --- com.microsoft -------------------------------------------------------- */

/* What is added and the activation come on top, one operation each. */
static bool cost_fused_conv(const struct onnx_call *c, struct onnx_cost *out)
{
    uint64_t elements;
    uint64_t more = call_text(c, "activation").len > 0;

    more += call_has(c, 3);
    return cost_conv(c, out) && fact_elements(&elements, &c->out[0]) &&
           cost_add(&out->operations, elements, more);
}

/* Their shapes are those of ONNX's, unless channels come last. */
static void infer_quantised_pool(struct onnx_call *c)
{
    if (!call_int(c, "channels_last", 0))
        infer_pool(c);
}

static void infer_quantised_global_pool(struct onnx_call *c)
{
    if (!call_int(c, "channels_last", 0))
        infer_global_pool(c);
}

const struct onnx_op ops_microsoft_conv[] = {
    { "FusedConv", infer_conv, cost_fused_conv, 0 },
    /* Channels come last in these: their shapes are taken from the file, or
     * from a profile. */
    { "NhwcConv", NULL, cost_conv, 0 },
    { "NhwcFusedConv", NULL, cost_fused_conv, 0 },
    { "NhwcMaxPool", NULL, cost_pool, 0 },
    { "QLinearAveragePool", infer_quantised_pool, cost_pool, 0 },
    { "QLinearGlobalAveragePool", infer_quantised_global_pool, cost_read, 1 },
    { 0 },
};
