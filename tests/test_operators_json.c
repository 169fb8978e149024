#include "export/operators_json.h"

#include "base/compiler.h"
#include "base/json.h"
#include "test.h"

#include <string.h>

static void check_json(int line, const struct operators *o, const char *want)
{
    struct buf b = { 0 };
    struct json j = json_line_into(&b);

    json_object(&j, NULL);
    operators_json(&j, o, NULL);
    json_end(&j);
    if (strcmp(buf_cstr(&b), want) != 0) {
        test_failures++;
        (void)fprintf(stderr, "line %d: wrote\n%s\nnot\n%s\n", line,
                buf_cstr(&b), want);
    }
    buf_release(&b);
}
#define JSON(o, want) check_json(__LINE__, o, want)

static char conv[] = "conv_1", type[] = "Conv", cpu[] = "CPU", none[] = "";
static char shape[] = "[{\"float\":[1,3]}]";

/* Nothing was looked into: then there is nothing to say. */
static void nothing(void)
{
    struct operator_account idle = { .plain_inferences = 5 };

    JSON(&(struct operators){ 0 }, "{}");
    JSON((&(struct operators){ .accounts = &idle, .account_count = 1 }), "{}");
}

static void all_members(void)
{
    struct operator_edge edges[] = { { 2, 7 }, { 3, 7 }, { 7, 8 } };
    struct operator_sum items[] = { {
            .id = 7,
            .session = 2,
            .name = conv,
            .op_type = type,
            .provider = cpu,
            .inputs = shape,
            .outputs = shape,
            .node_index = 0,
            .sizes_known = true,
            .activation_bytes = 0,
            .parameter_bytes = 20,
            .output_bytes = 30,
            .count = 4,
            .left_out = 3,
            .raw_ns = 9000,
            .kernel_ns = 6000,
            .self_ns = 6000,
            .method = OPERATOR_CONSTANT,
    } };
    struct operator_account accounts[] = { { .plain_inferences = 9 },
        {
                .inferences = 2,
                .timed = 1,
                .run_ns = 20000,
                .kernels_ns = 8000,
                .describing_ns = 4000,
                .control_flow_ns = 2000,
                .gaps_ns = 1000,
                .before_ns = 3000,
                .after_ns = 2000,
                .overlapping = true,
                .method = OPERATOR_CONSTANT,
                .plain_inferences = 3,
                .plain_median_ns = 5000,
                .typical_kernels_ns = 3500,
                .typical_flow_ns = 1000,
                .seen_ns = 7000,
                .fitted_each_ns = 80,
                .left_out = 6,
        } };

    JSON((&(struct operators){ items, 1, edges, LEN(edges), accounts, 2 }),
            "{\"ops\":[{\"id\":7,\"name\":\"conv_1\","
            "\"op_type\":\"Conv\",\"provider\":\"CPU\",\"session\":2,"
            "\"count\":4,\"left_out\":3,\"total_us\":6.000,\"self_us\":6.000,"
            "\"share\":1.000000,\"mean_us\":1.500,"
            "\"ort_total_us\":9.000,\"method\":\"constant\","
            "\"node_index\":0,"
            "\"input_shapes\":\"[{\\\"float\\\":[1,3]}]\","
            "\"output_shapes\":\"[{\\\"float\\\":[1,3]}]\","
            "\"after\":[2,3],\"activation_bytes\":0,"
            "\"parameter_bytes\":20,\"output_bytes\":30}],"
            "\"gaps\":{\"sessions\":[{\"session\":2,"
            "\"method\":\"constant\",\"outliers_left_out\":6,"
            "\"looked_into\":{\"inferences\":2,\"timed\":1,\"run_us\":10.000,"
            "\"operators_us\":4.000,\"describing_us\":2.000,"
            "\"control_flow_us\":1.000,\"between_us\":0.500,"
            "\"before_first_us\":1.500,\"after_last_us\":1.000,"
            "\"operators_overlap\":true},"
            "\"inference\":{\"inferences\":3,\"run_us\":5.000,"
            "\"operators_us\":3.500,\"control_flow_us\":1.000,"
            "\"runtime_us\":0.500,\"as_seen_us\":7.000,"
            "\"fitted_each_us\":0.080,"
            "\"operators_share\":0.900000}}]}}");
}

/* What is not known is not there; nor is an operator that did not run. */
static void fewest_members(void)
{
    struct operator_sum items[] = {
        { .id = 1, .session = 1, .node_index = UINT32_MAX, .count = 0 },
        { .id = 2,
                .session = 1,
                .node_index = UINT32_MAX,
                .inputs = none,
                .count = 2,
                .timed = 2, /* so ONNX Runtime says nothing */
                .kernel_ns = 2000,
                .contains = true },
    };
    struct operator_account a = { .inferences = 1, .run_ns = 4000 };

    JSON((&(struct operators){ items, 2, NULL, 0, &a, 1 }),
            "{\"ops\":[{\"id\":2,\"session\":1,\"count\":2,"
            "\"total_us\":2.000,\"contains_others\":true,"
            "\"mean_us\":1.000,\"method\":\"timed\"}],"
            "\"gaps\":{\"sessions\":[{\"session\":1,"
            "\"method\":\"timed\",\"looked_into\":{\"inferences\":1,"
            "\"timed\":0,\"run_us\":4.000,\"operators_us\":0.000,"
            "\"describing_us\":0.000,\"control_flow_us\":0.000,"
            "\"between_us\":0.000,\"before_first_us\":0.000,"
            "\"after_last_us\":0.000}}]}}");
}

/* An If has no time of its own and no share; a device that tells no time has
 * cycles. */
static void other_kinds(void)
{
    struct operator_sum items[] = {
        { .id = 1,
                .session = 1,
                .node_index = UINT32_MAX,
                .contains = true,
                .count = 1,
                .raw_ns = 3000,
                .kernel_ns = 2000,
                .method = OPERATOR_RAW },
        { .id = 2,
                .session = 1,
                .node_index = UINT32_MAX,
                .count = 3,
                .cycles = 77 },
    };
    struct operator_account a = { .kernels_ns = 1000 };

    JSON((&(struct operators){ items, 2, NULL, 0, &a, 1 }),
            "{\"ops\":[{\"id\":1,\"session\":1,\"count\":1,"
            "\"total_us\":2.000,\"contains_others\":true,"
            "\"mean_us\":2.000,\"ort_total_us\":3.000,"
            "\"method\":\"raw\"},"
            "{\"id\":2,\"session\":1,\"count\":3,\"cycles\":77}],"
            "\"gaps\":{\"sessions\":[]}}");
}

/* Kernels that seem longer than the inference: because of looking, or since
 * they ran side by side.  An operator of which no time counts is there. */
static void too_long(void)
{
    struct operator_sum left_out = { .id = 1,
        .session = 1,
        .node_index = UINT32_MAX,
        .left_out = 2 };
    struct operator_account a = { .inferences = 1,
        .plain_inferences = 1,
        .plain_median_ns = 4000,
        .typical_kernels_ns = 5000 };

    for (int i = 0; i < 2; i++, a.overlapping = true) {
        struct buf out = { 0 };
        struct json j = json_line_into(&out);

        json_object(&j, NULL);
        operators_json(&j, &(struct operators){ &left_out, 1, NULL, 0, &a, 1 },
                NULL);
        json_end(&j);
        CHECK(strstr(buf_cstr(&out), "\"count\":0,\"left_out\":2}]"));
        CHECK(strstr(buf_cstr(&out),
                i ? "\"control_flow_us\":0.000,\"runtime_us\":0.000,"
                    "\"side_by_side_us\":1.000,\"operators_share\":1.250000"
                  : "\"control_flow_us\":0.000,\"runtime_us\":0.000,"
                    "\"slowed_by_looking_us\":1.000,"
                    "\"operators_share\":1.250000"));
        buf_release(&out);
    }
}

int main(void)
{
    nothing();
    all_members();
    fewest_members();
    other_kinds();
    too_long();
    return test_result();
}
