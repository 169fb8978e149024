#include "tools/models/model.h"

#include "tools/models/weights.h"

static const int sizes[] = { 64, 768, 768, 10 };
#define LAYERS ((int)LEN(sizes) - 1)

/* Layer 1, 2, ...; weights as PyTorch's Linear lays them out. */
static const char *linear(struct weights *w, const char *x, int layer)
{
    int ins = sizes[layer - 1];
    int outs = sizes[layer];

    draft_scope(w->draft, "/fc%d", layer);

    const char *weight = weights_layer(w, "weight", DIMS(outs, ins), ins);
    const char *bias = weights_spread(w, "bias", DIMS(outs), 0, 0.1f);

    return draft_node(w->draft, &(struct node){ .name = "Gemm",
                                        .in = { x, weight, bias },
                                        .attr = { attr_int("transB", 1) },
                                        .out = layer == LAYERS ? "y" : NULL });
}

void mlp_write(struct buf *file)
{
    struct draft *d = draft_new("mlp");
    struct weights w = { d, 2 };
    const char *x = draft_input(d, "x", DRAFT_FLOAT, "batch 64");

    for (int layer = 1; layer < LAYERS; layer++) {
        x = linear(&w, x, layer);
        draft_scope(d, "/act%d", layer);
        x = draft_unary(d, "Relu", x);
    }
    (void)linear(&w, x, LAYERS);
    draft_output(d, "y", DRAFT_FLOAT, "batch 10");
    draft_write(d, file);
    draft_free(d);
}
