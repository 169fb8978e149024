/* What each operator makes of shapes, and what it costs: counted by hand.
 *
 * A value is written as a letter for its type, a colon, and its sizes:
 *     f:1x3xN   an input of floats (i int64, j int32, u uint8, b bool, h half);
 *               a size that is a letter is not known, and written "?" when it
 *               comes out
 *     w:64x3    the same from the file: weights
 *     n:1,-1    whole numbers from the file, in a row;  s:5  a single one
 *     r:1,2     floats from the file, in a row
 *     -         left out
 * What comes out is followed by "=", and its numbers, where they are wanted.
 * Attributes: name=1, name=[1,2], name='TEXT. */
#include "onnx/study.h"

#include "test.h"
#include "test_onnx_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1) /* a cost that cannot be told */

static const struct {
    const char *op, *in, *attrs, *out;
    int64_t macs, operations;
} cases[] = {
    /* --- element by element --- */
    { "Relu", "f:2x3", "", "f:2x3", 0, 6 },
    { "Relu", "f:2xN", "", "f:2x?", NONE, 0 },
    { "Add", "f:2x3 f:3", "", "f:2x3", 0, 6 },
    { "Add", "f:2x1x4 f:3x1", "", "f:2x3x4", 0, 24 },
    { "Add", "f:Nx3 f:1x3", "", "f:?x3", NONE, 0 },
    { "Add", "f:Nx3 f:7x3", "", "f:7x3", 0, 21 },
    { "Equal", "i:2x3 i:3", "", "b:2x3", 0, 6 },
    { "Sum", "f:4 f:4 f:4", "", "f:4", 0, 8 },
    { "Where", "b:3x1 f:4 f:1", "", "f:3x4", 0, 12 },
    { "Cast", "f:2x3", "to=7", "i:2x3", 0, 0 },
    { "Identity", "f:2x3", "", "f:2x3", 0, 0 },
    { "QuantizeLinear", "f:5 f: u:", "", "u:5", 0, 5 },
    { "DequantizeLinear", "u:5 f: u:", "", "f:5", 0, 5 },
    { "ms.BiasGelu", "f:2x8 w:8", "", "f:2x8", 0, 32 },
    { "ms.QLinearAdd", "u:2x3 f: u: u:3 f: u: f: u:", "", "u:2x3", 0, 6 },
    /* --- convolutions: elements that come out, times a filter --- */
    { "Conv", "f:1x3x224x224 w:64x3x7x7", "strides=[2,2] pads=[3,3,3,3]",
            "f:1x64x112x112", 1LL * 64 * 112 * 112 * 3 * 49, 0 },
    { "Conv", "f:2x8x10x10 w:8x1x3x3 w:8", "group=8 pads=[1,1,1,1]",
            "f:2x8x10x10", 2LL * 8 * 100 * 9, 2 * 8 * 100 },
    { "Conv", "f:1x4x9 w:6x4x3", "dilations=[2] strides=[2]", "f:1x6x3",
            6LL * 3 * 12, 0 },
    { "Conv", "f:1x3x11x7 w:5x3x3x3", "auto_pad='SAME_UPPER strides=[2,2]",
            "f:1x5x6x4", 5LL * 24 * 27, 0 },
    { "Conv", "f:1x3x11x7 w:5x3x3x3", "auto_pad='VALID pads=[9,9,9,9]",
            "f:1x5x9x5", 5LL * 45 * 27, 0 },
    { "Conv", "f:Nx3x8x8 w:5x3x3x3", "", "f:?x5x6x6", NONE, 0 },
    { "Conv", "f:1x3x2x2 w:5x3x3x3", "", "f:1x5x?x?", NONE, 0 },
    { "Conv", "f:1x3x8x8 w:5x3x3x3", "strides=[0,0]", "f:1x5x?x?", NONE, 0 },
    { "ConvInteger", "u:1x1x4x4 u:2x1x2x2", "", "j:1x2x3x3", 2LL * 9 * 4, 0 },
    { "QLinearConv", "u:1x1x4x4 f: u: u:2x1x2x2 f: u: f: u: j:2", "",
            "u:1x2x3x3", 2LL * 9 * 4, 18 },
    { "ms.FusedConv", "f:1x1x4x4 w:2x1x2x2 w:2", "activation='Relu",
            "f:1x2x3x3", 2LL * 9 * 4, 36 },
    /* elements that go in, times a filter */
    { "ConvTranspose", "f:1x8x5x5 w:8x4x2x2 w:4", "strides=[2,2]",
            "f:1x4x10x10", 8LL * 25 * 4 * 4, 400 },
    { "ConvTranspose", "f:1x3x3x3 w:3x2x3x3",
            "strides=[3,2] output_padding=[1,1]", "f:1x2x10x8", 3LL * 9 * 2 * 9,
            0 },
    { "ConvTranspose", "f:1x3x3x3 w:3x2x3x3", "output_shape=[10,8]",
            "f:1x2x10x8", 3LL * 9 * 2 * 9, 0 },
    { "MaxPool", "f:1x64x112x112",
            "kernel_shape=[3,3] strides=[2,2] "
            "pads=[1,1,1,1]",
            "f:1x64x56x56", 0, 64LL * 56 * 56 * 9 },
    { "MaxPool", "f:1x1x5x5", "kernel_shape=[2,2] strides=[2,2] ceil_mode=1",
            "f:1x1x3x3", 0, 36 },
    { "MaxPool", "f:1x1x4x4", "kernel_shape=[3,3] strides=[2,2]", "f:1x1x1x1",
            0, 9 },
    { "GlobalAveragePool", "f:2x8x7x7", "", "f:2x8x1x1", 0, 784 },
    /* --- products --- */
    { "MatMul", "f:5x7 w:7x3", "", "f:5x3", 105, 0 },
    { "MatMul", "f:2x1x5x7 f:4x7x3", "", "f:2x4x5x3", 8LL * 105, 0 },
    { "MatMul", "f:7 f:7x3", "", "f:3", 21, 0 },
    { "MatMul", "f:5x7 f:7", "", "f:5", 35, 0 },
    { "MatMul", "f:7 f:7", "", "f:", 7, 0 },
    { "MatMul", "f:BxSx64 w:64x32", "", "f:?x?x32", NONE, 0 },
    { "MatMul", "f:5xK w:7x3", "", "f:5x3", 105, 0 },
    { "MatMulInteger", "u:5x7 u:7x3", "", "j:5x3", 105, 0 },
    { "QLinearMatMul", "u:5x7 f: u: u:7x3 f: u: f: u:", "", "u:5x3", 105, 0 },
    { "Gemm", "f:5x7 w:3x7 w:3", "transB=1", "f:5x3", 105, 15 },
    { "Gemm", "f:7x5 w:7x3", "transA=1", "f:5x3", 105, 0 },
    { "Einsum", "f:2x3 f:3x4", "equation='ij,jk->ik", "f:2x4", 24, 0 },
    { "Einsum", "f:8x2x3x5 f:8x2x7x5", "equation='bhqd,bhkd->bhqk", "f:8x2x3x7",
            8LL * 2 * 3 * 7 * 5, 0 },
    { "ms.MatMulNBits", "f:1x4x64 w:32x2x16 w:64", "K=64 N=32 bits=4",
            "f:1x4x32", 4LL * 64 * 32, 0 },
    { "ms.FusedMatMul", "f:2x7x5 f:2x3x7", "transA=1 transB=1", "f:2x5x3",
            2LL * 105, 0 },
    { "ms.QGemm", "u:5x7 f: u: u:7x3 f: u: j:3 f: u:", "", "u:5x3", 105, 15 },
    /* --- the same elements in another shape --- */
    { "Reshape", "f:2x3x4 n:0,-1", "", "f:2x12", 0, 0 },
    { "Reshape", "f:2x3x4 n:4,6", "", "f:4x6", 0, 0 },
    { "Reshape", "f:Nx3x4 n:0,-1", "", "f:?x12", 0, 0 },
    { "Reshape", "f:Nx3x4 n:-1,12", "", "f:?x12", 0, 0 },
    { "Reshape", "f:2x3 i:4", "", "f:?x?x?x?", 0, 0 },
    { "Reshape", "f:0x3 n:3,0", "allowzero=1", "f:3x0", 0, 0 },
    { "Flatten", "f:2x3x4x5", "axis=2", "f:6x20", 0, 0 },
    { "Flatten", "f:2x3x4x5", "axis=-1", "f:24x5", 0, 0 },
    { "Squeeze", "f:1x3x1x5 n:0,-2", "", "f:3x5", 0, 0 },
    { "Squeeze", "f:1x3x1x5", "axes=[2]", "f:1x3x5", 0, 0 },
    { "Squeeze", "f:1x3x1x5", "", "f:3x5", 0, 0 },
    { "Unsqueeze", "f:3x4 n:0,-1", "", "f:1x3x4x1", 0, 0 },
    { "Transpose", "f:2x3x4", "perm=[2,0,1]", "f:4x2x3", 0, 0 },
    { "Transpose", "f:2x3x4", "", "f:4x3x2", 0, 0 },
    { "Transpose", "f:2x3x4", "perm=[0,0,1]", "?", 0, 0 },
    { "DepthToSpace", "f:1x8x2x3", "blocksize=2", "f:1x2x4x6", 0, 0 },
    { "SpaceToDepth", "f:1x2x4x6", "blocksize=2", "f:1x8x2x3", 0, 0 },
    /* --- picks and joins --- */
    { "Concat", "f:2x3 f:2x4", "axis=1", "f:2x7", 0, 0 },
    { "Concat", "f:2x3 f:2xN", "axis=1", "f:2x?", 0, 0 },
    { "Concat", "n:1,2 n:3", "axis=0", "i:3=1,2,3", 0, 0 },
    { "Slice", "f:20x10x5 n:0,0 n:3,10 n:0,1", "", "f:3x10x5", 0, 0 },
    { "Slice", "f:20 n:-1 n:-99 n:0 n:-2", "", "f:10", 0, 0 },
    { "Slice", "f:20x10", "starts=[1] ends=[-1] axes=[1]", "f:20x8", 0, 0 },
    { "Slice", "f:20x10 i:1 n:5 n:1", "", "f:20x?", 0, 0 },
    { "Slice", "n:4,5,6,7 n:1 n:3 n:0", "", "i:2=5,6", 0, 0 },
    { "Gather", "w:1000x64 i:2x7", "", "f:2x7x64", 0, 0 },
    { "Gather", "f:3x5x7 s:1", "axis=1", "f:3x7", 0, 0 },
    { "Gather", "n:9,8,7 s:-1", "", "i:=7", 0, 0 },
    { "GatherElements", "f:3x5 i:3x2", "axis=1", "f:3x2", 0, 0 },
    { "GatherND", "f:2x3x4 i:5x2", "", "f:5x4", 0, 0 },
    { "ScatterND", "f:2x3x4 i:5x2 f:5x4", "", "f:2x3x4", 0, 0 },
    { "Expand", "f:3x1 n:2,1,6", "", "f:2x3x6", 0, 0 },
    { "Expand", "s:5 n:3", "", "i:3=5,5,5", 0, 0 },
    { "Tile", "f:2x3 n:2,1", "", "f:4x3", 0, 0 },
    { "Pad", "f:1x3x4 n:0,0,1,0,0,2", "", "f:1x3x7", 0, 0 },
    { "Pad", "f:1x3x4 n:1,2 - n:-1", "", "f:1x3x7", 0, 0 },
    { "OneHot", "i:2x3 s:10 f:2", "axis=1", "f:2x10x3", 0, 0 },
    /* --- made out of little --- */
    { "Shape", "f:2x3x4", "", "i:3=2,3,4", 0, 0 },
    { "Shape", "f:Nx3x4", "start=-3 end=2", "i:2=?,3", 0, 0 },
    { "Size", "f:2x3x4", "", "i:=24", 0, 0 },
    { "ConstantOfShape", "n:2,3", "", "f:2x3=0,0,0,0,0,0", 0, 0 },
    { "Range", "s:2 s:11 s:3", "", "i:3=2,5,8", 0, 0 },
    { "NonZero", "n:0,3,0,5", "", "i:1x2", 0, 0 },
    /* --- arithmetic on shapes --- */
    { "Add", "n:1,2 s:5", "", "i:2=6,7", 0, 2 },
    { "Div", "n:7,-7 s:2", "", "i:2=3,-3", 0, 2 },
    { "Div", "s:7 s:0", "", "i:=?", 0, 1 },
    { "Mod", "s:-7 s:3", "", "i:=2", 0, 1 },
    { "Where", "b:1 n:1 n:2", "", "i:1", 0, 1 },
    { "Cast", "r:2.7,-2.7", "to=7", "i:2", 0, 0 },
    { "ReduceProd", "n:2,3,4", "keepdims=0", "i:=24", 0, 3 },
    { "Max", "n:2,9 n:5,5", "", "i:2=5,9", 0, 2 },
    /* --- along axes --- */
    { "ReduceMean", "f:2x3x4", "axes=[1,-1]", "f:2x1x1", 0, 24 },
    { "ReduceSum", "f:2x3x4 n:1", "keepdims=0", "f:2x4", 0, 24 },
    { "ReduceSum", "f:2x3 n:", "noop_with_empty_axes=1", "f:2x3", 0, 6 },
    { "ReduceMax", "f:2x3", "", "f:1x1", 0, 6 },
    { "ArgMax", "f:2x3x4", "axis=2 keepdims=0", "i:2x3", 0, 24 },
    { "TopK", "f:2x9 n:3", "", "f:2x3 i:2x3", 0, 0 },
    { "Softmax", "f:2x3", "", "f:2x3", 0, 18 },
    { "Split", "f:7x2", "num_outputs=3", "f:3x2 f:3x2 f:1x2", 0, 0 },
    { "Split", "f:7x2 n:2,5", "", "f:2x2 f:5x2", 0, 0 },
    { "Split", "n:4,5,6,7", "", "i:2=4,5 i:2=6,7", 0, 0 },
    /* --- normalisations --- */
    { "BatchNormalization", "f:2x3x4 w:3 w:3 w:3 w:3", "", "f:2x3x4", 0, 48 },
    { "LayerNormalization", "f:2x3x4 w:4", "", "f:2x3x4 f:2x3x1", 0, 168 },
    { "ms.SkipLayerNormalization", "f:2x3x4 f:2x3x4 w:4", "",
            "f:2x3x4 f:2x3x1 f:2x3x1 f:2x3x4", 0, 192 },
    /* --- pictures --- */
    { "Resize", "f:1x3x4x5 - r:1,1,2,2.5", "", "f:1x3x8x12", 0, 288 },
    { "Resize", "f:1x3x4x5 - - n:1,3,7,9", "", "f:1x3x7x9", 0, 189 },
    { "Upsample", "f:1x3x4x5 r:1,1,2,2", "", "f:1x3x8x10", 0, 240 },
    /* --- recurrent: steps * batch * directions * gates * H * (I + H) --- */
    { "LSTM", "f:10x2x16 w:1x128x16 w:1x128x32", "hidden_size=32",
            "f:10x1x2x32 f:1x2x32 f:1x2x32", 10LL * 2 * 4 * 32 * 48,
            10LL * 2 * 32 * 9 },
    { "GRU", "f:5x3x8 w:2x12x8 w:2x12x4",
            "hidden_size=4 direction='bidirectional", "f:5x2x3x4 f:2x3x4",
            5LL * 3 * 2 * 3 * 4 * 12, 5LL * 3 * 2 * 4 * 8 },
    /* --- attention: 2 * B * H * S * T * D --- */
    { "Attention", "f:1x4x6x8 f:1x4x9x8 f:1x4x9x8", "", "f:1x4x6x8",
            2LL * 4 * 6 * 9 * 8, 4LL * 6 * 9 * 3 },
    { "ms.MultiHeadAttention", "f:2x5x32 f:2x7x32 f:2x7x32", "num_heads=4",
            "f:2x5x32", 2LL * 2 * 4 * 5 * 7 * 8, 2LL * 4 * 5 * 7 * 3 },
    { "ms.GroupQueryAttention",
            "f:1x5x64 f:1x5x32 f:1x5x32 f:1x2x3x16 f:1x2x3x16",
            "num_heads=4 kv_num_heads=2", "f:1x5x64 f:1x2x8x16 f:1x2x8x16",
            2LL * 4 * 5 * 8 * 16, 4LL * 5 * 8 * 3 },
    { "ms.GroupQueryAttention", "f:1x5x128 - - - -",
            "num_heads=4 kv_num_heads=2", "f:1x5x64", 2LL * 4 * 5 * 5 * 16,
            4LL * 5 * 5 * 3 },
    /* with the projections: B * S * hidden * 3 hidden more */
    { "ms.Attention", "f:1x4x32 w:32x96 w:96 - f:2x1x4x3x8", "num_heads=4",
            "f:1x4x32 f:2x1x4x7x8", 4LL * 32 * 96 + 2LL * 4 * 4 * 7 * 8,
            4LL * 4 * 7 * 3 },
    /* --- what nobody here knows --- */
    { "NoSuchOperator", "f:2x3", "", "?", NONE, 0 },
};

/* --- from words to a model ------------------------------------------------ */

static int type_of(char letter)
{
    static const struct {
        char letter;
        int type;
    } types[] = { { 'f', ONNX_FLOAT }, { 'w', ONNX_FLOAT }, { 'i', ONNX_INT64 },
        { 'j', ONNX_INT32 }, { 'u', ONNX_UINT8 }, { 'b', ONNX_BOOL },
        { 'h', ONNX_FLOAT16 } };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].letter == letter)
            return types[i].type;
    (void)fputs("a letter for a type\n", stderr);
    test_failures++;
    return ONNX_UNKNOWN;
}

/* The text with blanks for a letter. */
static const char *spread(char out[128], struct str text, char letter)
{
    size_t i = 0;

    for (; i < text.len && i < 127; i++)
        out[i] = text.p[i];
    out[i] = 0;
    for (char *p = out; *p; p++)
        if (*p == letter)
            *p = ' ';
    return out;
}

static void add_single(struct maker *m, const char *name, const char *number)
{
    size_t tensor = make_tensor_begin(m, 5, name, ONNX_INT64, "");
    int64_t value = 0;

    CHECK_INT(str_i64(&value, str_of(number)), 0);
    pb_i64(&m->out, 7, value);
    pb_end(&m->out, tensor);
}

static void add_reals(struct maker *m, const char *name, const char *numbers)
{
    struct str rest = str_of(numbers), word;
    struct buf raw = { 0 };
    char count[24];
    double value;

    for (word = str_word(&rest); word.len; word = str_word(&rest))
        if (str_f64(&value, word) == 0) {
            float f = (float)value;
            uint32_t bits;

            memcpy(&bits, &f, 4);
            pb_add_fixed32(&raw, bits);
        }
    (void)snprintf(count, sizeof(count), "%zu", raw.len / 4);

    size_t tensor = make_tensor_begin(m, 5, name, ONNX_FLOAT, count);

    pb_str(&m->out, 9, buf_str(&raw));
    pb_end(&m->out, tensor);
    buf_release(&raw);
}

static void add_value(struct maker *m, const char *name, struct str word)
{
    struct str rest = str_after(word, ':');
    char text[128];

    switch (word.p[0]) {
    case 'n': make_numbers(m, 5, name, spread(text, rest, ',')); break;
    case 's': add_single(m, name, spread(text, rest, ',')); break;
    case 'r': add_reals(m, name, spread(text, rest, ',')); break;
    case 'w': make_weight(m, name, ONNX_FLOAT, spread(text, rest, 'x')); break;
    default:
        make_input(m, name, type_of(word.p[0]), spread(text, rest, 'x'));
        break;
    }
}

static void add_attribute(struct maker *m, struct str word)
{
    struct str name = str_before(word, '='), value = str_after(word, '=');
    size_t attr = pb_begin(&m->out, 5);
    char text[128];
    int64_t number = 0;

    pb_str(&m->out, 1, name);
    if (value.p[0] == '\'') {
        pb_str(&m->out, 4, str_after(value, '\''));
        pb_u64(&m->out, 20, 3);
    } else if (value.p[0] == '[') {
        struct str list = str_before(str_after(value, '['), ']');
        struct str rest = str_of(spread(text, list, ','));
        struct str item;

        for (item = str_word(&rest); item.len; item = str_word(&rest)) {
            CHECK_INT(str_i64(&number, item), 0);
            pb_i64(&m->out, 8, number);
        }
        pb_u64(&m->out, 20, 7);
    } else {
        CHECK_INT(str_i64(&number, value), 0);
        pb_i64(&m->out, 3, number);
        pb_u64(&m->out, 20, 2);
    }
    pb_end(&m->out, attr);
}

static int count_words(const char *text)
{
    struct str rest = str_of(text);
    int count = 0;

    while (str_word(&rest).len)
        count++;
    return count;
}

static struct str build(struct maker *m, size_t i)
{
    struct str rest = str_of(cases[i].in), word;
    bool microsoft = strncmp(cases[i].op, "ms.", 3) == 0;
    struct buf in = { 0 }, out = { 0 };
    char name[16];
    int count = 0;

    make_begin(m);
    for (word = str_word(&rest); word.len; word = str_word(&rest)) {
        bool given = !str_is(word, "-");

        (void)snprintf(name, sizeof(name), "in%d", count++);
        buf_printf(&in, "%s ", given ? name : "-");
        if (given)
            add_value(m, name, word);
    }
    for (int k = 0; k < count_words(cases[i].out); k++)
        buf_printf(&out, "out%d ", k);

    size_t node = make_node_begin(m, cases[i].op + (microsoft ? 3 : 0), "",
            buf_cstr(&in), buf_cstr(&out));

    rest = str_of(cases[i].attrs);
    for (word = str_word(&rest); word.len; word = str_word(&rest))
        add_attribute(m, word);
    if (microsoft)
        pb_text(&m->out, 7, "com.microsoft");
    pb_end(&m->out, node);
    buf_release(&in);
    buf_release(&out);
    return make_end(m);
}

/* --- from facts to words -------------------------------------------------- */

static void tell(struct buf *out, const struct fact *f, bool numbers)
{
    static const char letters[] = "?fu   " /* 0 to 5 */
                                  "ji bh";

    if (f->rank < 0) {
        buf_char(out, '?');
        return;
    }
    buf_printf(out, "%c:", letters[f->type < 11 ? f->type : 0]);
    for (int i = 0; i < f->rank; i++) {
        buf_text(out, i ? "x" : "");
        if (f->dims[i] < 0)
            buf_char(out, '?');
        else
            buf_printf(out, "%" PRId64, f->dims[i]);
    }
    for (int i = 0; numbers && i < fact_count(f); i++) {
        buf_text(out, i ? "," : "=");
        if (isnan(f->data[i]))
            buf_char(out, '?');
        else
            buf_printf(out, "%g", f->data[i]);
    }
}

static void check_shapes(const struct onnx_model *m, const struct study *s,
        size_t i)
{
    const struct onnx_node *n = &m->graph->nodes[0];
    bool numbers = strchr(cases[i].out, '=');
    struct buf got = { 0 };

    for (uint32_t k = 0; k < n->output_count; k++) {
        buf_text(&got, k ? " " : "");
        tell(&got, study_value(s, n->outputs[k]), numbers);
    }
    if (strcmp(buf_cstr(&got), cases[i].out) != 0) {
        (void)fprintf(stderr, "%s(%s) %s makes %s, not %s\n", cases[i].op,
                cases[i].in, cases[i].attrs, buf_cstr(&got), cases[i].out);
        test_failures++;
    }
    buf_release(&got);
}

static void check_cost(const struct study *s, size_t i)
{
    const struct study_node *n = study_node(s, 0);
    int64_t macs = n->cost_known ? (int64_t)n->cost.macs : NONE;
    int64_t operations = n->cost_known ? (int64_t)n->cost.operations : 0;

    if (macs != cases[i].macs || operations != cases[i].operations) {
        (void)fprintf(stderr,
                "%s(%s) %s costs %" PRId64 " MACs and %" PRId64
                " operations, not %" PRId64 " and %" PRId64 "\n",
                cases[i].op, cases[i].in, cases[i].attrs, macs, operations,
                cases[i].macs, cases[i].operations);
        test_failures++;
    }
}

int main(void)
{
    struct maker maker = { 0 };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct error e = { 0 };
        struct onnx_model *m = NULL;

        if (onnx_parse(&m, build(&maker, i), cases[i].op, &e)) {
            (void)fprintf(stderr, "%s\n", e.text);
            test_failures++;
            continue;
        }

        struct study *s = study_new(m, NULL, 0);

        check_shapes(m, s, i);
        check_cost(s, i);
        study_free(s);
        onnx_close(m);
    }
    make_release(&maker);
    return test_result();
}
