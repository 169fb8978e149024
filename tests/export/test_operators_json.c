#include "export/json/operators_json.h"

#include "base/compiler.h"
#include "base/json.h"
#include "test.h"

#include <math.h>
#include <string.h>

static void check_json(int line, const struct summary *s, const char *want)
{
    struct buf b = { 0 };
    struct json j = json_line_into(&b);

    json_object(&j, NULL);
    operators_json(&j, s);
    json_end(&j);
    if (strcmp(buf_cstr(&b), want) != 0) {
        test_failures++;
        (void)fprintf(stderr, "line %d: wrote\n%s\nnot\n%s\n", line,
                buf_cstr(&b), want);
    }
    buf_release(&b);
}
#define JSON(s, want) check_json(__LINE__, s, want)

static char conv[] = "conv_1", type[] = "Conv", cpu[] = "CPU";

/* No operator is known: then it is said why. */
static void nothing(void)
{
    char why[] = "ONNX Runtime 1.14 does not name its kernels";
    struct summary_library library = { .id = 3, .untraced = why };
    struct summary_session sessions[] = { { .id = 1 },
        { .id = 2, .inferences = 5 },
        { .id = 3, .inferences = 5, .library = 3 } };

    JSON((&(struct summary){ .shown_phase = PHASES }), "{}");
    JSON((&(struct summary){ .shown_phase = PHASES,
                 .sessions = sessions,
                 .session_count = LEN(sessions),
                 .libraries = &library,
                 .library_count = 1 }),
            "{\"operators_missing\":[{\"session\":2,\"reason\":\"none of its "
            "inferences was traced: see --ops\"},{\"session\":3,\"reason\":"
            "\"ONNX Runtime 1.14 does not name its kernels\"}]}");
}

static void all_members(void)
{
    struct operator_edge edges[] = { { 2, 7 }, { 3, 7 }, { 7, 8 } };
    struct operator_shape shapes[] = {
        { .inputs = "[{\"float\":[1,3]}]",
                .outputs = "[{\"float\":[1,3]}",
                .count = 3,
                .sizes_known = true,
                .activation_bytes = 12,
                .parameter_bytes = 0,
                .output_known = true,
                .output_bytes = 30 },
        { .inputs = "[]", .count = 1 },
    };
    struct operator_figures items[] = { {
            .id = 7,
            .session = 2,
            .parent = 5,
            .name = conv,
            .op_type = type,
            .provider = cpu,
            .node_index = 0,
            .place = { 4, ARCH_DOWN },
            .times[PHASES] = { 4, 8000, 6000, 1400, 500, 1000, 2100, NULL },
            .shapes = shapes,
            .shape_count = 2,
            .flops = 3000,
    } };
    struct operator_table tables[] = { {
            .session = 2,
            .sums[PHASES] = { .count = 2,
                    .run_ns = 20000,
                    .before_ns = 3000,
                    .kernels_ns = 8000,
                    .flow_ns = 2000,
                    .between_ns = 5000,
                    .after_ns = 2000,
                    .lost = 1,
                    .doubtful = 6 },
            .self_ns[PHASES] = 10000,
            .cold[PHASES] = 1,
            .width = 3,
            .critical_ns = 4500,
            .peak_known = true,
            .peak_bytes = 4096,
    } };

    JSON((&(struct summary){ .shown_phase = PHASES,
                 .operators = { .items = items,
                         .count = 1,
                         .edges = edges,
                         .edge_count = LEN(edges),
                         .tables = tables,
                         .table_count = 1 } }),
            "{\"ops\":[{\"id\":7,\"name\":\"conv_1\",\"op_type\":\"Conv\","
            "\"provider\":\"CPU\",\"layer\":4,\"component\":\"down_proj\","
            "\"session\":2,\"count\":4,\"total_us\":8.000,\"self_us\":6.000,"
            "\"share\":0.600000,\"mean_us\":1.500,\"median_us\":1.400,"
            "\"stddev_us\":0.500,\"min_us\":1.000,\"max_us\":2.100,"
            "\"few\":true,\"method\":\"timed\",\"flops\":3000,"
            "\"flops_per_s\":2000000000,\"within\":5,\"node_index\":0,"
            "\"shapes\":[{\"inputs\":[{\"float\":[1,3]}],"
            "\"outputs\":\"[{\\\"float\\\":[1,3]}\",\"count\":3,"
            "\"activation_bytes\":12,\"parameter_bytes\":0,"
            "\"output_bytes\":30},{\"inputs\":[],\"count\":1}],"
            "\"after\":[2,3]}],"
            "\"op_types\":[{\"op_type\":\"Conv\",\"session\":2,"
            "\"operators\":1,\"count\":4,\"self_us\":6.000,"
            "\"share\":0.600000,"
            "\"mean_us\":1.500,\"median_us\":1.400,"
            "\"stddev_us\":0.500,\"min_us\":1.000,\"max_us\":2.100,"
            "\"few\":true,\"flops_per_s\":2000000000}],"
            "\"layers\":[{\"layer\":4,\"session\":2,\"operators\":1,"
            "\"count\":4,\"self_us\":6.000,\"share\":0.600000,"
            "\"mean_us\":1.500,\"median_us\":1.400,"
            "\"stddev_us\":0.500,\"min_us\":1.000,\"max_us\":2.100,"
            "\"few\":true,"
            "\"flops_per_s\":2000000000}],"
            "\"components\":[{\"component\":\"down_proj\",\"session\":2,"
            "\"operators\":1,\"count\":4,\"self_us\":6.000,"
            "\"share\":0.600000,"
            "\"mean_us\":1.500,\"median_us\":1.400,"
            "\"stddev_us\":0.500,\"min_us\":1.000,\"max_us\":2.100,"
            "\"few\":true,\"flops_per_s\":2000000000}],"
            "\"gaps\":{\"sessions\":[{\"session\":2,\"method\":\"timed\","
            "\"inferences\":2,\"run_us\":10.000,\"operators_us\":4.000,"
            "\"control_flow_us\":1.000,\"before_first_us\":1.500,"
            "\"between_us\":2.500,\"after_last_us\":1.000,\"cold\":1,"
            "\"lost\":1,\"doubtful_operator_runs\":6,"
            "\"critical_path_us\":4.500,\"side_by_side_at_most\":3,"
            "\"peak_activation_bytes\":4096}]}}");
}

/* What is not known is not there; nor is an operator that did not run.  A
 * device that tells no time has cycles. */
static void fewest_members(void)
{
    struct operator_figures items[] = {
        { .id = 1, .session = 1, .node_index = UINT32_MAX },
        { .id = 2,
                .session = 1,
                .place.layer = -1,
                .node_index = UINT32_MAX,
                .flops = NAN,
                .times[PHASES] = { .count = 3 },
                .cycles = 77 },
    };
    struct operator_table table = { .session = 1 };

    JSON((&(struct summary){ .shown_phase = PHASES,
                 .operators = { .method = OPERATOR_PROFILE,
                         .items = items,
                         .count = 2,
                         .tables = &table,
                         .table_count = 1 } }),
            "{\"ops\":[{\"id\":2,\"session\":1,\"count\":3,\"cycles\":77}],"
            "\"op_types\":[{\"op_type\":\"\",\"session\":1,\"operators\":1,"
            "\"count\":3,\"cycles\":77}],\"gaps\":{\"sessions\":[]}}");
}

/* Where all ran side by side there is no sum. */
static void side_by_side(void)
{
    struct operator_figures item = { .id = 2,
        .session = 1,
        .place.layer = -1,
        .node_index = UINT32_MAX,
        .flops = NAN,
        .times[PHASES] = { 20, 90000, 90000, 4500, 0, 4500, 4500, NULL } };
    struct operator_table table = { .session = 1,
        .sums[PHASES] = { .count = 10,
                .run_ns = 60000,
                .kernels_ns = 90000,
                .beside = 10,
                .beside_run_ns = 60000,
                .busy_ns = 50000 },
        .self_ns[PHASES] = 90000 };
    struct buf out = { 0 };
    struct json j = json_line_into(&out);

    json_object(&j, NULL);
    operators_json(&j, &(struct summary){ .shown_phase = PHASES,
                               .operators = { .items = &item,
                                       .count = 1,
                                       .tables = &table,
                                       .table_count = 1 } });
    json_end(&j);
    CHECK(strstr(buf_cstr(&out),
            "\"inferences\":10,\"run_us\":6.000,\"operators_us\":9.000,"
            "\"control_flow_us\":0.000,\"side_by_side\":10,"
            "\"busy_us\":5.000}]"));
    CHECK(!strstr(buf_cstr(&out), "few"));
    buf_release(&out);
}

/* The first that made a NaN, and what the values were. */
static void values(void)
{
    struct operator_figures item = { .id = 2,
        .session = 1,
        .name = conv,
        .op_type = type,
        .place.layer = -1,
        .flops = NAN,
        .node_index = UINT32_MAX };
    struct operator_tensor tensor = { .operator_id = 2,
        .is_output = true,
        .name = "y" };
    struct activation_figures a = { .operator_id = 2,
        .inferences = 2,
        .elements = 200,
        .read = 100,
        .nans = 3,
        .near_zero = 25,
        .mean_abs = 0.5,
        .std_dev = NAN,
        .max_abs = 2 };
    struct buf out = { 0 };
    struct json j = json_line_into(&out);

    json_object(&j, NULL);
    operators_json(&j, &(struct summary){ .shown_phase = PHASES,
                               .operators = { .items = &item,
                                       .count = 1,
                                       .tensors = &tensor,
                                       .tensor_count = 1 },
                               .activations = { .items = &a,
                                       .count = 1,
                                       .inferences = 2,
                                       .cost_ns = 5000,
                                       .looked_bytes = 1e6,
                                       .first_nan = 2,
                                       .nan_inference = 9 } });
    json_end(&j);
    CHECK(strstr(buf_cstr(&out),
            "\"activations\":[{\"operator\":2,\"name\":\"conv_1\","
            "\"op_type\":\"Conv\",\"output\":0,\"tensor\":\"y\","
            "\"inferences\":2,\"elements\":200,\"elements_read\":100,"
            "\"mean_abs\":0.5,\"max_abs\":2,\"near_zero_share\":0.250000,"
            "\"nans\":3,\"infinities\":0}],\"activation_stats\":{"
            "\"inferences\":2,\"cost_us\":5.000,\"cost_us_per_mb\":5.000,"
            "\"first_nan\":{\"operator\":2,\"name\":\"conv_1\","
            "\"op_type\":\"Conv\",\"inference\":9}}"));
    buf_release(&out);
}

int main(void)
{
    nothing();
    all_members();
    fewest_members();
    side_by_side();
    values();
    return test_result();
}
