/* arch_name.c -- what a name tells: tables of the words that exporters and
 * model authors use. */
#include "onnx/arch_name.h"

#include "base/compiler.h"

#include <string.h>

/* --- words ---------------------------------------------------------------- */

static bool divides(char c)
{
    return c == '/' || c == '.' || c == ':' || c == ' ';
}

struct words words_of(struct str name)
{
    struct words w = { .count = 0 };
    size_t from = 0;

    for (size_t i = 0; i <= name.len && w.count < WORDS_MAX; i++)
        if (i == name.len || divides(name.p[i])) {
            if (i > from)
                w.word[w.count++] = (struct str){ name.p + from, i - from };
            from = i + 1;
        }
    return w;
}

bool words_have(const struct words *w, const char *word)
{
    for (int i = 0; i < w->count; i++)
        if (str_is(w->word[i], word))
            return true;
    return false;
}

bool words_have_pair(const struct words *w, const char *first,
        const char *second)
{
    for (int i = 1; i < w->count; i++)
        if (str_is(w->word[i - 1], first) && str_is(w->word[i], second))
            return true;
    return false;
}

static bool among(struct str word, const char *const *list)
{
    for (; *list; list++)
        if (str_is(word, *list))
            return true;
    return false;
}

/* --- operators ------------------------------------------------------------ */

bool op_is_attention(struct str op_type)
{
    static const char *const list[] = { "Attention", "GroupQueryAttention",
        "MultiHeadAttention", "QAttention", "DecoderMaskedMultiHeadAttention",
        "DecoderMaskedSelfAttention", "PackedAttention",
        "PackedMultiHeadAttention", "PagedAttention", "SparseAttention",
        "QOrderedAttention", "LongformerAttention", "LinearAttention", NULL };

    return among(op_type, list);
}

bool op_is_norm(struct str op_type)
{
    static const char *const list[] = { "LayerNormalization",
        "SimplifiedLayerNormalization", "SkipLayerNormalization",
        "SkipSimplifiedLayerNormalization", "RMSNormalization", NULL };

    return among(op_type, list);
}

bool op_is_activation(struct str op_type)
{
    static const char *const list[] = { "Relu", "Gelu", "FastGelu", "BiasGelu",
        "QuickGelu", "Sigmoid", "Tanh", "Erf", "Swish", "Mish", "LeakyRelu",
        "HardSwish", "Silu", NULL };

    return among(op_type, list);
}

bool op_is_matmul(struct str op_type)
{
    static const char *const list[] = { "MatMul", "Gemm", "MatMulNBits",
        "MatMulInteger", "QLinearMatMul", "FusedMatMul", "FusedGemm",
        "MatMulBnb4", "DynamicQuantizeMatMul", "MatMulIntegerToFloat", "QGemm",
        "GemmFastGelu", "Einsum", NULL };

    return among(op_type, list);
}

/* --- layers --------------------------------------------------------------- */

static int number(struct str digits)
{
    uint64_t value;

    return str_u64(&value, digits) == 0 && value < 10000 ? (int)value : -1;
}

/* "l0", "layer_0", "h_0": words with their number. */
static int numbered(struct str word)
{
    static const char *const stems[] = { "layer_", "layers_", "block_",
        "blocks_", "h_", "l" };

    for (size_t i = 0; i < LEN(stems); i++) {
        size_t len = strlen(stems[i]);

        if (str_starts(word, stems[i]))
            return number((struct str){ word.p + len, word.len - len });
    }
    return -1;
}

int words_layer(const struct words *w)
{
    static const char *const before[] = { "layers", "layer", "h", "block",
        "blocks", NULL };

    for (int i = 1; i < w->count; i++)
        if (among(w->word[i - 1], before) && number(w->word[i]) >= 0)
            return number(w->word[i]);
    for (int i = 0; i < w->count; i++)
        if (numbered(w->word[i]) >= 0)
            return numbered(w->word[i]);
    return -1;
}

/* --- components ----------------------------------------------------------- */

static const char *const attention_words[] = { "self_attn", "attn", "attention",
    "self_attention", "SelfAttention", "EncDecAttention", NULL };
static const char *const mlp_words[] = { "mlp", "ffn", "feed_forward",
    "intermediate", "DenseReluDense", NULL };

/* A word that tells by itself. */
static const struct {
    const char *word;
    enum arch_component component;
} plain[] = {
    { "q_proj", ARCH_Q },
    { "k_proj", ARCH_K },
    { "v_proj", ARCH_V },
    { "query", ARCH_Q },
    { "key", ARCH_K },
    { "value", ARCH_V },
    { "wq", ARCH_Q },
    { "wk", ARCH_K },
    { "wv", ARCH_V },
    { "qkv_proj", ARCH_QKV },
    { "qkv", ARCH_QKV },
    { "c_attn", ARCH_QKV },
    { "query_key_value", ARCH_QKV },
    { "Wqkv", ARCH_QKV },
    { "W_pack", ARCH_QKV },
    { "o_proj", ARCH_O },
    { "out_proj", ARCH_O },
    { "wo", ARCH_O },
    { "q_norm", ARCH_Q_NORM },
    { "k_norm", ARCH_K_NORM },
    { "q_layernorm", ARCH_Q_NORM },
    { "k_layernorm", ARCH_K_NORM },
    { "rotary_emb", ARCH_ROTARY },
    { "rotary_embed", ARCH_ROTARY },
    { "rotary", ARCH_ROTARY },
    { "q_rotary", ARCH_ROTARY },
    { "k_rotary", ARCH_ROTARY },
    { "rotemb_caches_subgraph", ARCH_ROTARY },
    { "attn_mask_reformat", ARCH_MASK },
    { "gate_proj", ARCH_GATE },
    { "up_proj", ARCH_UP },
    { "down_proj", ARCH_DOWN },
    { "gate_up_proj", ARCH_GATE_UP },
    { "fc1", ARCH_UP },
    { "fc2", ARCH_DOWN },
    { "c_fc", ARCH_UP },
    { "fc_in", ARCH_UP },
    { "fc_out", ARCH_DOWN },
    { "dense_h_to_4h", ARCH_UP },
    { "dense_4h_to_h", ARCH_DOWN },
    { "act_fn", ARCH_ACTIVATION },
    { "activation_fn", ARCH_ACTIVATION },
    { "intermediate_act_fn", ARCH_ACTIVATION },
    { "act", ARCH_ACTIVATION },
    { "input_layernorm", ARCH_INPUT_NORM },
    { "attention_norm", ARCH_INPUT_NORM },
    { "self_attn_layer_norm", ARCH_INPUT_NORM },
    { "ln_1", ARCH_INPUT_NORM },
    { "ln1", ARCH_INPUT_NORM },
    { "norm1", ARCH_INPUT_NORM },
    { "post_attention_layernorm", ARCH_POST_NORM },
    { "pre_feedforward_layernorm", ARCH_POST_NORM },
    { "ffn_norm", ARCH_POST_NORM },
    { "ln_2", ARCH_POST_NORM },
    { "ln2", ARCH_POST_NORM },
    { "norm2", ARCH_POST_NORM },
    { "post_feedforward_layernorm", ARCH_OUTPUT_NORM },
    { "final_layernorm", ARCH_FINAL_NORM },
    { "final_norm_layernorm", ARCH_FINAL_NORM },
    { "final_norm", ARCH_FINAL_NORM },
    { "final_ln", ARCH_FINAL_NORM },
    { "ln_f", ARCH_FINAL_NORM },
    { "embed_tokens", ARCH_EMBEDDING },
    { "embeddings", ARCH_EMBEDDING },
    { "wte", ARCH_EMBEDDING },
    { "wpe", ARCH_EMBEDDING },
    { "word_embeddings", ARCH_EMBEDDING },
    { "tok_embeddings", ARCH_EMBEDDING },
    { "lm_head", ARCH_LM_HEAD },
    { "embed_out", ARCH_LM_HEAD },
    { "predictions", ARCH_LM_HEAD },
    { "pooler", ARCH_HEAD },
    { "classifier", ARCH_HEAD },
    { "score", ARCH_HEAD },
};

static enum arch_component of_word(struct str word)
{
    for (size_t i = 0; i < LEN(plain); i++)
        if (str_is(word, plain[i].word))
            return plain[i].component;
    return ARCH_NONE;
}

static bool has_any(const struct words *w, const char *const *list)
{
    for (int i = 0; i < w->count; i++)
        if (among(w->word[i], list))
            return true;
    return false;
}

/* Words that tell only with those around them. */
static enum arch_component of_context(const struct words *w)
{
    bool attention = has_any(w, attention_words);

    /* Within a layer it is that before the MLP. */
    if (words_have(w, "final_layer_norm"))
        return ARCH_POST_NORM;
    if (words_have(w, "c_proj"))
        return attention ? ARCH_O : ARCH_DOWN;
    if (words_have_pair(w, "intermediate", "dense"))
        return ARCH_UP;
    if (words_have(w, "dense"))
        return attention ? ARCH_O : ARCH_DOWN;
    if (words_have(w, "LayerNorm"))
        return attention ? ARCH_POST_NORM : ARCH_OUTPUT_NORM;
    return ARCH_NONE;
}

/* T5's names, which mean something else elsewhere: "SelfAttention/q",
 * "DenseReluDense/wo"; of a block's parts the first is attention. */
static enum arch_component of_t5(const struct words *w)
{
    static const struct {
        const char *module, *word;
        enum arch_component component;
    } pairs[] = {
        { "SelfAttention", "q", ARCH_Q },
        { "SelfAttention", "k", ARCH_K },
        { "SelfAttention", "v", ARCH_V },
        { "SelfAttention", "o", ARCH_O },
        { "EncDecAttention", "q", ARCH_Q },
        { "EncDecAttention", "k", ARCH_K },
        { "EncDecAttention", "v", ARCH_V },
        { "EncDecAttention", "o", ARCH_O },
        { "DenseReluDense", "wi_0", ARCH_GATE },
        { "DenseReluDense", "wi_1", ARCH_UP },
        { "DenseReluDense", "wi", ARCH_UP },
        { "DenseReluDense", "wo", ARCH_DOWN },
        { "0", "layer_norm", ARCH_INPUT_NORM },
        { "1", "layer_norm", ARCH_POST_NORM },
        { "2", "layer_norm", ARCH_POST_NORM },
    };

    for (size_t i = 0; i < LEN(pairs) && words_have(w, "block"); i++)
        if (words_have_pair(w, pairs[i].module, pairs[i].word))
            return pairs[i].component;
    return ARCH_NONE;
}

/* "l0.q.w", "l0.dn": letters behind the layer's word. */
static enum arch_component of_letters(const struct words *w)
{
    static const struct {
        const char *word;
        enum arch_component component;
    } letters[] = {
        { "q", ARCH_Q },
        { "k", ARCH_K },
        { "v", ARCH_V },
        { "o", ARCH_O },
        { "gate", ARCH_GATE },
        { "up", ARCH_UP },
        { "dn", ARCH_DOWN },
        { "down", ARCH_DOWN },
    };

    for (int i = 1; i < w->count; i++) {
        if (numbered(w->word[i - 1]) < 0)
            continue;
        for (size_t k = 0; k < LEN(letters); k++)
            if (str_is(w->word[i], letters[k].word))
                return letters[k].component;
    }
    return ARCH_NONE;
}

/* Within attention: the exporter numbers nodes of a module in their order. */
static enum arch_component inside_attention(const struct words *w,
        struct str op_type)
{
    struct str last = w->word[w->count - 1];

    if (str_is(op_type, "Softmax"))
        return ARCH_SOFTMAX;
    if (str_is(op_type, "RotaryEmbedding"))
        return ARCH_ROTARY;
    if (str_is(op_type, "Add") && words_have_pair(w, "attention", "output"))
        return ARCH_RESIDUAL;
    if (op_is_matmul(op_type) && str_is(last, "MatMul"))
        return ARCH_QK;
    if (op_is_matmul(op_type) && str_is(last, "MatMul_1"))
        return ARCH_AV;
    return ARCH_ATTENTION;
}

static enum arch_component inside_mlp(struct str op_type)
{
    if (op_is_activation(op_type))
        return ARCH_ACTIVATION;
    return str_is(op_type, "Mul") ? ARCH_MULTIPLY : ARCH_MLP;
}

static enum arch_component component_of(const struct words *w, int layer,
        struct str op_type)
{
    enum arch_component found = layer >= 0 ? of_t5(w) : ARCH_NONE;

    /* The innermost word that tells counts. */
    for (int i = w->count - 1; i >= 0 && found == ARCH_NONE; i--)
        found = of_word(w->word[i]);
    /* Embeddings of positions and the like have parts of their own. */
    if (layer < 0 && words_have(w, "embeddings"))
        return ARCH_EMBEDDING;
    if (layer < 0 && (found == ARCH_Q || found == ARCH_K || found == ARCH_V))
        found = ARCH_NONE;
    if (found == ARCH_NONE && layer >= 0)
        found = of_context(w);
    if (found == ARCH_NONE && layer >= 0)
        found = of_letters(w);
    if (found != ARCH_NONE)
        return found;
    if (layer < 0)
        return words_have(w, "norm") || words_have(w, "final_layer_norm")
                       ? ARCH_FINAL_NORM
                       : ARCH_NONE;
    if (w->count && has_any(w, attention_words))
        return inside_attention(w, op_type);
    if (has_any(w, mlp_words))
        return inside_mlp(op_type);
    return str_is(op_type, "Add") ? ARCH_RESIDUAL : ARCH_NONE;
}

struct arch_place arch_place(struct str name, struct str op_type)
{
    struct words w = words_of(name);
    struct arch_place p = { words_layer(&w), ARCH_NONE };

    p.component = component_of(&w, p.layer, op_type);
    /* Some exporters number the final norm like one layer more. */
    if (p.component == ARCH_FINAL_NORM || p.component == ARCH_LM_HEAD ||
            p.component == ARCH_EMBEDDING)
        p.layer = -1;
    if (op_is_attention(op_type))
        p.component = ARCH_ATTENTION;
    if (str_is(op_type, "EmbedLayerNormalization"))
        p = (struct arch_place){ -1, ARCH_EMBEDDING };
    return p;
}

const char *arch_component_name(enum arch_component component)
{
    static const char *const names[] = {
        [ARCH_NONE] = "other",
        [ARCH_EMBEDDING] = "embedding",
        [ARCH_INPUT_NORM] = "input_norm",
        [ARCH_QKV] = "qkv_proj",
        [ARCH_Q] = "q_proj",
        [ARCH_K] = "k_proj",
        [ARCH_V] = "v_proj",
        [ARCH_Q_NORM] = "q_norm",
        [ARCH_K_NORM] = "k_norm",
        [ARCH_ROTARY] = "rotary",
        [ARCH_KV_CACHE] = "kv_cache",
        [ARCH_QK] = "qk",
        [ARCH_SCALE] = "scale",
        [ARCH_MASK] = "mask",
        [ARCH_SOFTMAX] = "softmax",
        [ARCH_AV] = "av",
        [ARCH_ATTENTION] = "attention",
        [ARCH_O] = "o_proj",
        [ARCH_POST_NORM] = "post_norm",
        [ARCH_GATE_UP] = "gate_up_proj",
        [ARCH_GATE] = "gate_proj",
        [ARCH_UP] = "up_proj",
        [ARCH_ACTIVATION] = "activation",
        [ARCH_MULTIPLY] = "multiply",
        [ARCH_DOWN] = "down_proj",
        [ARCH_MLP] = "mlp",
        [ARCH_OUTPUT_NORM] = "output_norm",
        [ARCH_RESIDUAL] = "residual",
        [ARCH_FINAL_NORM] = "final_norm",
        [ARCH_LM_HEAD] = "lm_head",
        [ARCH_HEAD] = "head",
    };

    return names[component];
}
