/* decoder.h -- the parts of the decoder: Llama's architecture in miniature,
 * with the names that Hugging Face's export gives them.
 *
 * Shapes below are [batch, heads, tokens, size]; `tokens` are those of this
 * run, `total` those and the cached ones before them. */
#pragma once

#include "tools/models/weights.h"

#ifdef DECODER_LARGE /* of 170 MB, for the bench: bench/meson.build */
enum {
    DECODER_LAYERS = 3,
    DECODER_HIDDEN = 1024,
    DECODER_HEADS = 16,
    DECODER_KV_HEADS = 4,
    DECODER_HEAD_SIZE = 64,
    DECODER_MLP = 2816,
    DECODER_VOCAB = 4096,
    DECODER_CONTEXT = 512,
};
#else
enum {
    DECODER_LAYERS = 2,
    DECODER_HIDDEN = 256,
    DECODER_HEADS = 16,
    DECODER_KV_HEADS = 2, /* each serves eight: grouped-query attention */
    DECODER_HEAD_SIZE = 16,
    DECODER_MLP = 768,
    DECODER_VOCAB = 256,
    DECODER_CONTEXT = 512, /* tokens, at most */
};
#endif
enum { DECODER_PAD_ID = 0, DECODER_BOS_ID = 1, DECODER_EOS_ID = 2 };

#define DECODER_ROPE_THETA   10000.0
#define DECODER_NORM_EPSILON 1e-5

struct decoder {
    struct draft *draft;
    struct weights weights;
    /* The graph's inputs: */
    const char *input_ids;      /* [batch, tokens] */
    const char *attention_mask; /* [batch, total]; 0: padding */
    const char *position_ids;   /* [batch, tokens] */
    /* What all layers share: */
    const char *mask; /* see decoder_mask() */
    const char *cos;  /* see decoder_rotary() */
    const char *sin;
};

/* What is added to the scores, [batch, 1, tokens, total]: 0 where a token may
 * look, the lowest float where not: at what comes after it, and at padding. */
const char *decoder_mask(struct decoder *m);

/* Fills `cos` and `sin`, [batch, 1, tokens, size], from the positions. */
void decoder_rotary(struct decoder *m);

/* Turns the vectors of `x`, [batch, heads, tokens, size], by their positions.
 * In the scope of the attention. */
const char *decoder_rotate(struct decoder *m, const char *x);

/* Attention of a layer, [batch, tokens, hidden] to the same; it adds the
 * layer's cache to the graph's inputs and outputs. */
const char *decoder_attention(struct decoder *m, int layer, const char *x);

/* x W, with W of [ins, outs]: node `name`/MatMul, weight `name`.weight in the
 * draft's scope. */
const char *decoder_linear(struct decoder *m, const char *name, const char *x,
        int ins, int outs);
