#include "export/json/summary_json.h"

#include "summed.h"

#include <ctype.h>

static struct buf json;

/* The document without its blanks, so that pieces of it can be looked for. */
static void write_json(struct summed *x)
{
    struct buf b = { 0 };
    bool quoted = false;

    summary_json(&b, summed_read(x));
    CHECK(b.len > 2 && b.p[b.len - 1] == '\n');
    buf_clear(&json);
    for (size_t i = 0; i < b.len; i++) {
        quoted ^= b.p[i] == '"' && b.p[i - 1] != '\\';
        if (quoted || !isspace((unsigned char)b.p[i]))
            buf_char(&json, b.p[i]);
    }
    CHECK(!strstr(buf_cstr(&json), "null") && !strstr(buf_cstr(&json), "nan"));
    buf_release(&b);
}

static void check_all(const char *const *pieces, size_t count, bool there)
{
    for (size_t i = 0; i < count; i++)
        if ((strstr(buf_cstr(&json), pieces[i]) != NULL) != there) {
            test_failures++;
            (void)fprintf(stderr, "%s: %s\n", there ? "missing" : "there",
                    pieces[i]);
        }
}

static void everything(void)
{
    static const char *const pieces[] = {
        "{\"schema_version\":1,\"run\":{\"id\":\"",
        "\"status\":\"complete\"",
        "\"started_ns\":1790000000000000000",
        "\"duration_s\":2.000000",
        "\"command\":\"prog --flag\"",
        "\"exit_code\":0",
        "\"ort\":{\"version\":\"1.23.2\",\"path\":\"/lib/ort.so\","
        "\"language\":\"Node.js\",\"providers\":[\"CUDAExecutionProvider\","
        "\"CPUExecutionProvider\"]}",
        "{\"id\":2,\"pid\":4712,\"parent\":1}",
        "\"model\":\"small/model\",\"model_path\":\"/m/small/model.onnx\"",
        "\"options\":{\"intra_op_num_threads\":4}",
        "\"load_ms\":5.000000,\"first_load\":true",
        "\"latency\":{\"count\":4,\"failed\":1,\"mean_us\":12.000,"
        "\"median_us\":10.000,\"min_us\":6.000,\"max_us\":20.000,"
        "\"stddev_us\":7.211,\"jitter_us\":7.000,\"p50_us\":10.000}",
        "\"sequence\":{\"min\":1,\"max\":7,\"mean\":4}",
        "\"input_bytes\":{\"min\":112,\"max\":112,\"mean\":112}",
        "\"throughput\":{\"inferences_per_s\":45454.545,\"fps\":75757.576}",
        "\"prefill\":{\"count\":1,\"tokens_in\":14,",
        "\"tokens\":{\"count\":4,\"generations\":1,\"ttft_ms\":0.020000,"
        "\"tpot_ms\":0.020000,\"ttft_p50_ms\":0.020000,"
        "\"tpot_p50_ms\":0.020000,\"tokens_per_s\":100000.000,\"items\":["
        "{\"index\":0,\"id\":15,\"text\":\"Hel\\\"lo\",\"time_ms\":0.120000},"
        "{\"index\":1,\"id\":-1,\"time_ms\":0.140000}]}",
        "\"sections\":[{\"phase\":\"pre_inference\",\"name\":\"tokenise\","
        "\"count\":2,\"total_ms\":0.008000,\"mean_us\":4.000}]",
        "\"marks\":[{\"process\":1,\"thread\":1,\"text\":\"half time\"",
        "\"threads\":[{\"process\":1,\"thread\":1,\"name\":\"main\"",
        "\"queue_depth\":{\"min\":0,\"max\":0,\"mean\":0},"
        "\"padding_ratio\":0.250000",
        "\"errors\":[{\"text\":\"bad shape\",\"count\":1}]",
        "\"memory\":{\"peak_rss_bytes\":50000000}",
        "\"cpu\":{\"user_s\":1.500000,\"system_s\":0.000000,"
        "\"mean_percent\":75.00}",
        "\"lost_events\":7,\"unfinished_events\":5",
        "\"overhead\":{\"hook_ns\":90,"
        "\"hook_share_of_median\":0.009,\"collector_cpu_ms\":10.000,"
        "\"collector_core_share\":0.005000,"
        "\"collector_peak_rss_bytes\":9000000}}",
    };
    static const char *const absent[] = { "\"runtimes\"", "\"signal\"",
        "\"note\"", "\"warmup\"", "\"tags\"", "\"directory\"", "\"host\"",
        "\"percentile_relative_error\"", "\"made_before_meter\"" };
    struct summed x = summed_begin();

    summed_fill(&x);
    write_json(&x);
    check_all(pieces, LEN(pieces), true);
    check_all(absent, LEN(absent), false);
    summed_end(&x);
}

/* What is not known is left out, not 0 and not null. */
static void nothing(void)
{
    static const char *const pieces[] = { "\"status\":\"running\"",
        "\"sessions\":[]", "\"latency\":{\"count\":0,\"failed\":0}" };
    static const char *const absent[] = { "\"duration_s\"", "\"exit_code\"",
        "\"ort\":", "\"mean_us\"", "\"p99_us\"", "\"throughput\"", "\"warmup\"",
        "\"phases\"", "\"tokens\"", "\"items\"", "\"sections\"", "\"marks\"",
        "\"threads\"", "\"batch_context\"", "\"errors\"", "\"memory\"",
        "\"cpu\"", "\"hook_ns\"", "\"collector_cpu_ms\"" };
    struct summed x = summed_begin();

    write_json(&x);
    check_all(pieces, LEN(pieces), true);
    check_all(absent, LEN(absent), false);
    summed_end(&x);
}

/* One inference has no spread; two of different sessions have no jitter. */
static void few(void)
{
    static const char *const spread[] = { "\"stddev_us\"", "\"jitter_us\"" };
    struct summed x = summed_begin();

    summed_session(&x, 1, NULL);
    summed_session(&x, 2, NULL);
    summed_run(&x, 1, 0, 10);
    write_json(&x);
    check_all(spread, LEN(spread), false);
    summary_release(&x.summary);
    summed_run(&x, 2, 0, 20);
    write_json(&x);
    check_all(spread, 1, true);
    check_all(spread + 1, 1, false);
    summed_end(&x);
}

/* Failed only: counted, and no figures. */
static void failed_only(void)
{
    static const char *const pieces[] = {
        "\"latency\":{\"count\":1,\"failed\":1}"
    };
    static const char *const absent[] = { "\"mean_us\"", "\"throughput\"",
        "\"hook_share_of_median\"" };
    struct summed x = summed_begin();

    SUMMED_RUN(&x, 0, 10, .flags = FLAG_FAILED);
    write_json(&x);
    check_all(pieces, LEN(pieces), true);
    check_all(absent, LEN(absent), false);
    summed_end(&x);
}

static void run_members(void)
{
    static const char *const pieces[] = { "\"status\":\"failed\"",
        "\"signal\":9", "\"note\":\"a \\\"note\\\"\\n\"",
        "\"tags\":[\"x\",\"y z\"]", "\"host\":{\"cpu\":\"toy\"}",
        "\"directory\":\"/tmp\"" };
    static const char *const absent[] = { "\"exit_code\"" };
    struct summed x = summed_begin();

    x.run.directory = "/tmp";
    x.run.tags = "x,,y z,";
    x.run.host = "{\"cpu\":\"toy\"}";
    CHECK_INT(store_begin_run(x.store, &x.run, NULL), 0);
    x.run.status = RUN_FAILED;
    x.run.ended = true;
    x.run.signal = 9;
    x.run.note = "a \"note\"\n";
    CHECK_INT(store_end_run(x.store, &x.run, NULL), 0);
    write_json(&x);
    check_all(pieces, LEN(pieces), true);
    check_all(absent, LEN(absent), false);
    summed_end(&x);
}

/* Several runtimes are listed; one that cannot be entered says why. */
static void runtimes(void)
{
    static const char *const pieces[] = {
        "\"ort\":{\"version\":\"1.10.0\"",
        "\"runtimes\":[{\"process\":1,\"path\":\"/py/state.so\",\"reason\":\"a "
        "static copy",
        "{\"process\":2,\"version\":\"1.10.0\",\"path\":\"/lib/ort.so\"}]",
        "\"providers\":[\"AExecutionProvider\",\"CPUExecutionProvider\","
        "\"B\"]",
    };
    static const char *const lists[] = {
        "[\"AExecutionProvider\",\"CPUExecutionProvider\"]",
        "[\"B\",\"AExecutionProvider\"]", NULL
    };
    struct summed x = summed_begin();

    store_add_library(x.store,
            &(struct library){ .id = 1, .process = 1, .path = "/py/state.so" });
    store_add_library(x.store, &(struct library){ .id = 2,
                                       .process = 2,
                                       .path = "/lib/ort.so",
                                       .version = "1.10.0" });
    for (uint32_t i = 0; i < LEN(lists); i++)
        store_add_session(x.store,
                &(struct session){ .id = i + 1, .providers = lists[i] });
    write_json(&x);
    check_all(pieces, LEN(pieces), true);
    summed_end(&x);
}

/* One that was there before the meter has no load time. */
static void seen_late(void)
{
    static const char *const pieces[] = { "\"made_before_meter\":true" };
    static const char *const absent[] = { "\"load_ms\"", "\"first_load\"",
        "\"providers\"", "\"options\"", "\"model" };
    struct summed x = summed_begin();

    store_add_session(x.store, &(struct session){ .id = 1, .seen_late = true });
    write_json(&x);
    check_all(pieces, LEN(pieces), true);
    check_all(absent, LEN(absent), false);
    summed_end(&x);
}

int main(void)
{
    everything();
    nothing();
    few();
    failed_only();
    run_members();
    runtimes();
    seen_late();
    buf_release(&json);
    return test_result();
}
