/* test_chrome.c -- a small run, whose trace is known to the letter; and where
 * traces are written.  Larger ones are read by python in tests/e2e/chrome.sh.
 */
#include "export/formats.h"

#include "base/buf.h"
#include "base/compiler.h"
#include "stored.h"

#include <errno.h>
#include <sys/stat.h>
#include <zlib.h>

/* --- a run ---------------------------------------------------------------- */

static void add_program(struct store *s)
{
    store_add_process(s,
            &(struct process){ .id = 1, .pid = 100, .program = "a \"b\"" });
    store_add_process(s, &(struct process){ .id = 2, .pid = 100 });
    store_add_thread(s, &(struct note){ 1, 7, "old", 0 });
    store_add_thread(s, &(struct note){ 1, 7, "main", 1 });
    store_add_session(s, &(struct session){ .id = 1,
                                 .process = 1,
                                 .thread = 7,
                                 .model = "/m.onnx",
                                 .duration_ns = 5000,
                                 .read_ns = 2000,
                                 .initialise_ns = 2500 });
    store_add_session(s, &(struct session){ .id = 2,
                                 .process = 2,
                                 .thread = 7,
                                 .start_ns = 1000,
                                 .duration_ns = 1 });
    store_add_session(s,
            &(struct session){ .id = 3, .process = 1, .seen_late = true });
    store_add_section(s, &(struct section){ .process = 1,
                                 .thread = 7,
                                 .phase = PHASE_DECODE,
                                 .name = "sec",
                                 .start_ns = 9000,
                                 .duration_ns = 90000 });
    store_add_mark(s, &(struct note){ 1, 7, "here", 9500 });
    store_add_token(s, &(struct token){ .process = 1,
                               .thread = 7,
                               .index = 3,
                               .id = -4,
                               .time_ns = 9750 });
}

static void add_runs(struct store *s)
{
    const struct inference both[] = {
        { .session = 1,
                .process = 1,
                .thread = 7,
                .flags = FLAG_PROFILED,
                .start_ns = 10500,
                .duration_ns = 20000 },
        { .session = 3,
                .process = 1,
                .thread = 7,
                .phase = PHASE_PREFILL,
                .flags = FLAG_FAILED,
                .start_ns = 20000,
                .duration_ns = 70000,
                .error = "no" },
    };

    for (size_t i = 0; i < LEN(both); i++)
        (void)store_add_inference(s, &both[i]);
    store_add_operator(s, &(struct operator){
                                  .id = 1,
                                  .session = 1,
                                  .name = "n\n1",
                                  .op_type = "Conv",
                                  .provider = "CPU",
                                  .inputs = "[{\"float\":[1]}]",
                                  .outputs = "[{oops}]",
                                  .node_index = 4,
                                  .sizes_known = true,
                                  .output_bytes = 8,
                          });
    store_add_operator(s, &(struct operator){ .id = 2,
                                  .session = 2,
                                  .node_index = UINT32_MAX });
    /* begins before its inference, by ONNX Runtime's clock */
    store_add_operator_run(s, &(struct operator_run){ .inference = 1,
                                      .operator_id = 1,
                                      .thread = 7,
                                      .start_ns = 10000,
                                      .raw_ns = 9000,
                                      .kernel_ns = 8000,
                                      .kernel_known = true });
    /* of no inference; and without a time */
    store_add_operator_run(s, &(struct operator_run){ .operator_id = 2,
                                      .thread = 9,
                                      .start_ns = 11000,
                                      .raw_ns = 3000 });
    store_add_operator_run(s, &(struct operator_run){ .operator_id = 2,
                                      .in_cycles = true,
                                      .cycles = 5 });
}

static const char trace[] =
        "{\"traceEvents\":["
        "\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":100,\"tid\":0,"
        "\"args\":{\"name\":\"a \\\"b\\\"\"}},"
        "\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1073741826,"
        "\"tid\":0,\"args\":{\"name\":\"process 100\"}},"
        "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":100,\"tid\":7,"
        "\"args\":{\"name\":\"main\"}},"
        "\n{\"ph\":\"X\",\"name\":\"model_loading\",\"cat\":\"Session\","
        "\"args\":{\"session\":1,\"model\":\"/m.onnx\"},\"pid\":100,"
        "\"tid\":7,\"ts\":0,\"dur\":2},"
        "\n{\"ph\":\"X\",\"name\":\"session_initialization\","
        "\"cat\":\"Session\",\"args\":{\"session\":1,\"model\":\"/m.onnx\"}"
        ",\"pid\":100,\"tid\":7,\"ts\":2,\"dur\":3},"
        "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1073741826,"
        "\"tid\":7,\"args\":{\"name\":\"thread 7\"}},"
        "\n{\"ph\":\"X\",\"name\":\"session_creation\",\"cat\":\"Session\","
        "\"args\":{\"session\":2},\"pid\":1073741826,\"tid\":7,\"ts\":1,"
        "\"dur\":0.001},"
        "\n{\"ph\":\"X\",\"name\":\"sec\",\"cat\":\"Section\",\"args\":{"
        "\"phase\":\"decode\"},\"pid\":100,\"tid\":7,\"ts\":9,\"dur\":90},"
        "\n{\"ph\":\"X\",\"name\":\"m\",\"cat\":\"Session\","
        "\"args\":{\"session\":1,\"model\":\"/m.onnx\",\"inference\":1},"
        "\"pid\":100,\"tid\":7,\"ts\":10.500,\"dur\":20},"
        "\n{\"ph\":\"X\",\"name\":\"n\\n1_kernel_time\",\"cat\":\"Node\","
        "\"args\":{\"op_name\":\"Conv\",\"provider\":\"CPU\","
        "\"node_index\":\"4\",\"input_type_shape\":[{\"float\":[1]}],"
        "\"output_type_shape\":\"[{oops}]\",\"activation_size\":\"0\","
        "\"parameter_size\":\"0\",\"output_size\":\"8\",\"inference\":1},"
        "\"pid\":100,\"tid\":7,\"ts\":10.500,\"dur\":7.500},"
        "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1073741826,"
        "\"tid\":9,\"args\":{\"name\":\"thread 9\"}},"
        "\n{\"ph\":\"X\",\"name\":\"_kernel_time\",\"cat\":\"Node\","
        "\"args\":{\"op_name\":\"\"},\"pid\":1073741826,\"tid\":9,"
        "\"ts\":11,\"dur\":3},"
        "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":100,"
        "\"tid\":1073741827,\"args\":{\"name\":\"main (2)\"}},"
        "\n{\"ph\":\"X\",\"name\":\"model_run, prefill\",\"cat\":"
        "\"Session\",\"args\":{\"session\":3,\"inference\":2,\"phase\":"
        "\"prefill\","
        "\"error\":\"no\"},\"pid\":100,\"tid\":1073741827,\"ts\":20,"
        "\"dur\":70},"
        "\n{\"ph\":\"i\",\"name\":\"here\",\"cat\":\"Mark\",\"s\":\"t\","
        "\"pid\":100,\"tid\":7,\"ts\":9.500},"
        "\n{\"ph\":\"i\",\"name\":\"token\",\"cat\":\"Token\",\"s\":\"t\","
        "\"pid\":100,\"tid\":7,\"ts\":9.750,\"args\":{\"index\":3,"
        "\"id\":-4}}"
        "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"run\":\"";

static const char tail[] =
        "\",\"started_ns\":5,\"command\":\"prog --flag\",\"ortmeter\":"
        "\"0.0.1\"}}\n";

/* --- writing it ----------------------------------------------------------- */

/* Also of what is compressed. */
static void read_back(struct buf *out, const char *path)
{
    gzFile f = gzopen(path, "rb");
    char bytes[1000];
    int n;

    CHECK(f != NULL);
    while (f && (n = gzread(f, bytes, sizeof(bytes))) > 0)
        buf_add(out, bytes, (size_t)n);
    if (f)
        CHECK_INT(gzclose(f), Z_OK);
}

static void export(struct buf *out, const struct tree *t, struct store *s,
        int64_t run, bool compressed)
{
    struct sink *sink = NULL;
    struct error e = { 0 };
    char path[256];

    (void)snprintf(path, sizeof(path), "%s", tree_path(t, "trace"));
    CHECK_INT(sink_open(&sink, path, compressed, &e), 0);
    CHECK_INT(export_chrome.write(sink, s, run, &e), 0);
    CHECK_INT(sink_close(sink, true, &e), 0);
    if (*e.text)
        (void)fprintf(stderr, "%s\n", e.text);
    read_back(out, path);
}

static void small_run(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run run = stored_run(s, 5);
    struct buf want = { 0 }, plain = { 0 }, compressed = { 0 };

    add_program(s);
    add_runs(s);
    stored_flush(s);
    buf_printf(&want, "%s%s%s", trace, run.id, tail);
    export(&plain, &t, s, run.row, false);
    export(&compressed, &t, s, run.row, true);
    CHECK(strcmp(buf_cstr(&plain), buf_cstr(&want)) == 0);
    CHECK(strcmp(buf_cstr(&plain), buf_cstr(&compressed)) == 0);
    if (strcmp(buf_cstr(&plain), buf_cstr(&want)) != 0)
        (void)fprintf(stderr, "got\n%s\nwant\n%s\n", buf_cstr(&plain),
                buf_cstr(&want));
    buf_release(&want);
    buf_release(&plain);
    buf_release(&compressed);
    store_close(s);
    tree_close(&t);
}

static void empty_run(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run run = stored_run(s, 5);
    struct buf text = { 0 };

    export(&text, &t, s, run.row, false);
    CHECK(strstr(buf_cstr(&text), "{\"traceEvents\":[\n],\"displayTimeUnit\""));
    buf_release(&text);
    store_close(s);
    tree_close(&t);
}

static void add_flag(struct store *s, uint32_t gpu, uint64_t ms, double value)
{
    store_add_reading(s, &(struct reading){ .time_ns = ms * 1000000,
                                 .value = value,
                                 .subject = gpu,
                                 .metric = METRIC_device_throttled_ratio });
}

/* Two GPUs say that they are held back, one after the other and for a while
 * both; and from 6 s on, inferences take half as long again. */
static void held_back(void)
{
    static const char want[] =
            "\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"tid\":0,"
            "\"args\":{\"name\":\"machine\"}},"
            "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,"
            "\"tid\":1073741826,\"args\":{\"name\":\"sensor\"}},"
            "\n{\"ph\":\"X\",\"name\":\"held back\",\"cat\":\"Throttling\","
            "\"args\":{\"sign\":\"sensor\"},\"pid\":0,\"tid\":1073741826,"
            "\"ts\":1000000,\"dur\":2000000},"
            "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,"
            "\"tid\":1073741828,\"args\":{\"name\":\"latency\"}},"
            "\n{\"ph\":\"X\",\"name\":\"held back\",\"cat\":\"Throttling\","
            "\"args\":{\"sign\":\"latency\",\"depth_percent\":50},\"pid\":0,"
            "\"tid\":1073741828,\"ts\":6000000,\"dur\":2000000}";
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run run = stored_run(s, 5);
    struct buf text = { 0 };

    store_add_process(s, &(struct process){ .id = 1, .pid = 100 });
    store_add_session(s, &(struct session){ .id = 1, .process = 1 });
    for (uint64_t ms = 0; ms < 10000; ms += 50)
        (void)store_add_inference(s,
                &(struct inference){ .session = 1,
                        .process = 1,
                        .thread = 7,
                        .start_ns = ms * 1000000,
                        .duration_ns = ms >= 6000 && ms < 8000 ? 30000000
                                                               : 20000000 });
    for (uint32_t i = 1; i <= 2; i++)
        store_add_subject(s, i,
                &(struct subject){ .kind = SUBJECT_DEVICE, .name = "gpu" });
    add_flag(s, 1, 0, 0);
    add_flag(s, 1, 1000, 1);
    add_flag(s, 2, 1500, 1);
    add_flag(s, 1, 2000, 0);
    add_flag(s, 2, 3000, 0);
    stored_flush(s);
    export(&text, &t, s, run.row, false);
    CHECK(strstr(buf_cstr(&text), want));
    buf_release(&text);
    store_close(s);
    tree_close(&t);
}

/* --- sinks ---------------------------------------------------------------- */

static int64_t stored_size(const char *path)
{
    struct stat st;

    return stat(path, &st) ? -1 : (int64_t)st.st_size;
}

static void sinks(void)
{
    struct tree t = tree_open();
    struct sink *sink = NULL;
    struct error e = { 0 };
    char file[256], link[256];

    CHECK_INT(sink_open(&sink, "/no/such/folder/x", false, &e), -ENOENT);
    CHECK(strstr(e.text, "/no/such/folder/x"));
    CHECK_INT(sink_open(&sink, t.root, true, &e), -EISDIR);

    /* What is not kept goes, and what was there stays; so does a link that
     * somebody made, though what it leads to is written to. */
    tree_put(&t, "file", "old");
    tree_link(&t, "link", "file");
    (void)snprintf(file, sizeof(file), "%s", tree_path(&t, "file"));
    (void)snprintf(link, sizeof(link), "%s", tree_path(&t, "link"));
    CHECK_INT(sink_open(&sink, link, false, &e), 0);
    CHECK_INT(sink_close(sink, false, &e), 0);
    CHECK(access(link, F_OK) == 0);
    CHECK_INT(sink_open(&sink, file, false, &e), 0);
    sink_write(sink, str_of("new"));
    CHECK(!sink_failed(sink));
    CHECK_INT(sink_close(sink, false, &e), 0);
    CHECK(access(file, F_OK) == 0);
    CHECK(access(tree_path(&t, "file.part"), F_OK) != 0);
    CHECK_INT(stored_size(file), 0);
    CHECK_INT(sink_open(&sink, file, false, &e), 0);
    sink_write(sink, str_of("new"));
    CHECK_INT(stored_size(file), 0);
    CHECK_INT(sink_close(sink, true, &e), 0);
    CHECK_INT(stored_size(file), 3);
    CHECK(access(tree_path(&t, "file.part"), F_OK) != 0);

    /* A disk that is full, whether we look or not. */
    tree_link(&t, "full", "/dev/full");
    (void)snprintf(link, sizeof(link), "%s", tree_path(&t, "full"));
    CHECK_INT(sink_open(&sink, link, false, &e), 0);
    for (int i = 0; i < 100000; i++)
        sink_write(sink, str_of("something"));
    CHECK(sink_failed(sink));
    CHECK_INT(sink_close(sink, true, &e), -ENOSPC);
    CHECK(strstr(e.text, "No space left"));
    CHECK_INT(sink_open(&sink, link, true, &e), 0);
    sink_write(sink, str_of("little"));
    CHECK_INT(sink_close(sink, true, &e), -ENOSPC);
    tree_close(&t);
}

int main(void)
{
    small_run();
    empty_run();
    held_back();
    sinks();
    return test_result();
}
