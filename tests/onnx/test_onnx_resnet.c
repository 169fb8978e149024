/* ResNet-50, as the ONNX project publishes it: each convolution counted by
 * hand from the paper's table (He et al., 2015, table 1), and the whole.
 * Skipped where the recording is not at hand. */
#include "onnx/study.h"

#include "onnx/model.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#define PATH SOURCE_ROOT "/../shared/data/models/onnx-light/light_resnet50.onnx"

static const struct onnx_model *model;
static const struct study *study;
static uint32_t at; /* the node we have come to */
static int64_t sum;

/* The next convolution has this many MACs: window, channels, size of its
 * square output. */
static void conv(int64_t window, int64_t from, int64_t to, int64_t side)
{
    int64_t want = window * window * from * to * side * side;

    while (at < model->graph->node_count &&
            !str_is(model->graph->nodes[at].op_type, "Conv"))
        at++;
    CHECK(at < model->graph->node_count);
    if (at == model->graph->node_count)
        return;

    const struct study_node *n = study_node(study, at++);

    CHECK(n->cost_known);
    CHECK_INT(n->cost.macs, want);
    sum += want;
}

/* Blocks of 1x1, 3x3, 1x1; the first also changes what it adds to.  It is the
 * 3x3 that halves the size, so the first 1x1 sees the size before. */
static void stage(int blocks, int64_t from, int64_t middle, int64_t side_before,
        int64_t side)
{
    for (int i = 0; i < blocks; i++) {
        int64_t in = i ? 4 * middle : from;

        conv(1, in, middle, i ? side : side_before);
        conv(3, middle, middle, side);
        conv(1, middle, 4 * middle, side);
        if (!i)
            conv(1, from, 4 * middle, side);
    }
}

int main(void)
{
    struct error e = { 0 };
    struct onnx_model *m;

    if (access(PATH, R_OK) != 0) {
        (void)printf("there is no %s\n", PATH);
        return 77;
    }
    if (onnx_open(&m, PATH, &e)) {
        (void)fprintf(stderr, "%s\n", e.text);
        return 1;
    }

    struct study *s = study_new(m, NULL, 0);
    int64_t all = 0;

    model = m;
    study = s;
    conv(7, 3, 64, 112);
    stage(3, 64, 64, 56, 56);
    stage(4, 256, 128, 56, 28);
    stage(6, 512, 256, 28, 14);
    stage(3, 1024, 512, 14, 7);
    for (uint32_t i = 0; i < m->graph->node_count; i++) {
        CHECK(study_node(s, i)->cost_known);
        all += (int64_t)study_node(s, i)->cost.macs;
    }
    /* The classifier is all that is left. */
    CHECK_INT(all - sum, 2048 * 1000);
    CHECK(all > 3800000000 && all < 4100000000);
    study_free(s);
    onnx_close(m);
    return test_result();
}
