#include "tools/models/decoder.h"

#include <math.h>
#include <stdio.h>

static const char *transpose(struct draft *d, const char *x, struct dims order)
{
    return draft_node(d, &(struct node){ .name = "Transpose",
                                 .in = { x },
                                 .attr = { attr_ints("perm", order) } });
}

/* In `shape`, 0 is a size that stays and -1 the one that is left over. */
static const char *reshape(struct draft *d, const char *x, struct dims shape)
{
    const char *wanted = draft_ints(d, shape);

    return draft_binary(d, "Reshape", x, wanted);
}

/* A projection, cut into heads: [batch, heads, tokens, size]. */
static const char *project(struct decoder *m, const char *name, const char *x,
        int heads)
{
    x = decoder_linear(m, name, x, DECODER_HIDDEN, heads * DECODER_HEAD_SIZE);
    x = reshape(m->draft, x, DIMS(0, 0, heads, DECODER_HEAD_SIZE));
    return transpose(m->draft, x, DIMS(0, 2, 1, 3));
}

/* Puts the cached keys or values in front of the new ones; the whole is the
 * next run's cache. */
static const char *join_past(struct decoder *m, int layer, const char *what,
        const char *x)
{
    char past[64], present[64], shape[96];

    (void)snprintf(past, sizeof(past), "past_key_values.%d.%s", layer, what);
    (void)snprintf(present, sizeof(present), "present.%d.%s", layer, what);
    (void)snprintf(shape, sizeof(shape),
            "batch_size %d past_sequence_length %d", DECODER_KV_HEADS,
            DECODER_HEAD_SIZE);

    const char *cached = draft_input(m->draft, past, DRAFT_FLOAT, shape);

    (void)snprintf(shape, sizeof(shape),
            "batch_size %d total_sequence_length %d", DECODER_KV_HEADS,
            DECODER_HEAD_SIZE);
    draft_output(m->draft, present, DRAFT_FLOAT, shape);
    return draft_node(m->draft, &(struct node){ .name = "Concat",
                                        .in = { cached, x },
                                        .attr = { attr_int("axis", 2) },
                                        .out = present });
}

/* Each key and value head serves several query heads. */
static const char *repeat_heads(struct draft *d, const char *x)
{
    const char *axis = draft_ints(d, DIMS(2));
    const char *times =
            draft_ints(d, DIMS(1, 1, DECODER_HEADS / DECODER_KV_HEADS, 1, 1));

    x = draft_binary(d, "Unsqueeze", x, axis);
    x = draft_binary(d, "Expand", x, times);
    return reshape(d, x, DIMS(0, DECODER_HEADS, -1, DECODER_HEAD_SIZE));
}

/* How much each token heeds each, [batch, heads, tokens, total]. */
static const char *heed(struct decoder *m, const char *queries,
        const char *keys)
{
    struct draft *d = m->draft;
    const char *flipped = transpose(d, keys, DIMS(0, 1, 3, 2));
    const char *products = draft_binary(d, "MatMul", queries, flipped);
    const char *scale = draft_float(d, 1 / sqrtf(DECODER_HEAD_SIZE));
    const char *scores = draft_binary(d, "Mul", products, scale);
    const char *masked = draft_binary(d, "Add", scores, m->mask);

    return draft_node(d, &(struct node){ .name = "Softmax",
                                 .in = { masked },
                                 .attr = { attr_int("axis", -1) } });
}

const char *decoder_attention(struct decoder *m, int layer, const char *x)
{
    struct draft *d = m->draft;

    draft_scope(d, "/model/layers.%d/self_attn", layer);

    const char *q = project(m, "q_proj", x, DECODER_HEADS);
    const char *k = project(m, "k_proj", x, DECODER_KV_HEADS);
    const char *v = project(m, "v_proj", x, DECODER_KV_HEADS);

    q = decoder_rotate(m, q);
    k = decoder_rotate(m, k);
    k = join_past(m, layer, "key", k);
    v = join_past(m, layer, "value", v);
    k = repeat_heads(d, k);
    v = repeat_heads(d, v);

    const char *mixed = draft_binary(d, "MatMul", heed(m, q, k), v);
    const char *by_token = transpose(d, mixed, DIMS(0, 2, 1, 3));
    const char *joined = reshape(d, by_token, DIMS(0, 0, DECODER_HIDDEN));

    return decoder_linear(m, "o_proj", joined, DECODER_HIDDEN, DECODER_HIDDEN);
}
