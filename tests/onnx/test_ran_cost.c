#include "onnx/ran_cost.h"

#include "base/compiler.h"
#include "test.h"

#include <string.h>

#define F(shape) "{\"float\":[" shape "]}"

/* By hand; -1: it cannot be told. */
static const struct {
    const char *op_type, *inputs, *outputs;
    int64_t macs, operations;
} want[] = {
    { "MatMul", "[" F("2,3,4") "," F("4,5") "]", "[" F("2,3,5") "]", 120, 0 },
    { "Add", "[" F("2,3") "," F("3") "]", "[" F("2,3") "]", 0, 6 },
    { "Conv", "[" F("1,3,8,8") "," F("16,3,3,3") "," F("16") "]",
            "[" F("1,16,6,6") "]", 576 * 27, 576 },
    /* With groups: a filter sees two channels of the four. */
    { "Conv", "[" F("1,4,8,8") "," F("6,2,3,3") "]", "[" F("1,6,6,6") "]",
            216 * 18, 0 },
    { "FusedConv", "[" F("1,3,8,8") "," F("16,3,3,3") "," F("16") "]",
            "[" F("1,16,6,6") "]", 576 * 27, 576 },
    { "Softmax", "[" F("7,9") "]", "[" F("7,9") "]", 0, 3 * 63 },
    /* Moves, and does not compute. */
    { "Gather", "[" F("50,8") ",{\"int64\":[4]}]", "[" F("4,8") "]", 0, 0 },
    { "Reshape", "[" F("4,8") ",{\"int64\":[1]}]", "[" F("32") "]", 0, 0 },
    /* A single number has a shape, too. */
    { "Mul", "[" F("") "," F("") "]", "[" F("") "]", 0, 1 },
    /* Nobody knows it; a pool needs its attributes. */
    { "Quux", "[" F("4") "]", "[" F("4") "]", -1, -1 },
    { "MaxPool", "[" F("1,4,8,8") "]", "[" F("1,4,4,4") "]", -1, -1 },
    /* Texts that are none, or tell nothing. */
    { "Add", "", "", -1, -1 },
    { "Add", "[" F("2,3") "," F("3") "]", "[" F("2,3"), -1, -1 },
    { "Add", "[" F("2,3") "]", "[" F("-2,3") "]", -1, -1 },
    { "Add", "[" F("2") "]", "[" F("1,1,1,1,1,1,1,1,1") "]", -1, -1 },
    { "Add", "[" F("2") "]", "[" F("99999999999999999999") "]", -1, -1 },
    { "Add", "[" F("2") "]", "[" F("4294967296,4294967296") "]", -1, -1 },
    { "Add", "[" F("2") "]", "[{}]", -1, -1 },
    { "Add", "[" F("2") "]", "[]", -1, -1 },
    { "Add", "[" F("2") "]", "{\"float\":[2]}", -1, -1 },
};

static void by_hand(void)
{
    for (size_t i = 0; i < LEN(want); i++) {
        struct onnx_cost cost = { 77, 77 };
        struct ran_operator o = {
            .op_type = str_of(want[i].op_type),
            .inputs = str_of(want[i].inputs),
            .outputs = str_of(want[i].outputs),
        };
        bool known = want[i].macs >= 0;

        CHECK_INT(ran_cost(&cost, &o), known);
        CHECK_INT(cost.macs, known ? want[i].macs : 77);
        CHECK_INT(cost.operations, known ? want[i].operations : 77);
    }
}

/* The attributes of the file's node count. */
static void with_attributes(void)
{
    const int64_t window[] = { 2, 2 };
    struct onnx_attr size = { .name = str_of("kernel_shape"),
        .kind = ONNX_ATTR_INTS,
        .count = 2,
        .ints = window };
    struct onnx_node node = { .attrs = &size, .attr_count = 1 };
    struct onnx_cost cost = { 0 };
    struct ran_operator o = {
        .op_type = str_of("MaxPool"),
        .inputs = str_of("[" F("1,4,8,8") "]"),
        .outputs = str_of("[" F("1,4,4,4") "]"),
        .node = &node,
    };

    CHECK(ran_cost(&cost, &o));
    CHECK_INT(cost.operations, 64 * 4);
}

/* More values than anything has. */
static void too_many(void)
{
    char text[4096] = "[";
    struct onnx_cost cost;

    for (int i = 0; i < 100; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
                "%s" F("1"), i ? "," : "");
    (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "]");
    CHECK(!ran_cost(&cost, &(struct ran_operator){ .op_type = str_of("Sum"),
                                   .inputs = str_of(text),
                                   .outputs = str_of("[" F("1") "]") }));
}

int main(void)
{
    by_hand();
    with_attributes();
    too_many();
    return test_result();
}
