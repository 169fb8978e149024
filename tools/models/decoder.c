#include "tools/models/decoder.h"

#include "tools/models/model.h"

#include <stdio.h>

const char *decoder_linear(struct decoder *m, const char *name, const char *x,
        int ins, int outs)
{
    char weight_name[32], node_name[32];

    (void)snprintf(weight_name, sizeof(weight_name), "%s.weight", name);
    (void)snprintf(node_name, sizeof(node_name), "%s/MatMul", name);

    const char *weight =
            weights_layer(&m->weights, weight_name, DIMS(ins, outs), ins);

    return draft_binary(m->draft, node_name, x, weight);
}

/* RMSNorm, spelled out as exports for operator set 14 do: x / rms(x) * weight.
 * The module is the draft's scope. */
static const char *norm(struct decoder *m, const char *x)
{
    struct draft *d = m->draft;
    const char *weight = weights_spread(&m->weights, "weight",
            DIMS(DECODER_HIDDEN), 1, 0.1f);
    const char *squares = draft_binary(d, "Pow", x, draft_float(d, 2));
    const char *mean =
            draft_node(d, &(struct node){ .name = "ReduceMean",
                                  .in = { squares },
                                  .attr = { attr_ints("axes", DIMS(-1)),
                                          attr_int("keepdims", 1) } });
    const char *safe = draft_binary(d, "Add", mean,
            draft_float(d, (float)DECODER_NORM_EPSILON));
    const char *rms = draft_unary(d, "Sqrt", safe);
    const char *inverse = draft_binary(d, "Div", draft_float(d, 1), rms);
    const char *normed = draft_binary(d, "Mul", x, inverse);

    return draft_binary(d, "Mul", weight, normed);
}

/* SwiGLU: down(silu(gate(x)) * up(x)). */
static const char *feed_forward(struct decoder *m, int layer, const char *x)
{
    struct draft *d = m->draft;

    draft_scope(d, "/model/layers.%d/mlp", layer);

    const char *gate =
            decoder_linear(m, "gate_proj", x, DECODER_HIDDEN, DECODER_MLP);
    const char *sigmoid = draft_unary(d, "act_fn/Sigmoid", gate);
    const char *silu = draft_binary(d, "act_fn/Mul", gate, sigmoid);
    const char *up =
            decoder_linear(m, "up_proj", x, DECODER_HIDDEN, DECODER_MLP);
    const char *gated = draft_binary(d, "Mul", silu, up);

    return decoder_linear(m, "down_proj", gated, DECODER_MLP, DECODER_HIDDEN);
}

static const char *decoder_layer(struct decoder *m, int layer, const char *x)
{
    struct draft *d = m->draft;

    draft_scope(d, "/model/layers.%d/input_layernorm", layer);

    const char *attended = decoder_attention(m, layer, norm(m, x));

    draft_scope(d, "/model/layers.%d", layer);
    x = draft_binary(d, "Add", x, attended);
    draft_scope(d, "/model/layers.%d/post_attention_layernorm", layer);

    const char *fed = feed_forward(m, layer, norm(m, x));

    draft_scope(d, "/model/layers.%d", layer);
    return draft_binary(d, "Add", x, fed);
}

static const char *embed(struct decoder *m)
{
    draft_scope(m->draft, "/model/embed_tokens");

    const char *weight = weights_spread(&m->weights, "weight",
            DIMS(DECODER_VOCAB, DECODER_HIDDEN), 0, 1);

    return draft_binary(m->draft, "Gather", weight, m->input_ids);
}

static void lm_head(struct decoder *m, const char *x)
{
    draft_scope(m->draft, "/lm_head");

    const char *weight = weights_layer(&m->weights, "weight",
            DIMS(DECODER_HIDDEN, DECODER_VOCAB), DECODER_HIDDEN);

    (void)draft_node(m->draft, &(struct node){ .name = "MatMul",
                                       .in = { x, weight },
                                       .out = "logits" });
}

void decoder_write(struct buf *file)
{
    struct draft *d = draft_new("main_graph");
    struct decoder m = { .draft = d, .weights = { d, 4 } };
    const char *tokens = "batch_size sequence_length";
    char logits[64];

    m.input_ids = draft_input(d, "input_ids", DRAFT_INT64, tokens);
    m.attention_mask = draft_input(d, "attention_mask", DRAFT_INT64,
            "batch_size total_sequence_length");
    m.position_ids = draft_input(d, "position_ids", DRAFT_INT64, tokens);
    (void)snprintf(logits, sizeof(logits), "%s %d", tokens, DECODER_VOCAB);
    draft_output(d, "logits", DRAFT_FLOAT, logits);

    const char *x = embed(&m);

    m.mask = decoder_mask(&m);
    decoder_rotary(&m);
    for (int layer = 0; layer < DECODER_LAYERS; layer++)
        x = decoder_layer(&m, layer, x);
    draft_scope(d, "/model/norm");
    lm_head(&m, norm(&m, x));
    draft_write(d, file);
    draft_free(d);
}
