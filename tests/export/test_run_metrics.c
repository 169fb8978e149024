/* test_run_metrics.c -- what is counted of a run, live and from the store, and
 * how Prometheus's text and OTLP's names say it. */
#include "export/metrics/prometheus.h"

#include "base/compiler.h"
#include "export/otlp/otlp_names.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static const struct session sessions[] = {
    { .id = 1,
            .model = "/a/first.onnx",
            .providers = "[\"B\",\"A\"]",
            .duration_ns = 2500000 },
    { .id = 2, .model = "/a/first.onnx", .seen_late = true },
    { .id = 3, .model = "/a/x\xff\n\"\\.onnx", .error = "no" },
};

static const struct inference inferences[] = {
    /* on a bound, above it, failed, looked into */
    { .session = 1, .duration_ns = 1000000, .flags = FLAG_INPUT_BYTES },
    { .session = 1, .duration_ns = 1000001, .flags = FLAG_SHAPE, .batch = 3 },
    { .session = 1, .duration_ns = 5, .flags = FLAG_FAILED },
    /* its values were looked at: it never counts */
    { .session = 1,
            .duration_ns = 999999999,
            .flags = FLAG_TRACED | FLAG_STATS },
    /* traced, and there are no others */
    { .session = 2, .duration_ns = 7, .flags = FLAG_PROFILED },
    /* a prompt of two parts, then two tokens; a prompt without more */
    { .session = 1,
            .phase = PHASE_PREFILL,
            .sequence = 5,
            .start_ns = 100,
            .duration_ns = 1000000 },
    { .session = 1,
            .phase = PHASE_PREFILL,
            .past = 5,
            .sequence = 2,
            .start_ns = 2000100,
            .duration_ns = 3000000 },
    { .session = 1,
            .phase = PHASE_DECODE,
            .past = 7,
            .sequence = 1,
            .start_ns = 6000100,
            .duration_ns = 9000000 },
    { .session = 1,
            .phase = PHASE_DECODE,
            .past = 8,
            .sequence = 1,
            .start_ns = 16000100,
            .duration_ns = 9000000 },
    { .session = 1,
            .phase = PHASE_PREFILL,
            .start_ns = 30000000,
            .duration_ns = 1000000 },
};

static const struct run about = {
    .id = "0123abcd",
    .command = "prog \"x\"",
    .version = "9",
    .host = "{\"hostname\":\"h\\u00e9\",\"cpu\":{\"model\":\"C\"}}",
    .started_wall_ns = 5,
};

static struct run_metrics *counted(void)
{
    struct run_metrics *f = run_metrics_new(&about);

    run_metrics_process(f,
            &(struct process){ .id = 1, .pid = 77, .program = "p" });
    run_metrics_process(f,
            &(struct process){ .id = 1, .lost = 2, .torn = 1, .hook_ns = 80 });
    run_metrics_library(f,
            &(struct library){ .id = 1, .process = 1, .path = "l" });
    for (size_t i = 0; i < LEN(sessions); i++)
        run_metrics_session(f, &sessions[i]);
    for (size_t i = 0; i < LEN(inferences); i++)
        run_metrics_inference(f, &inferences[i]);
    return f;
}

static bool says(const struct buf *text, const char *line)
{
    bool there = strstr(buf_cstr(text), line) != NULL;

    if (!there)
        (void)fprintf(stderr, "missing: %s\n", line);
    return there;
}

static void check_text(void)
{
#define ONE "{run=\"0123abcd\",model=\"first\",session=\"1\"}"
#define ONE_TO(bound) \
    "{run=\"0123abcd\",model=\"first\",session=\"1\",le=\"" bound "\"}"
    static const char *const lines[] = {
        "# TYPE ortmeter_inferences_total counter\n",
        "# TYPE ortmeter_inference_duration_seconds histogram\n",
        "\nortmeter_run_info{run=\"0123abcd\",command=\"prog \\\"x\\\"\","
        "started_ns=\"5\",version=\"9\"} 1\n",
        "\nortmeter_host_info{run=\"0123abcd\",cpu=\"C\",host=\"h\xc3\xa9\"} 1",
        "\nortmeter_inferences_total" ONE " 9\n",
        "\nortmeter_failed_inferences_total" ONE " 1\n",
        "\nortmeter_session_load_seconds" ONE " 0.0025\n",
        "first_load=\"true\",model=\"first\",path=\"/a/first.onnx\","
        "providers=\"B,A\",session=\"1\"} 1\n",
        "path=\"/a/x\xef\xbf\xbd\\n\\\"\\\\.onnx\"",
        /* two of them, and the five with a phase */
        "\nortmeter_inference_duration_seconds_bucket" ONE_TO("0.001") " 3\n",
        "\nortmeter_inference_duration_seconds_bucket" ONE_TO("0.0025") " 4\n",
        "\nortmeter_inference_duration_seconds_bucket" ONE_TO("+Inf") " 7\n",
        "\nortmeter_inference_duration_seconds_count" ONE " 7\n",
        "\nortmeter_inference_duration_seconds_sum" ONE " 0.025000001\n",
        "\nortmeter_inference_duration_seconds_count{run=\"0123abcd\","
        "model=\"first\",session=\"2\"} 1\n",
        "\nortmeter_inference_batch_samples_bucket" ONE_TO("2") " 0\n",
        "\nortmeter_inference_batch_samples_bucket" ONE_TO("4") " 1\n",
        "\nortmeter_inference_input_bytes_bucket" ONE_TO("0") " 1\n",
        "\nortmeter_time_to_first_token_seconds_count" ONE " 2\n",
        "\nortmeter_time_to_first_token_seconds_sum" ONE " 0.006\n",
        "\nortmeter_time_per_output_token_seconds_sum" ONE " 0.02\n",
        "\nortmeter_tokens_total{run=\"0123abcd\"} 4\n",
        "\nortmeter_lost_events_total{run=\"0123abcd\"} 3\n",
        "\nortmeter_hook_overhead_seconds{run=\"0123abcd\",pid=\"77\","
        "process=\"1\",program=\"p\"} 8e-08\n",
    };
    struct run_metrics *f = counted();
    struct figure_list list = { 0 };
    struct buf text = { 0 };

    run_metrics_end(f);
    run_metrics_collect(f, &list);
    prometheus_text(&text, run_metrics_about(f), &list);
    for (size_t i = 0; i < LEN(lines); i++)
        CHECK(says(&text, lines[i]));
    /* A session that could not be made has no inferences, not none. */
    CHECK(!strstr(buf_cstr(&text), "inferences_total{run=\"0123abcd\","
                                   "model=\"x"));
    CHECK(!strstr(buf_cstr(&text), "collector_"));
    buf_release(&text);
    figure_list_release(&list);
    run_metrics_free(f);
}

/* While it runs, the second prompt's first token may not be its first. */
static void check_live(void)
{
    struct run_metrics *f = counted();
    struct figure_list list = { 0 };
    bool seen = false;

    run_metrics_meter(f, 3000000, 4096);
    run_metrics_collect(f, &list);
    for (size_t i = 0; i < list.count; i++) {
        const struct figure *x = &list.items[i];

        CHECK(!i || list.items[i - 1].metric <= x->metric);
        for (size_t j = 1; j < x->label_count; j++)
            CHECK(strcmp(x->label[j - 1].name, x->label[j].name) < 0);
        if (x->metric == METRIC_time_to_first_token_seconds) {
            CHECK_INT(x->buckets->count, 1);
            seen = true;
        }
        if (x->metric == METRIC_collector_resident_bytes)
            CHECK(x->value == 4096);
    }
    CHECK(seen);
    figure_list_release(&list);
    run_metrics_free(f);
    run_metrics_free(NULL);
}

static uint64_t timed(const struct run_metrics *f)
{
    struct figure_list list = { 0 };
    uint64_t count = 0;

    run_metrics_collect(f, &list);
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].metric == METRIC_inference_duration_seconds)
            count += list.items[i].buckets->count;
    figure_list_release(&list);
    return count;
}

/* Which traced inferences count is the rule of all reports: by what tracing
 * costs, for which those wait that came before it was told. */
static void check_traced(void)
{
    static const struct {
        uint64_t cost_ns; /* of a median of 1 ms */
        uint64_t others, want;
    } traced[] = { { 5000, 30, 34 }, { 50000, 30, 30 }, { 50000, 29, 33 },
        { 0, 30, 30 } /* it is never told */ };

    for (size_t n = 0; n < LEN(traced); n++) {
        struct run_metrics *f = run_metrics_new(&about);
        struct inference i = { .session = 2, .duration_ns = 1000000 };

        run_metrics_operators_of(f,
                &(struct session){ .id = 2, .operators_of = 1 });
        for (uint64_t k = 0; k < traced[n].others; k++)
            run_metrics_inference(f, &i);
        i.flags = FLAG_TRACED;
        run_metrics_inference(f, &i);
        run_metrics_inference(f, &i);
        CHECK_INT(timed(f), traced[n].others);
        if (traced[n].cost_ns)
            run_metrics_traced(f, &(struct traced_sum){ .session = 1,
                                          .count = 1,
                                          .cost_ns = traced[n].cost_ns });
        run_metrics_inference(f, &i);
        run_metrics_inference(f, &i);
        run_metrics_end(f);
        CHECK_INT(timed(f), traced[n].want);
        run_metrics_free(f);
    }
}

static void check_names(void)
{
    static const struct {
        enum metric_id metric;
        const char *name, *unit;
    } known[] = {
        { METRIC_inferences_total, "ortmeter.inferences", "{inference}" },
        { METRIC_inference_duration_seconds, "ortmeter.inference_duration",
                "s" },
        { METRIC_inference_input_bytes, "ortmeter.inference_input", "By" },
        { METRIC_tokens_per_second, "ortmeter.tokens_per_second", "{token}/s" },
        { METRIC_run_info, "ortmeter.run_info", "1" },
        { METRIC_time_to_first_token_seconds,
                "gen_ai.server.time_to_first_token", "s" },
        { METRIC_process_voluntary_switches_total, "process.context_switches",
                "{switch}" },
    };
    enum metric_id group[METRIC_IDS];
    struct buf b = { 0 };

    for (size_t i = 0; i < LEN(known); i++) {
        buf_clear(&b);
        otlp_metric_name(&b, known[i].metric);
        CHECK(str_is(buf_str(&b), known[i].name));
        buf_clear(&b);
        otlp_metric_unit(&b, known[i].metric);
        CHECK(str_is(buf_str(&b), known[i].unit));
    }
    otlp_metric_groups(group);
    /* Two have one name there only where it is meant so. */
    for (int i = 0; i < METRIC_IDS; i++)
        for (int j = 0; j < i; j++) {
            struct buf other = { 0 };

            buf_clear(&b);
            otlp_metric_name(&b, (enum metric_id)i);
            otlp_metric_name(&other, (enum metric_id)j);
            CHECK(str_eq(buf_str(&b), buf_str(&other)) ==
                    (group[i] == group[j]));
            buf_release(&other);
        }
    buf_release(&b);
}

int main(void)
{
    check_text();
    check_live();
    check_traced();
    check_names();
    return test_result();
}
