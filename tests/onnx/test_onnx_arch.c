/* Which kind of network a model is, and which part of it each node is. */
#include "onnx/arch.h"

#include "test.h"
#include "test_onnx_maker.h"
#include "tools/models/model.h"

#include <string.h>

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* --- names alone ---------------------------------------------------------- */

static const struct {
    const char *name, *op_type;
    int layer;
    enum arch_component component;
} names[] = {
    { "/model/layers.3/self_attn/q_proj/MatMul", "MatMul", 3, ARCH_Q },
    { "/model/layers.12/self_attn/o_proj/MatMul", "MatMul", 12, ARCH_O },
    { "/model/layers.0/self_attn/MatMul", "MatMul", 0, ARCH_QK },
    { "/model/layers.0/self_attn/MatMul_1", "MatMul", 0, ARCH_AV },
    { "/model/layers.0/self_attn/Softmax", "Softmax", 0, ARCH_SOFTMAX },
    { "/model/layers.7/mlp/gate_proj/MatMul", "MatMul", 7, ARCH_GATE },
    { "/model/layers.7/mlp/act_fn/Sigmoid", "Sigmoid", 7, ARCH_ACTIVATION },
    { "/model/layers.7/mlp/Mul", "Mul", 7, ARCH_MULTIPLY },
    { "/model/layers.7/mlp/down_proj/MatMul", "MatMul", 7, ARCH_DOWN },
    { "/model/layers.7/input_layernorm/Mul_1", "Mul", 7, ARCH_INPUT_NORM },
    { "/model/layers.7/Add", "Add", 7, ARCH_RESIDUAL },
    { "/model/norm/Mul_1", "Mul", -1, ARCH_FINAL_NORM },
    { "/lm_head/MatMul", "MatMul", -1, ARCH_LM_HEAD },
    { "/model/embed_tokens/Gather", "Gather", -1, ARCH_EMBEDDING },
    /* as onnxruntime-genai names them; the last layer is a norm */
    { "/model/layers.0/attn/qkv_proj/MatMul_Q4", "MatMulNBits", 0, ARCH_QKV },
    { "/model/layers.0/attn/GroupQueryAttention", "GroupQueryAttention", 0,
            ARCH_ATTENTION },
    { "/model/layers.32/final_norm_layernorm/SkipLayerNorm",
            "SkipSimplifiedLayerNormalization", -1, ARCH_FINAL_NORM },
    { "/model/layers.0/attn/q_norm/SimplifiedLayerNormalization",
            "SimplifiedLayerNormalization", 0, ARCH_Q_NORM },
    /* Phi, GPT-2, BERT */
    { "/model/layers.1/mlp/fc1/MatMul", "MatMul", 1, ARCH_UP },
    { "/model/layers.1/self_attn/dense/MatMul", "MatMul", 1, ARCH_O },
    { "/transformer/h.4/attn/c_attn/Gemm", "Gemm", 4, ARCH_QKV },
    { "/transformer/h.4/attn/c_proj/Gemm", "Gemm", 4, ARCH_O },
    { "/transformer/h.4/mlp/c_proj/Gemm", "Gemm", 4, ARCH_DOWN },
    { "/transformer/h.4/ln_2/Add", "Add", 4, ARCH_POST_NORM },
    { "/transformer/ln_f/Add", "Add", -1, ARCH_FINAL_NORM },
    { "/bert/encoder/layer.5/attention/self/key/MatMul", "MatMul", 5, ARCH_K },
    { "/bert/encoder/layer.5/attention/output/dense/MatMul", "MatMul", 5,
            ARCH_O },
    { "/bert/encoder/layer.5/attention/output/LayerNorm/Add", "Add", 5,
            ARCH_POST_NORM },
    { "/bert/encoder/layer.5/intermediate/dense/MatMul", "MatMul", 5, ARCH_UP },
    { "/bert/encoder/layer.5/output/dense/MatMul", "MatMul", 5, ARCH_DOWN },
    { "/bert/encoder/layer.5/output/LayerNorm/Add", "Add", 5,
            ARCH_OUTPUT_NORM },
    /* by an optimiser, and not of a transformer */
    { "/model/layers.3/self_attn/q_proj/MatMul/MatMulAddFusion", "Gemm", 3,
            ARCH_Q },
    { "/layer1/layer1.0/conv1/Conv", "Conv", -1, ARCH_NONE },
    { "", "Conv", -1, ARCH_NONE },
};

static void test_names(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct arch_place p =
                arch_place(str_of(names[i].name), str_of(names[i].op_type));

        if (p.layer == names[i].layer && p.component == names[i].component)
            continue;
        (void)fprintf(stderr, "%s is %s of layer %d, not %s of layer %d\n",
                names[i].name, arch_component_name(p.component), p.layer,
                arch_component_name(names[i].component), names[i].layer);
        test_failures++;
    }
}

/* --- families ------------------------------------------------------------- */

/* A chain of nodes, one for each word: "name:operator". */
static const struct {
    const char *nodes, *want;
    int layers;
    bool fallback;
} families[] = {
#define ATTENTION "/layers.0/self_attn/Softmax:Softmax "
#define GATED                                \
    "/layers.0/mlp/gate_proj/MatMul:MatMul " \
    "/layers.0/mlp/up_proj/MatMul:MatMul "   \
    "/layers.0/mlp/down_proj/MatMul:MatMul "
    { ATTENTION GATED "/layers.0/self_attn/q_proj/MatMul:MatMul", "llama-like",
            1, false },
    { ATTENTION GATED "/layers.5/self_attn/q_proj/Add:Add", "qwen", 6, false },
    { ATTENTION GATED "/layers.0/self_attn/q_norm/Mul:Mul", "qwen", 1, false },
    { ATTENTION "/layers.0/self_attn/qkv_proj/MatMul:MatMul "
                "/layers.0/mlp/gate_up_proj/MatMul:MatMul",
            "phi", 1, false },
    { ATTENTION "/layers.0/self_attn/q_proj/MatMul:MatMul "
                "/layers.1/mlp/fc1/MatMul:MatMul "
                "/layers.1/mlp/fc2/MatMul:MatMul",
            "phi", 2, false },
    { "/h.0/attn/Softmax:Softmax /h.0/attn/c_attn/Gemm:Gemm "
      "/h.0/mlp/c_fc/Gemm:Gemm",
            "gpt2", 1, false },
    { "/encoder/layer.0/attention/self/query/MatMul:MatMul "
      "/encoder/layer.0/attention/self/Softmax:Softmax "
      "/encoder/layer.0/intermediate/dense/MatMul:MatMul",
            "bert", 1, false },
    { ATTENTION GATED "/layers.0/pre_feedforward_layernorm/Mul:Mul",
            "generic decoder", 1, true },
    { "/blocks.0/attn/Softmax:Softmax /blocks.11/attn/qkv/MatMul:MatMul",
            "generic transformer", 12, true },
    { "/layer1/conv1/Conv:Conv /fc/Gemm:Gemm", "generic convolutional network",
            0, true },
    /* gates, but no attention: no transformer */
    { "/layers.0/mlp/gate_proj/MatMul:MatMul /layers.0/conv/Conv:Conv",
            "generic convolutional network", 0, true },
    { "lstm:LSTM", "generic recurrent network", 0, true },
    { "relu:Relu", "generic network", 0, true },
};

static void add_chain(struct maker *k, const char *nodes)
{
    struct str rest = str_of(nodes), word;
    char in[16] = "x", out[16];
    int count = 0;

    make_begin(k);
    make_input(k, "x", ONNX_FLOAT, "1 4");
    for (word = str_word(&rest); word.len; word = str_word(&rest)) {
        struct str name = str_before(word, ':'), op = str_after(word, ':');
        size_t node = pb_begin(&k->out, 1);

        (void)snprintf(out, sizeof(out), "v%d", count++);
        pb_text(&k->out, 1, in);
        pb_text(&k->out, 2, out);
        pb_str(&k->out, 3, name);
        pb_str(&k->out, 4, op);
        pb_end(&k->out, node);
        memcpy(in, out, sizeof(in));
    }
}

static struct onnx_model *parse(struct str bytes)
{
    struct error e = { 0 };
    struct onnx_model *m = NULL;

    if (onnx_parse(&m, bytes, "m.onnx", &e)) {
        (void)fprintf(stderr, "%s\n", e.text);
        test_failures++;
    }
    return m;
}

static void test_families(void)
{
    struct maker k = { 0 };

    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        add_chain(&k, families[i].nodes);

        struct onnx_model *m = parse(make_end(&k));
        struct arch *a = m ? arch_new(m) : NULL;

        if (a && (!same(a->name, families[i].want) ||
                         a->layers != families[i].layers ||
                         a->fallback != families[i].fallback)) {
            (void)fprintf(stderr, "%s is %s of %d layers, not %s of %d\n",
                    families[i].nodes, a->name, a->layers, families[i].want,
                    families[i].layers);
            test_failures++;
        }
        arch_free(a);
        onnx_close(m);
    }
    make_release(&k);
}

/* What metadata names settles what the graph leaves open. */
static void test_metadata(void)
{
    static const char *const hints[][2] = { { "Mistral-7B", "mistral" },
        { "meta-llama/Llama-3.2-1B", "llama" },
        { "microsoft/Phi-3-mini", "phi" }, { "TinyLlama-1.1B", "llama" },
        { "dolphin-7B", "llama-like" } };
    struct maker k = { 0 };

    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        add_chain(&k, families[0].nodes);
        (void)make_end(&k);

        size_t property = pb_begin(&k.out, 14);

        pb_text(&k.out, 1, "model");
        pb_text(&k.out, 2, hints[i][0]);
        pb_end(&k.out, property);

        struct onnx_model *m = parse(buf_str(&k.out));
        struct arch *a = m ? arch_new(m) : NULL;

        CHECK(a && same(a->name, hints[i][1]));
        arch_free(a);
        onnx_close(m);
    }
    make_release(&k);
}

/* A window that attention looks back over is Mistral's. */
static void test_window(void)
{
    struct maker k = { 0 };

    add_chain(&k, families[0].nodes);

    size_t node = make_node_begin(&k, "GroupQueryAttention",
            "/layers.1/attn/GroupQueryAttention", "x", "attended");

    make_int(&k, "local_window_size", 4096);
    pb_text(&k.out, 7, "com.microsoft");
    pb_end(&k.out, node);

    struct onnx_model *m = parse(make_end(&k));
    struct arch *a = m ? arch_new(m) : NULL;

    CHECK(a && same(a->name, "mistral"));
    CHECK_INT(a ? a->layers : 0, 2);
    arch_free(a);
    onnx_close(m);
    make_release(&k);
}

/* --- a whole decoder ------------------------------------------------------ */

static int count_of(const struct arch *a, enum arch_component component,
        int layer)
{
    int count = 0;

    for (uint32_t i = 0; i < a->model->graph->node_count; i++)
        count += a->places[i].component == component &&
                 a->places[i].layer == layer;
    return count;
}

static void check_layer(const struct arch *a, int layer)
{
    static const struct {
        enum arch_component component;
        int count;
    } parts[] = { { ARCH_Q, 1 }, { ARCH_K, 1 }, { ARCH_V, 1 }, { ARCH_O, 1 },
        { ARCH_QK, 1 }, { ARCH_SCALE, 1 }, { ARCH_MASK, 1 },
        { ARCH_SOFTMAX, 1 }, { ARCH_AV, 1 }, { ARCH_KV_CACHE, 2 },
        { ARCH_ROTARY, 14 }, { ARCH_GATE, 1 }, { ARCH_UP, 1 },
        { ARCH_ACTIVATION, 2 }, { ARCH_MULTIPLY, 1 }, { ARCH_DOWN, 1 },
        { ARCH_INPUT_NORM, 7 }, { ARCH_POST_NORM, 7 }, { ARCH_RESIDUAL, 2 },
        { ARCH_NONE, 0 } };

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        int got = count_of(a, parts[i].component, layer);

        if (got == parts[i].count)
            continue;
        (void)fprintf(stderr, "layer %d has %d of %s, not %d\n", layer, got,
                arch_component_name(parts[i].component), parts[i].count);
        test_failures++;
    }
}

static void check_found(const struct arch *a, const char *name,
        const char *op_type, int layer, enum arch_component component)
{
    struct arch_place p = arch_find(a, str_of(name), str_of(op_type));

    CHECK_INT(p.layer, layer);
    CHECK_INT(p.component, component);
}

static void test_decoder(void)
{
    struct buf file = { 0 };

    decoder_write(&file);

    struct onnx_model *m = parse(buf_str(&file));
    struct arch *a = arch_new(m);

    CHECK(same(a->name, "llama-like"));
    CHECK(!a->fallback);
    CHECK_INT(a->layers, 2);
    check_layer(a, 0);
    check_layer(a, 1);
    CHECK_INT(count_of(a, ARCH_EMBEDDING, -1), 1);
    CHECK_INT(count_of(a, ARCH_LM_HEAD, -1), 1);
    CHECK_INT(count_of(a, ARCH_FINAL_NORM, -1), 7);

    /* Names of the file, of an optimiser, and of neither. */
    check_found(a, "/model/layers.1/self_attn/Mul_4", "Mul", 1, ARCH_SCALE);
    check_found(a, "/model/layers.1/self_attn/Mul_4/Fusion/", "Mul", 1,
            ARCH_SCALE);
    check_found(a, "fused /model/layers.0/mlp/up_proj/MatMul", "Gemm", 0,
            ARCH_UP);
    check_found(a, "/model/layers.1/mlp/up_proj/Quick", "MatMul", 1, ARCH_UP);
    check_found(a, "ReorderInput_token_7", "ReorderInput", -1, ARCH_NONE);
    arch_free(a);
    onnx_close(m);
    buf_release(&file);
}

/* Names of weights and outputs tell where nodes have none. */
static void test_nameless(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "1 4");
    make_weight(&k, "transformer.h.1.attn.c_attn.weight", ONNX_FLOAT, "4 12");
    make_weight(&k, "transformer.h.0.ln_1.weight", ONNX_FLOAT, "4");
    make_node(&k, "LayerNormalization", "", "x transformer.h.0.ln_1.weight",
            "/transformer/h.1/ln_1/Add_output_0");

    size_t node = make_node_begin(&k, "Attention", "GptAttention_1",
            "/transformer/h.1/ln_1/Add_output_0 "
            "transformer.h.1.attn.c_attn.weight",
            "a");

    pb_text(&k.out, 7, "com.microsoft");
    pb_end(&k.out, node);
    make_node(&k, "FastGelu", "", "a", "b");
    /* The same weight again: its name does not count. */
    make_node(&k, "LayerNormalization", "", "b transformer.h.0.ln_1.weight",
            "c");

    struct onnx_model *m = parse(make_end(&k));
    struct arch *a = arch_new(m);

    CHECK_INT(a->places[0].layer, 1);
    CHECK_INT(a->places[0].component, ARCH_INPUT_NORM);
    CHECK_INT(a->places[1].layer, 1);
    CHECK_INT(a->places[1].component, ARCH_ATTENTION);
    CHECK_INT(a->places[2].layer, 1);
    CHECK_INT(a->places[2].component, ARCH_ACTIVATION);
    CHECK_INT(a->places[3].layer, 1);
    CHECK_INT(a->places[3].component, ARCH_NONE);
    arch_free(a);
    onnx_close(m);
    make_release(&k);
}

int main(void)
{
    test_names();
    test_families();
    test_metadata();
    test_window();
    test_decoder();
    test_nameless();
    return test_result();
}
