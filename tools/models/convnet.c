/* What mobile vision nets are made of: a strided stem, depthwise and pointwise
 * convolutions with batch normalisation, one residual, a pooled head. */
#include "tools/models/model.h"

#include "tools/models/weights.h"

#define CLASSES 10

/* A convolution that keeps the image's size but for its stride. */
struct conv {
    const char *part; /* the module's name */
    int ins, outs;    /* channels */
    int kernel;
    int stride;
    int groups;
};

static const struct conv stem = { "stem", 3, 16, 3, 2, 1 };
static const struct conv body[] = {
    { "depthwise1", 16, 16, 3, 1, 16 },
    { "pointwise1", 16, 32, 1, 1, 1 },
    { "depthwise2", 32, 32, 3, 2, 32 },
    { "pointwise2", 32, 64, 1, 1, 1 },
};
static const struct conv residual = { "residual", 64, 64, 3, 1, 1 };

/* `bias` may be NULL: normalisation brings its own. */
static const char *conv(struct weights *w, const struct conv *c, const char *x,
        const char *bias)
{
    int pad = c->kernel / 2;
    int ins = c->ins / c->groups;
    const char *weight = weights_layer(w, "conv.weight",
            DIMS(c->outs, ins, c->kernel, c->kernel),
            ins * c->kernel * c->kernel);

    return draft_node(w->draft,
            &(struct node){ .name = "conv/Conv",
                    .in = { x, weight, bias },
                    .attr = { attr_ints("dilations", DIMS(1, 1)),
                            attr_int("group", c->groups),
                            attr_ints("kernel_shape",
                                    DIMS(c->kernel, c->kernel)),
                            attr_ints("pads", DIMS(pad, pad, pad, pad)),
                            attr_ints("strides",
                                    DIMS(c->stride, c->stride)) } });
}

static const char *conv_norm_relu(struct weights *w, const struct conv *c,
        const char *x)
{
    struct draft *d = w->draft;

    draft_scope(d, "/%s", c->part);
    x = conv(w, c, x, NULL);

    const char *scale =
            weights_spread(w, "bn.weight", DIMS(c->outs), 1.4f, 0.2f);
    const char *bias = weights_spread(w, "bn.bias", DIMS(c->outs), 0, 0.1f);
    const char *mean =
            weights_spread(w, "bn.running_mean", DIMS(c->outs), 0, 0.1f);
    const char *variance =
            weights_spread(w, "bn.running_var", DIMS(c->outs), 1, 0.2f);

    x = draft_node(d, &(struct node){ .name = "bn/BatchNormalization",
                              .in = { x, scale, bias, mean, variance },
                              .attr = { attr_float("epsilon", 1e-5f),
                                      attr_float("momentum", 0.9f) } });
    return draft_unary(d, "act/Relu", x);
}

static const char *conv_add_relu(struct weights *w, const struct conv *c,
        const char *x)
{
    draft_scope(w->draft, "/%s", c->part);

    const char *bias = weights_spread(w, "conv.bias", DIMS(c->outs), 0, 0.1f);
    const char *added = conv(w, c, x, bias);

    x = draft_binary(w->draft, "Add", added, x);
    return draft_unary(w->draft, "act/Relu", x);
}

static void classify(struct weights *w, const char *x)
{
    struct draft *d = w->draft;
    int ins = residual.outs;

    draft_scope(d, "/head");

    const char *weight = weights_layer(w, "fc.weight", DIMS(CLASSES, ins), ins);
    const char *bias = weights_spread(w, "fc.bias", DIMS(CLASSES), 0, 0.1f);

    x = draft_unary(d, "pool/GlobalAveragePool", x);
    x = draft_node(d, &(struct node){ .name = "Flatten",
                              .in = { x },
                              .attr = { attr_int("axis", 1) } });
    x = draft_node(d, &(struct node){ .name = "fc/Gemm",
                              .in = { x, weight, bias },
                              .attr = { attr_int("transB", 1) } });
    (void)draft_node(d, &(struct node){ .name = "Softmax",
                                .in = { x },
                                .attr = { attr_int("axis", -1) },
                                .out = "probabilities" });
}

void convnet_write(struct buf *file)
{
    struct draft *d = draft_new("convnet");
    struct weights w = { d, 1 };
    const char *x = draft_input(d, "input", DRAFT_FLOAT, "1 3 64 64");

    x = conv_norm_relu(&w, &stem, x);
    draft_scope(d, "/pool");
    x = draft_node(d, &(struct node){ .name = "MaxPool",
                              .in = { x },
                              .attr = { attr_ints("kernel_shape", DIMS(2, 2)),
                                      attr_ints("strides", DIMS(2, 2)) } });
    for (size_t i = 0; i < LEN(body); i++)
        x = conv_norm_relu(&w, &body[i], x);
    x = conv_add_relu(&w, &residual, x);
    classify(&w, x);
    draft_output(d, "probabilities", DRAFT_FLOAT, "1 10");
    draft_write(d, file);
    draft_free(d);
}
