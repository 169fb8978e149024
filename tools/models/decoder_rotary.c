/* Rotary position embedding: Su et al., "RoFormer", 2021; the halves of a
 * vector are paired as Hugging Face's Llama does. */
#include "tools/models/decoder.h"

#include <math.h>

enum { HALF = DECODER_HEAD_SIZE / 2 };

static const char *concat_last(struct draft *d, const char *a, const char *b)
{
    return draft_node(d, &(struct node){ .name = "Concat",
                                 .in = { a, b },
                                 .attr = { attr_int("axis", -1) } });
}

/* [batch, tokens, size]: position times frequency, for both halves. */
static const char *angles(struct decoder *m)
{
    struct draft *d = m->draft;
    float frequency[HALF];

    for (int i = 0; i < HALF; i++)
        frequency[i] = (float)pow(DECODER_ROPE_THETA, -(double)i / HALF);

    const char *frequencies =
            draft_floats(d, "inv_freq", DIMS(1, HALF, 1), frequency);
    const char *row = draft_binary(d, "Unsqueeze", m->position_ids,
            draft_ints(d, DIMS(1)));
    const char *positions =
            draft_node(d, &(struct node){ .name = "Cast",
                                  .in = { row },
                                  .attr = { attr_int("to", DRAFT_FLOAT) } });
    const char *products = draft_binary(d, "MatMul", frequencies, positions);
    const char *half = draft_node(d,
            &(struct node){ .name = "Transpose",
                    .in = { products },
                    .attr = { attr_ints("perm", DIMS(0, 2, 1)) } });

    return concat_last(d, half, half);
}

void decoder_rotary(struct decoder *m)
{
    struct draft *d = m->draft;

    draft_scope(d, "/model/rotary_emb");

    const char *angle = angles(m);
    const char *cosine = draft_unary(d, "Cos", angle);
    const char *sine = draft_unary(d, "Sin", angle);
    const char *axis = draft_ints(d, DIMS(1)); /* all heads turn alike */

    m->cos = draft_binary(d, "Unsqueeze", cosine, axis);
    m->sin = draft_binary(d, "Unsqueeze", sine, axis);
}

/* Elements `first` up to and without `end` of the vectors. */
static const char *slice(struct draft *d, const char *x, int64_t first,
        int64_t end)
{
    struct node n = { .name = "Slice", .in = { x } };

    n.in[1] = draft_ints(d, DIMS(first));
    n.in[2] = draft_ints(d, DIMS(end));
    n.in[3] = draft_ints(d, DIMS(-1)); /* the axis */
    return draft_node(d, &n);
}

const char *decoder_rotate(struct decoder *m, const char *x)
{
    struct draft *d = m->draft;
    const char *straight = draft_binary(d, "Mul", x, m->cos);
    const char *first = slice(d, x, 0, HALF);
    const char *second = slice(d, x, HALF, INT64_MAX);
    const char *minus = draft_unary(d, "Neg", second);
    const char *crossed = concat_last(d, minus, first);
    const char *turned = draft_binary(d, "Mul", crossed, m->sin);

    return draft_binary(d, "Add", straight, turned);
}
