/* The models we make, read back with the wire format alone: what is in them,
 * and whether the graphs hold together.  Field numbers: onnx.proto. */
#include "tools/models/model.h"

#include "base/alloc.h"
#include "base/pb.h"
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 8000000

struct list {
    struct str *of;
    size_t count;
    size_t cap;
};

struct graph {
    struct list nodes;   /* names */
    struct list tensors; /* names */
    struct list inputs;
    struct list outputs;
    struct list made; /* what the nodes put out, in their order */
};

static void list_add(struct list *l, struct str s)
{
    if (l->count == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 64;
        l->of = alloc_resize(l->of, l->cap * sizeof(*l->of));
    }
    l->of[l->count++] = s;
}

static bool equal(struct str a, struct str b)
{
    return a.len == b.len && !memcmp(a.p, b.p, a.len);
}

/* From the end: a node mostly feeds on the one before it. */
static bool list_has(const struct list *l, struct str s)
{
    for (size_t i = l->count; i > 0; i--)
        if (equal(l->of[i - 1], s))
            return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    const struct str *left = a;
    const struct str *right = b;
    size_t shared = left->len < right->len ? left->len : right->len;
    int order = memcmp(left->p, right->p, shared);

    if (order)
        return order;
    return left->len < right->len ? -1 : left->len > right->len;
}

/* Sorts it, too. */
static bool all_differ(struct list *l)
{
    if (l->count)
        qsort(l->of, l->count, sizeof(*l->of), compare);
    for (size_t i = 1; i < l->count; i++)
        if (equal(l->of[i - 1], l->of[i]))
            return false;
    return true;
}

/* The first field of bytes with this number; empty when there is none. */
static struct str find(struct str message, uint32_t number)
{
    struct pb_field f;
    int rc;

    while ((rc = pb_next(&f, &message)) == 1)
        if (f.number == number && f.wire == PB_WIRE_BYTES)
            return f.bytes;
    CHECK_INT(rc, 0);
    return (struct str){ NULL, 0 };
}

static void check_tensor(struct str tensor)
{
    struct str raw = find(tensor, 9);
    uint64_t elements = 1;
    uint64_t type = 0;
    struct pb_field f;

    while (pb_next(&f, &tensor) == 1) {
        if (f.number == 1)
            elements *= f.value;
        if (f.number == 2)
            type = f.value;
    }
    CHECK(type == 1 || type == 7);
    CHECK_INT(raw.len, elements * (type == 1 ? 4 : 8));

    uint32_t bits;

    while (type == 1 && pb_next_fixed32(&bits, &raw) == 1)
        CHECK(isfinite(pb_as_float(bits)));
}

/* A node feeds on what is there already. */
static void check_node(struct graph *g, struct str node)
{
    struct str rest = node;
    struct pb_field f;

    while (pb_next(&f, &rest) == 1) {
        if (f.number == 1)
            CHECK(list_has(&g->inputs, f.bytes) ||
                    list_has(&g->tensors, f.bytes) ||
                    list_has(&g->made, f.bytes));
        if (f.number == 2)
            list_add(&g->made, f.bytes);
    }
    CHECK(find(node, 4).len > 0); /* the operator */
    list_add(&g->nodes, find(node, 3));
}

static struct graph read_graph(struct str model)
{
    struct str graph = find(model, 7);
    struct graph g = { 0 };
    struct pb_field f;

    for (struct str rest = graph; pb_next(&f, &rest) == 1;) {
        if (f.number == 5) {
            check_tensor(f.bytes);
            list_add(&g.tensors, find(f.bytes, 8));
        }
        if (f.number == 11)
            list_add(&g.inputs, find(f.bytes, 1));
        if (f.number == 12)
            list_add(&g.outputs, find(f.bytes, 1));
    }
    for (struct str rest = graph; pb_next(&f, &rest) == 1;)
        if (f.number == 1)
            check_node(&g, f.bytes);
    for (size_t i = 0; i < g.outputs.count; i++)
        CHECK(list_has(&g.made, g.outputs.of[i]));
    CHECK(all_differ(&g.nodes));
    CHECK(all_differ(&g.made));
    CHECK(all_differ(&g.tensors));
    return g;
}

static void graph_release(struct graph *g)
{
    free(g->nodes.of);
    free(g->tensors.of);
    free(g->inputs.of);
    free(g->outputs.of);
    free(g->made.of);
}

static const struct {
    void (*write)(struct buf *file);
    size_t nodes, inputs, outputs;
    const char *some[16]; /* of its nodes, inputs, outputs and tensors */
} models[] = {
    { convnet_write, 23, 1, 1,
            { "input", "probabilities", "/stem/conv/Conv",
                    "/depthwise1/bn/BatchNormalization", "/head/Softmax",
                    "depthwise2.conv.weight" } },
    { mlp_write, 5, 1, 1, { "x", "y", "/fc3/Gemm", "fc1.weight" } },
    { chain_write, CHAIN_NODES, 1, 1,
            { "x", "y", "/blocks.0/Mul", "/blocks.1999/Neg" } },
    { decoder_write, 155, 7, 5,
            { "input_ids", "attention_mask", "position_ids",
                    "past_key_values.1.value", "logits", "present.0.key",
                    "/model/embed_tokens/Gather",
                    "/model/layers.0/input_layernorm/Pow",
                    "/model/layers.0/self_attn/q_proj/MatMul",
                    "/model/layers.1/self_attn/Softmax",
                    "/model/layers.1/mlp/gate_proj/MatMul",
                    "/model/layers.1/Add_1", "/model/norm/Mul_1",
                    "/lm_head/MatMul",
                    "model.layers.0.self_attn.q_proj.weight" } },
};

static void check_model(size_t index)
{
    struct buf file = { 0 };

    models[index].write(&file);
    CHECK(file.len < MOST_BYTES);

    struct graph g = read_graph(buf_str(&file));

    CHECK_INT(g.nodes.count, models[index].nodes);
    CHECK_INT(g.inputs.count, models[index].inputs);
    CHECK_INT(g.outputs.count, models[index].outputs);
    for (const char *const *name = models[index].some; *name; name++) {
        struct str s = str_of(*name);
        bool there = list_has(&g.nodes, s) || list_has(&g.tensors, s) ||
                     list_has(&g.inputs, s) || list_has(&g.outputs, s);

        if (!there)
            (void)fprintf(stderr, "  %s is not there\n", *name);
        CHECK(there);
    }
    graph_release(&g);
    buf_release(&file);
}

/* Same program, same bytes. */
static void check_files(void)
{
    size_t count = 0;

    for (const struct model_file *m = model_files; m->path; m++, count++) {
        struct buf once = { 0 };
        struct buf again = { 0 };

        m->write(&once);
        m->write(&again);
        CHECK(once.len > 0 && equal(buf_str(&once), buf_str(&again)));
        buf_release(&once);
        buf_release(&again);
    }
    CHECK_INT(count, 9);
}

static void check_config(void)
{
    struct buf text = { 0 };

    decoder_config_write(&text);
    CHECK(strstr(buf_cstr(&text), "\"model_type\": \"llama\""));
    CHECK(strstr(buf_cstr(&text), "\"num_key_value_heads\": 2"));
    buf_clear(&text);
    decoder_genai_config_write(&text);
    CHECK(strstr(buf_cstr(&text), "\"filename\": \"model.onnx\""));
    CHECK(strstr(buf_cstr(&text), "\"past_key_values.%d.key\""));
    buf_release(&text);
}

int main(void)
{
    for (size_t i = 0; i < LEN(models); i++)
        check_model(i);
    check_files();
    check_config();
    return test_result();
}
