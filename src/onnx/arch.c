#include "onnx/arch.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "onnx/arch_name.h"
#include "onnx/arch_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what the names and the graph show ------------------------------------ */

enum sign {
    SIGN_Q_PROJ,
    SIGN_QKV_PROJ,
    SIGN_GATE_PROJ,
    SIGN_UP_PROJ,
    SIGN_DOWN_PROJ,
    SIGN_GATE_UP_PROJ,
    SIGN_MLP_FC1,
    SIGN_MLP_FC2,
    SIGN_C_ATTN,
    SIGN_C_FC,
    SIGN_QUERY,
    SIGN_INTERMEDIATE,
    SIGN_Q_NORM,
    SIGN_Q_BIAS,
    SIGN_GEMMA_NORM,
    SIGN_WINDOW,    /* attention looks back only so far */
    SIGN_ATTENTION, /* a softmax within attention, or one operator for it */
    SIGN_CACHE,     /* inputs hold keys and values of earlier tokens */
    SIGN_CONV,
    SIGN_RECURRENT,
    SIGNS,
};

struct signs {
    bool seen[SIGNS];
    int cached_layers; /* that inputs hold something for */
};

/* Two words behind each other, or one (the other is NULL). */
static const struct {
    const char *first, *second;
    enum sign sign;
} telling[] = {
    { "q_proj", NULL, SIGN_Q_PROJ },
    { "qkv_proj", NULL, SIGN_QKV_PROJ },
    { "gate_proj", NULL, SIGN_GATE_PROJ },
    { "up_proj", NULL, SIGN_UP_PROJ },
    { "down_proj", NULL, SIGN_DOWN_PROJ },
    { "gate_up_proj", NULL, SIGN_GATE_UP_PROJ },
    { "mlp", "fc1", SIGN_MLP_FC1 },
    { "mlp", "fc2", SIGN_MLP_FC2 },
    { "c_attn", NULL, SIGN_C_ATTN },
    { "c_fc", NULL, SIGN_C_FC },
    { "self", "query", SIGN_QUERY },
    { "intermediate", "dense", SIGN_INTERMEDIATE },
    { "q_norm", NULL, SIGN_Q_NORM },
    { "q_proj", "bias", SIGN_Q_BIAS },
    { "q_proj", "Add", SIGN_Q_BIAS },
    { "qkv_proj", "bias", SIGN_Q_BIAS },
    { "qkv_proj", "Add", SIGN_Q_BIAS },
    { "pre_feedforward_layernorm", NULL, SIGN_GEMMA_NORM },
};

static void read_name(struct signs *s, struct str name)
{
    struct words w = words_of(name);

    for (size_t i = 0; i < LEN(telling); i++)
        if (!s->seen[telling[i].sign])
            s->seen[telling[i].sign] =
                    telling[i].second ? words_have_pair(&w, telling[i].first,
                                                telling[i].second)
                                      : words_have(&w, telling[i].first);
}

static void read_node(struct signs *s, const struct onnx_node *n)
{
    const struct onnx_attr *window = onnx_attr(n, "local_window_size");

    read_name(s, n->name);
    if (window && window->kind == ONNX_ATTR_INT && window->i > 0)
        s->seen[SIGN_WINDOW] = true;
    s->seen[SIGN_CONV] |= str_is(n->op_type, "Conv") ||
                          str_is(n->op_type, "QLinearConv") ||
                          str_is(n->op_type, "FusedConv");
    s->seen[SIGN_RECURRENT] |= str_is(n->op_type, "LSTM") ||
                               str_is(n->op_type, "GRU") ||
                               str_is(n->op_type, "RNN");
}

/* "past_key_values.3.key", "past_3", "past_conv.0": returns 3 of the first. */
static int cached_layer(struct str name)
{
    size_t i = 0;
    int layer = 0;

    if (!str_starts(name, "past_"))
        return -1;
    while (i < name.len && (name.p[i] < '0' || name.p[i] > '9'))
        i++;
    if (i == name.len)
        return -1;
    for (; i < name.len && name.p[i] >= '0' && name.p[i] <= '9'; i++)
        layer = layer < 10000 ? 10 * layer + (name.p[i] - '0') : layer;
    return layer;
}

static void read_inputs(struct signs *s, const struct onnx_model *m)
{
    for (uint32_t i = 0; i < m->graph->input_count; i++) {
        struct str name = symbol_text(&m->symbols, m->graph->inputs[i].name);
        int layer = cached_layer(name);

        s->seen[SIGN_CACHE] |= layer >= 0;
        if (layer >= s->cached_layers)
            s->cached_layers = layer + 1;
    }
}

static struct signs read_signs(const struct onnx_model *m,
        const struct arch_place *places)
{
    struct signs s = { .cached_layers = 0 };
    const struct onnx_graph *g = m->graph;

    for (uint32_t i = 0; i < m->all_graph_count; i++)
        for (uint32_t k = 0; k < m->graphs[i]->node_count; k++)
            read_node(&s, &m->graphs[i]->nodes[k]);
    for (uint32_t i = 0; i < g->tensor_count; i++)
        read_name(&s, symbol_text(&m->symbols, g->tensors[i]->name));
    read_inputs(&s, m);
    for (uint32_t i = 0; i < g->node_count; i++)
        s.seen[SIGN_ATTENTION] |=
                op_is_attention(g->nodes[i].op_type) ||
                (places[i].component == ARCH_SOFTMAX && places[i].layer >= 0);
    return s;
}

/* --- what people wrote into it -------------------------------------------- */

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static int lower(char c)
{
    return is_upper(c) ? c - 'A' + 'a' : c;
}

/* A word begins there: "Phi-3" and "TinyLlama", but not "dolphin". */
static bool begins(struct str text, size_t i)
{
    int before = i ? lower(text.p[i - 1]) : ' ';

    return before < 'a' || before > 'z' ||
           (is_upper(text.p[i]) && !is_upper(text.p[i - 1]));
}

static bool mentions(struct str text, const char *word)
{
    size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++) {
        size_t k = 0;

        while (k < len && lower(text.p[i + k]) == word[k])
            k++;
        if (k == len && begins(text, i))
            return true;
    }
    return false;
}

/* The graph's name, or metadata, mention a family. */
static bool says(const struct onnx_model *m, const char *family)
{
    if (mentions(m->graph->name, family))
        return true;
    for (uint32_t i = 0; i < m->property_count; i++)
        if (mentions(m->properties[i].value, family))
            return true;
    return false;
}

/* --- families ------------------------------------------------------------- */

static void call_it(struct arch *a, const char *name, const char *reason)
{
    a->name = name;
    (void)snprintf(a->reason, sizeof(a->reason), "%s", reason);
}

/* Those that gate their MLP: Llama and its many cousins. */
static void name_gated(struct arch *a, const struct signs *s)
{
    const struct onnx_model *m = a->model;

    if (s->seen[SIGN_GEMMA_NORM]) {
        a->fallback = true;
        call_it(a, "generic decoder",
                "a gated MLP with norms on both sides, of no family we know");
    } else if (s->seen[SIGN_Q_NORM])
        call_it(a, "qwen", "norms of queries and keys, and a gated MLP");
    else if (s->seen[SIGN_Q_BIAS])
        call_it(a, "qwen", "biases of queries and keys, and a gated MLP");
    else if (says(m, "phi"))
        call_it(a, "phi", "a gated MLP, and the model names Phi");
    else if (says(m, "mistral"))
        call_it(a, "mistral", "a gated MLP, and the model names Mistral");
    else if (says(m, "llama"))
        call_it(a, "llama", "a gated MLP, and the model names Llama");
    else if (s->seen[SIGN_WINDOW] && !s->seen[SIGN_QKV_PROJ])
        call_it(a, "mistral", "a gated MLP, and attention over a window");
    else
        call_it(a, "llama-like",
                "a gated MLP; Llama and Mistral share this graph");
}

static void name_generic(struct arch *a, const struct signs *s)
{
    a->fallback = true;
    if (s->seen[SIGN_CACHE])
        call_it(a, "generic decoder",
                "inputs for cached keys and values, of no family we know");
    else if (s->seen[SIGN_ATTENTION])
        call_it(a, "generic transformer",
                "layers with attention, of no family we know");
    else if (s->seen[SIGN_RECURRENT] && s->seen[SIGN_CONV])
        call_it(a, "generic convolutional and recurrent network",
                "convolutions and recurrent operators, no layers in names");
    else if (s->seen[SIGN_RECURRENT])
        call_it(a, "generic recurrent network",
                "recurrent operators, no layers in names");
    else if (s->seen[SIGN_CONV])
        call_it(a, "generic convolutional network",
                "convolutions, no transformer's layers");
    else
        call_it(a, "generic network",
                "neither attention, convolutions nor recurrent operators");
}

static void name_transformer(struct arch *a, const struct signs *s)
{
    bool gated = s->seen[SIGN_GATE_PROJ] && s->seen[SIGN_UP_PROJ] &&
                 s->seen[SIGN_DOWN_PROJ];

    if (s->seen[SIGN_C_ATTN] && s->seen[SIGN_C_FC])
        call_it(a, "gpt2", "modules named c_attn and c_fc");
    else if (s->seen[SIGN_QUERY] && s->seen[SIGN_INTERMEDIATE])
        call_it(a, "bert", "modules named self.query and intermediate.dense");
    else if (s->seen[SIGN_MLP_FC1] && s->seen[SIGN_MLP_FC2] &&
             (s->seen[SIGN_Q_PROJ] || s->seen[SIGN_QKV_PROJ]))
        call_it(a, "phi", "an MLP of fc1 and fc2");
    else if (s->seen[SIGN_GATE_UP_PROJ] && s->seen[SIGN_QKV_PROJ])
        call_it(a, "phi", "modules named qkv_proj and gate_up_proj");
    else if (gated)
        name_gated(a, s);
    else
        name_generic(a, s);
}

/* --- the whole ------------------------------------------------------------ */

/* Layers that hold attention or an MLP. */
static int count_layers(const struct arch *a)
{
    int most = 0;

    for (uint32_t i = 0; i < a->model->graph->node_count; i++) {
        struct arch_place p = a->places[i];

        if (p.component != ARCH_NONE && p.layer >= most)
            most = p.layer + 1;
    }
    return most;
}

struct arch *arch_new(const struct onnx_model *m)
{
    struct arch *a = alloc_zero(1, sizeof(*a));
    uint32_t count = m->graph->node_count;

    a->model = m;
    a->places = alloc_zero(count + 1u, sizeof(*a->places));
    arch_places(a->places, m);

    struct signs s = read_signs(m, a->places);

    a->transformer = s.seen[SIGN_ATTENTION];
    if (a->transformer)
        name_transformer(a, &s);
    else
        name_generic(a, &s);
    for (uint32_t i = 0; i < count; i++) {
        const struct onnx_node *n = &m->graph->nodes[i];

        if (!a->transformer)
            a->places[i] = (struct arch_place){ -1, ARCH_NONE };
        if (n->name.len)
            map_put(&a->by_name, symbol_find(&m->symbols, n->name), i);
    }
    a->layers = count_layers(a);
    if (s.cached_layers > a->layers)
        a->layers = s.cached_layers;
    return a;
}

void arch_free(struct arch *a)
{
    if (!a)
        return;
    map_release(&a->by_name);
    free(a->places);
    free(a);
}

static const struct arch_place *exact(const struct arch *a, struct str name)
{
    uint32_t symbol = symbol_find(&a->model->symbols, name);
    const uint64_t *node =
            symbol == SYMBOL_EMPTY ? NULL : map_find(&a->by_name, symbol);

    return node ? &a->places[*node] : NULL;
}

/* Without what an optimiser put behind it. */
static struct str shorter(struct str name)
{
    static const char blocked[] = "_nchwc";
    size_t tail = sizeof(blocked) - 1;

    if (name.len > tail && memcmp(name.p + name.len - tail, blocked, tail) == 0)
        return (struct str){ name.p, name.len - tail };
    while (name.len && name.p[name.len - 1] != '/')
        name.len--;
    if (name.len)
        name.len--;
    return name;
}

struct arch_place arch_find(const struct arch *a, struct str name,
        struct str op_type)
{
    const struct arch_place none = { -1, ARCH_NONE };
    struct str fused = name;

    if (!a->transformer)
        return none;
    if (str_starts(fused, "fused "))
        fused = str_after(fused, ' ');
    for (int i = 0; i < 4 && fused.len; i++) {
        const struct arch_place *p = exact(a, fused);

        if (p)
            return *p;
        fused = shorter(fused);
    }
    return arch_place(name, op_type);
}
