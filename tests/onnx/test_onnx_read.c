/* What is read of a model, and what is not: models made here, field by field.
 */
#include "onnx/model.h"

#include "base/alloc.h"
#include "test.h"
#include "test_onnx_maker.h"

#include <stdlib.h>
#include <string.h>

static struct onnx_model *read(struct str bytes)
{
    struct error e = { 0 };
    struct onnx_model *m = NULL;

    if (onnx_parse(&m, bytes, "m.onnx", &e)) {
        (void)fprintf(stderr, "%s\n", e.text);
        test_failures++;
        exit(test_result());
    }
    return m;
}

static bool is_named(const struct onnx_model *m, uint32_t symbol,
        const char *name)
{
    return str_is(symbol_text(&m->symbols, symbol), name);
}

static const struct onnx_tensor *tensor(const struct onnx_model *m,
        const char *name)
{
    for (uint32_t i = 0; i < m->graph->tensor_count; i++)
        if (is_named(m, m->graph->tensors[i]->name, name))
            return m->graph->tensors[i];
    (void)fputs("no such tensor\n", stderr);
    test_failures++;
    exit(test_result());
}

/* --- the head ------------------------------------------------------------- */

static void test_head(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    pb_text(&k.out, 2, "main");
    make_input(&k, "x", ONNX_FLOAT, "N ? -1 5");
    make_node(&k, "Relu", "relu", "x", "y");
    make_output(&k, "y");
    (void)make_end(&k);
    pb_text(&k.out, 2, "pytorch");
    pb_text(&k.out, 3, "2.1");
    pb_i64(&k.out, 5, 7);
    make_opset(&k, "", 18); /* of two for a domain the last counts */

    size_t property = pb_begin(&k.out, 14);

    pb_text(&k.out, 1, "author");
    pb_text(&k.out, 2, "nobody");
    pb_end(&k.out, property);

    struct onnx_model *m = read(buf_str(&k.out));
    const struct onnx_value *x = &m->graph->inputs[0];

    CHECK_INT(m->ir_version, 8);
    CHECK(str_is(m->producer, "pytorch"));
    CHECK(str_is(m->producer_version, "2.1"));
    CHECK_INT(m->version, 7);
    CHECK_INT(m->opset_count, 2);
    CHECK_INT(onnx_opset(m, str_of("")), 18);
    CHECK_INT(onnx_opset(m, str_of("ai.onnx")), 18);
    CHECK_INT(onnx_opset(m, str_of("com.microsoft")), 1);
    CHECK_INT(onnx_opset(m, str_of("ai.onnx.ml")), 0);
    CHECK_INT(m->property_count, 1);
    CHECK(str_is(m->properties[0].key, "author"));
    CHECK(str_is(m->graph->name, "main"));
    CHECK_INT(m->file_bytes, k.out.len);
    CHECK_INT(x->rank, 4);
    CHECK_INT(x->type, ONNX_FLOAT);
    CHECK(is_named(m, x->dims[0].name, "N"));
    CHECK_INT(x->dims[0].size, -1);
    CHECK_INT(x->dims[1].name, SYMBOL_EMPTY);
    CHECK_INT(x->dims[1].size, -1);
    CHECK_INT(x->dims[2].size, -1);
    CHECK_INT(x->dims[3].size, 5);
    CHECK_INT(m->graph->outputs[0].rank, -1);
    onnx_close(m);
    make_release(&k);
}

/* --- nodes and attributes ------------------------------------------------- */

static void add_attributes(struct maker *k)
{
    size_t attr;

    make_int(k, "one", -3);
    attr = pb_begin(&k->out, 5); /* packed; old files do not say the type */
    pb_text(&k->out, 1, "packed");
    size_t list = pb_begin(&k->out, 8);
    pb_add_varint(&k->out, 300);
    pb_add_varint(&k->out, (uint64_t)-1);
    pb_end(&k->out, list);
    pb_end(&k->out, attr);
    attr = pb_begin(&k->out, 5); /* a field each */
    pb_text(&k->out, 1, "loose");
    pb_i64(&k->out, 8, 5);
    pb_i64(&k->out, 8, 6);
    pb_i64(&k->out, 8, 7);
    pb_end(&k->out, attr);
    attr = pb_begin(&k->out, 5);
    pb_text(&k->out, 1, "floats");
    pb_float(&k->out, 7, 0.5f);
    pb_float(&k->out, 7, 2);
    pb_u64(&k->out, 20, 6);
    pb_end(&k->out, attr);
    attr = pb_begin(&k->out, 5);
    pb_text(&k->out, 1, "text");
    pb_text(&k->out, 4, "SAME_UPPER");
    pb_end(&k->out, attr);
    attr = pb_begin(&k->out, 5); /* said to be a list, and empty */
    pb_text(&k->out, 1, "empty");
    pb_u64(&k->out, 20, 7);
    pb_end(&k->out, attr);
}

static void test_nodes(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "1");

    size_t node = make_node_begin(&k, "Odd", "odd", "x - x", "y -");

    pb_text(&k.out, 7, "ai.onnx");
    add_attributes(&k);
    pb_end(&k.out, node);
    make_output(&k, "y");

    struct onnx_model *m = read(make_end(&k));
    const struct onnx_node *n = &m->graph->nodes[0];

    CHECK_INT(m->graph->node_count, 1);
    CHECK(str_is(n->name, "odd"));
    CHECK(str_is(n->op_type, "Odd"));
    CHECK_INT(n->domain.len, 0);
    CHECK_INT(n->input_count, 3);
    CHECK_INT(n->inputs[1], SYMBOL_EMPTY);
    CHECK_INT(n->inputs[0], n->inputs[2]);
    CHECK_INT(n->output_count, 2);
    CHECK_INT(n->attr_count, 6);
    CHECK_INT(onnx_attr(n, "one")->i, -3);
    CHECK_INT(onnx_attr(n, "packed")->count, 2);
    CHECK_INT(onnx_attr(n, "packed")->ints[0], 300);
    CHECK_INT(onnx_attr(n, "packed")->ints[1], -1);
    CHECK_INT(onnx_attr(n, "loose")->count, 3);
    CHECK_INT(onnx_attr(n, "loose")->ints[2], 7);
    CHECK(onnx_attr(n, "floats")->floats[0] == 0.5f);
    CHECK(onnx_attr(n, "floats")->floats[1] == 2);
    CHECK(str_is(onnx_attr(n, "text")->text, "SAME_UPPER"));
    CHECK_INT(onnx_attr(n, "empty")->kind, ONNX_ATTR_INTS);
    CHECK_INT(onnx_attr(n, "empty")->count, 0);
    CHECK(!onnx_attr(n, "none"));
    onnx_close(m);
    make_release(&k);
}

/* --- tensors -------------------------------------------------------------- */

static void add_floats(struct maker *k, const char *name, int count)
{
    char size[16];

    (void)snprintf(size, sizeof(size), "%d", count);

    size_t tensor = make_tensor_begin(k, 5, name, ONNX_FLOAT, size);
    size_t raw = pb_begin(&k->out, 9);

    for (int i = 0; i < count; i++)
        pb_add_fixed32(&k->out, 0x40000000); /* 2.0f */
    pb_end(&k->out, raw);
    pb_end(&k->out, tensor);
}

static void add_external(struct maker *k, const char *key, const char *value)
{
    size_t entry = pb_begin(&k->out, 13);

    pb_text(&k->out, 1, key);
    pb_text(&k->out, 2, value);
    pb_end(&k->out, entry);
}

static void add_tensors(struct maker *k)
{
    size_t tensor;

    make_numbers(k, 5, "numbers", "4 -1 9");
    tensor = make_tensor_begin(k, 5, "int32", ONNX_INT32, "2");
    size_t list = pb_begin(&k->out, 5);
    pb_add_varint(&k->out, 3);
    pb_add_varint(&k->out, (uint64_t)-2);
    pb_end(&k->out, list);
    pb_end(&k->out, tensor);
    add_floats(k, "single", 1);
    add_floats(k, "scales", 4);
    add_floats(k, "bias", 4);
    tensor = make_tensor_begin(k, 5, "many", ONNX_INT64, "65");
    for (int i = 0; i < 65; i++)
        pb_i64(&k->out, 7, i);
    pb_end(&k->out, tensor);
    tensor = make_tensor_begin(k, 5, "half", ONNX_FLOAT16, "1");
    pb_bytes(&k->out, 9, "\0\xc1", 2); /* -2.5 */
    pb_end(&k->out, tensor);
    tensor = make_tensor_begin(k, 5, "packed4", 22, "3 3");
    pb_bytes(&k->out, 9, "12345", 5);
    pb_end(&k->out, tensor);
    tensor = make_tensor_begin(k, 5, "away", ONNX_FLOAT, "1000 1000");
    add_external(k, "location", "weights.bin");
    add_external(k, "offset", "4096");
    add_external(k, "length", "4000000");
    pb_u64(&k->out, 14, 1);
    pb_end(&k->out, tensor);
    make_weight(k, "empty", ONNX_FLOAT, "3 0 5");
}

static void check_small(const struct onnx_model *m)
{
    CHECK(tensor(m, "numbers")->data[0] == 4);
    CHECK(tensor(m, "numbers")->data[1] == -1);
    CHECK(tensor(m, "int32")->data[0] == 3);
    CHECK(tensor(m, "int32")->data[1] == -2);
    CHECK(tensor(m, "single")->data[0] == 2);
    CHECK(tensor(m, "half")->data[0] == -2.5);
    /* Wanted by a Resize; the other is a weight. */
    CHECK(tensor(m, "scales")->data && tensor(m, "scales")->data[3] == 2);
    CHECK(!tensor(m, "bias")->data);
    CHECK(!tensor(m, "many")->data);
    CHECK(!tensor(m, "away")->data);
}

static void test_tensors(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    add_tensors(&k);
    make_input(&k, "x", ONNX_FLOAT, "1 1 4 4");
    make_input(&k, "bias", ONNX_FLOAT, "4");
    make_node(&k, "Resize", "", "x - scales", "y");
    make_node(&k, "Add", "", "y bias", "z");
    make_output(&k, "z");

    struct onnx_model *m = read(make_end(&k));
    const struct onnx_tensor *away = tensor(m, "away");

    check_small(m);
    CHECK_INT(m->graph->tensor_count, 10);
    CHECK_INT(m->graph->input_count, 2);
    CHECK(!m->graph->inputs[0].has_default);
    CHECK(m->graph->inputs[1].has_default);
    CHECK_INT(tensor(m, "packed4")->elements, 9);
    CHECK_INT(tensor(m, "packed4")->bytes, 5);
    CHECK_INT(tensor(m, "empty")->elements, 0);
    CHECK(away->external);
    CHECK(is_named(m, away->location, "weights.bin"));
    CHECK_INT(away->offset, 4096);
    CHECK_INT(away->length, 4000000);
    CHECK_INT(m->external_bytes, 4000000);
    CHECK_INT(m->side_file_count, 1);
    CHECK_INT(m->side_files[0].used_bytes, 4000000);
    CHECK(!m->side_files[0].found);
    CHECK_INT(m->parameters, 3 + 2 + 1 + 4 + 4 + 65 + 1 + 9 + 1000000);
    CHECK_INT(m->parameter_bytes, 24 + 8 + 4 + 16 + 16 + 520 + 2 + 5 + 4000000);
    onnx_close(m);
    make_release(&k);
}

/* --- graphs within -------------------------------------------------------- */

static void add_branch(struct maker *k, const char *name, const char *op_type)
{
    size_t graph, attr = make_graph_begin(k, name, &graph);

    make_node(k, op_type, "", "x", "inner"); /* x is of the graph around */
    make_numbers(k, 5, "unused", "1");
    make_output(k, "inner");
    pb_end(&k->out, graph);
    pb_end(&k->out, attr);
}

static void test_graphs(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "1");
    make_input(&k, "which", ONNX_BOOL, "");

    size_t node = make_node_begin(&k, "If", "if", "which", "y");

    add_branch(&k, "then_branch", "Relu");
    add_branch(&k, "else_branch", "Neg");
    pb_end(&k.out, node);
    make_output(&k, "y");
    (void)make_end(&k);

    /* Protobuf merges: a second graph continues the first. */
    size_t more = pb_begin(&k.out, 7);

    make_output(&k, "x");
    pb_end(&k.out, more);

    struct onnx_model *m = read(buf_str(&k.out));

    CHECK_INT(m->graph->node_count, 1);
    CHECK_INT(m->graph->output_count, 2);
    CHECK_INT(m->graph_nodes, 3);
    CHECK_INT(m->graph_tensors, 2);
    CHECK_INT(m->graph->nodes[0].graph_count, 2);
    CHECK(onnx_attr(&m->graph->nodes[0], "else_branch")->graph->outer ==
            m->graph);
    onnx_close(m);
    make_release(&k);
}

static void test_functions(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "1");

    size_t node = make_node_begin(&k, "Twice", "", "x", "y");

    pb_text(&k.out, 7, "mine");
    pb_end(&k.out, node);
    make_output(&k, "y");
    (void)make_end(&k);

    size_t function = pb_begin(&k.out, 25);

    pb_text(&k.out, 1, "Twice");
    pb_text(&k.out, 4, "a");
    pb_text(&k.out, 5, "b");
    size_t inner = pb_begin(&k.out, 7);
    make_names(&k.out, 1, "a a");
    make_names(&k.out, 2, "b");
    pb_text(&k.out, 4, "Add");
    pb_end(&k.out, inner);
    pb_text(&k.out, 10, "mine");
    pb_end(&k.out, function);

    struct onnx_model *m = read(buf_str(&k.out));

    CHECK_INT(m->function_count, 1);
    CHECK_INT(m->function_nodes, 1);
    CHECK(m->functions[0].kind == m->graph->nodes[0].kind);
    onnx_close(m);
    make_release(&k);
}

/* Nodes may stand in any order; they run in the one that works. */
static void test_order(void)
{
    struct maker k = { 0 };

    make_begin(&k);
    make_input(&k, "x", ONNX_FLOAT, "1");
    make_node(&k, "Neg", "third", "b", "y");
    make_node(&k, "Neg", "second", "a", "b");
    make_node(&k, "Neg", "first", "x", "a");
    make_output(&k, "y");

    struct onnx_model *m = read(make_end(&k));

    CHECK(m->graph->order);
    for (uint32_t i = 0; m->graph->order && i < 3; i++)
        CHECK_INT(m->graph->order[i], 2 - i);
    onnx_close(m);
    make_release(&k);
}

int main(void)
{
    test_head();
    test_nodes();
    test_tensors();
    test_graphs();
    test_functions();
    test_order();
    return test_result();
}
