/* etw_maker.c -- makes traces with the writer of src/etw, and reads them with
 * its reader.  Built for Linux and for Windows: both write the same bytes.
 *
 *     etw_maker ort FILE         what ONNX Runtime reports, and the kernel
 *     etw_maker small FILE       the same in buffers of 1 KB
 *     etw_maker big FILE MB      so many megabytes of switches and samples
 *     etw_maker read FILE        prints how many records there are of each kind
 *     etw_maker unpack FORMAT BYTES IN OUT        decompresses a file
 *     etw_maker record           takes 100 of Windows' events, where it can */
#include "cmd/etw/etw_record.h"
#include "etw/compress/decompress.h"
#include "etw/counts.h"
#include "etw/event.h"
#include "etw/trace.h"
#include "etw/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PID      4242
#define MAIN     100 /* threads */
#define WORKER   101
#define PAIRS    29 /* on each of the two */
#define US       UINT64_C(1000)
#define MEASURES UINT64_C(0x400000000000)

static const struct etw_provider ort = { &etw_ort_provider,
    "Microsoft.ML.ONNXRuntime" };
static const struct etw_provider logging = { &etw_ort_logging,
    "ONNXRuntimeTraceLoggingProvider" };

static struct etw_draft draft;

static void put_file(void *context, const void *bytes, size_t len)
{
    if (fwrite(bytes, 1, len, context) != len)
        perror("etw_maker");
}

static void put_nowhere(void *context, const void *bytes, size_t len)
{
    (void)context;
    (void)bytes;
    (void)len;
}

static void write_event(struct etw_writer *w, const struct etw_stamp *s,
        uint8_t level, uint64_t keyword)
{
    etw_draft_write(w, s, &ort, &draft, level, 0, keyword);
}

/* The first fields of most of ONNX Runtime's events. */
static void telemetry(const char *name, uint32_t session)
{
    etw_draft_begin(&draft, name);
    etw_draft_bool(&draft, "UTCReplace_AppSessionGuid", true);
    etw_draft_u64(&draft, "PartA_PrivTags", 0x2000000);
    etw_draft_u8(&draft, "schemaVersion", 0);
    etw_draft_u32(&draft, "sessionId", session);
}

static void session(struct etw_writer *w, uint64_t at_ns, uint32_t number,
        const char *model, const char *providers)
{
    struct etw_stamp s = { 0, PID, MAIN, at_ns };

    telemetry("SessionCreationStart", number);
    etw_draft_text(&draft, "runtimeVersion", "1.30.0");
    write_event(w, &s, 4, MEASURES);
    s.time_ns += 100 * US;
    telemetry("ModelLoadStart", number);
    write_event(w, &s, 4, MEASURES);
    s.time_ns += 300 * US;
    telemetry("ModelLoadEnd", number);
    etw_draft_bool(&draft, "isSuccess", true);
    write_event(w, &s, 4, MEASURES);
    s.time_ns += 500 * US;
    telemetry("SessionCreation", number);
    etw_draft_i64(&draft, "irVersion", 8);
    etw_draft_text(&draft, "modelProducerName", "pytorch");
    etw_draft_bool(&draft, "usefp16", false);
    etw_draft_text(&draft, "modelFileName", model);
    etw_draft_text(&draft, "modelGraphName", "main_graph");
    etw_draft_text(&draft, "executionProviderIds", providers);
    write_event(w, &s, 4, MEASURES | 1);
    s.time_ns += 100 * US;
    telemetry("SessionCreationEnd", number);
    etw_draft_bool(&draft, "isSuccess", true);
    etw_draft_text(&draft, "errorMessage", "");
    write_event(w, &s, 4, MEASURES);
}

static void evaluation(struct etw_writer *w, const struct etw_stamp *s,
        bool start, uint32_t number)
{
    etw_draft_begin(&draft, start ? "EvaluationStart" : "EvaluationStop");
    etw_draft_u32(&draft, "sessionId", number);
    write_event(w, s, 5, 0);
}

static void qnn(struct etw_writer *w, const struct etw_stamp *s,
        const char *message, uint64_t value, const char *unit,
        const char *identifier)
{
    etw_draft_begin(&draft, "QNNProfilingEvent");
    etw_draft_u64(&draft, "Timestamp", s->time_ns);
    etw_draft_text(&draft, "Message", message);
    etw_draft_u64(&draft, "Value", value);
    etw_draft_text(&draft, "Unit of Measurement", unit);
    etw_draft_text(&draft, "Timing Source", "BACKEND");
    etw_draft_text(&draft, "Event Level", "ROOT");
    etw_draft_text(&draft, "Event Identifier", identifier);
    write_event(w, s, 5, 0x100);
}

static void inferences(struct etw_writer *w)
{
    struct etw_stamp a = { 0, PID, MAIN, 0 }, b = { 1, PID, WORKER, 0 };

    for (uint32_t i = 0; i < PAIRS; i++) {
        a.time_ns = 10000 * US + i * 1000 * US;
        b.time_ns = a.time_ns + 300 * US;
        evaluation(w, &a, true, 1);
        evaluation(w, &b, true, 2);
        if (i == 7) {
            a.time_ns += 100 * US;
            telemetry("RuntimeInferenceError", 1);
            etw_draft_text(&draft, "errorMessage", "Invalid input shape");
            write_event(w, &a, 2, MEASURES);
            a.time_ns -= 100 * US;
        }
        a.time_ns += 400 * US + i * US;
        b.time_ns += 500 * US;
        evaluation(w, &a, false, 1);
        if (i == 3)
            qnn(w, &a, "NODE", 1234, "CYCLES", "MatMul_0");
        if (i == 3)
            qnn(w, &a, "EXECUTE", 250, "US", "graph_0 execute");
        evaluation(w, &b, false, 2);
    }
    a.time_ns = 45000 * US; /* this one never ends */
    evaluation(w, &a, true, 1);
}

static void kernel(struct etw_writer *w)
{
    struct etw_stamp s = { 2, PID, 0, 0 };

    etw_write_process(w, &s, ETW_IS_THERE, 1, 0, "infer.exe",
            "\"C:\\Program Files\\infer\\infer.exe\" --token geheim "
            "model.onnx");
    s.tid = MAIN;
    etw_write_thread(w, &s, ETW_IS_THERE, "main");
    s.tid = WORKER;
    etw_write_thread(w, &s, ETW_IS_THERE, NULL);
    etw_write_image(w, &s, "\\Windows\\System32\\onnxruntime.dll");
    /* MAIN runs 5 ms of every 10 on lane 2; then waits. */
    for (uint64_t i = 0; i < 4; i++) {
        s.time_ns = i * 10000 * US + 1000 * US;
        etw_write_switch(w, &s, MAIN, 0, 2, 0);
        s.time_ns += 2000 * US;
        s.tid = MAIN;
        etw_write_sample(w, &s, i & 1 ? 0xfffff80000001000 : 0x7ff600001000);
        s.time_ns += 3000 * US;
        etw_write_switch(w, &s, 0, MAIN, 5, 6);
    }
    s.time_ns = 50000 * US;
    etw_write_process(w, &s, ETW_STOPS, 1, 3, "infer.exe", "infer.exe");
}

static void ort_trace(struct etw_writer *w)
{
    struct etw_stamp s = { 0, PID, MAIN, 500 * US };

    kernel(w);
    telemetry("ProcessInfo", 0);
    etw_draft_text(&draft, "runtimeVersion", "1.30.0");
    write_event(w, &s, 4, MEASURES);
    session(w, 1000 * US, 1, "silero.onnx",
            "QNNExecutionProvider,"
            "CPUExecutionProvider");
    session(w, 3000 * US, 2, "det.onnx", "CPUExecutionProvider");
    inferences(w);
    s.time_ns = 46000 * US;
    telemetry("RuntimePerf", 1);
    etw_draft_u32(&draft, "totalRuns", PAIRS);
    etw_draft_i64(&draft, "totalRunDuration", 12000);
    write_event(w, &s, 5, MEASURES);
    telemetry("EpDeviceUsage", 1);
    etw_draft_text(&draft, "executionProviderType", "QNNExecutionProvider");
    write_event(w, &s, 4, MEASURES | 1);
    etw_draft_begin(&draft, "ONNXRuntimeLogEvent");
    etw_draft_text(&draft, "logger", "Default");
    etw_draft_text(&draft, "category", "onnxruntime");
    etw_draft_text(&draft, "location", "session.cc:1");
    etw_draft_text(&draft, "message", "Some nodes fell back to the CPU");
    etw_draft_write(w, &s, &logging, &draft, 3, 0, 2);
}

/* Two threads take turns on each of four lanes, with a sample in each turn. */
static void big_trace(struct etw_writer *w, uint64_t megabytes)
{
    uint64_t turns = megabytes * 1048576 / (2 * 40 + 32) / 4;

    for (uint32_t lane = 0; lane < 4; lane++) {
        struct etw_stamp s = { lane, PID, 0, 0 };

        for (int i = 0; i < 2; i++) {
            s.tid = 1000 + 2 * lane + (uint32_t)i;
            etw_write_thread(w, &s, ETW_IS_THERE, NULL);
        }
    }
    for (uint64_t i = 0; i < turns; i++)
        for (uint32_t lane = 0; lane < 4; lane++) {
            uint32_t a = 1000 + 2 * lane, b = a + 1;
            struct etw_stamp s = { lane, PID, a, i * 40 * US + lane * 100 };

            etw_write_switch(w, &s, a, b, 5, 6);
            s.time_ns += 10 * US;
            etw_write_sample(w, &s, 0x7ff600001000 + i % 4096);
            s.time_ns += 10 * US;
            etw_write_switch(w, &s, b, a, 1, 0);
        }
}

static int make(const char *kind, const char *path, uint64_t megabytes)
{
    struct etw_writing x = { .session = "etw_maker",
        .file = "made.etl",
        .start_wall_ns = UINT64_C(1700000000000000000),
        .duration_ns = 60000 * US,
        .lanes = 4 };
    bool big = strcmp(kind, "big") == 0;

    if (strcmp(kind, "small") == 0)
        x.buffer_bytes = 1024;

    FILE *file = fopen(path, "wb");

    if (!file) {
        perror(path);
        return 1;
    }
    for (int pass = 0; pass < 2; pass++) {
        struct etw_writer *w =
                etw_writer_new(&x, pass ? put_file : put_nowhere, file);

        if (big)
            big_trace(w, megabytes);
        else
            ort_trace(w);
        x.buffers = etw_writer_end(w);
    }
    etw_draft_release(&draft);
    return fclose(file) ? 1 : 0;
}

static int read_back(const char *path)
{
    struct etw_trace *t;
    struct error e = { 0 };
    struct etw_counts counts = { 0 };
    const struct etw_record *r;

    if (etw_trace_open(&t, path, &e)) {
        (void)fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    while ((r = etw_trace_next(t)))
        etw_counts_add(&counts, r);
    etw_counts_sort(&counts);
    for (size_t i = 0; i < counts.used; i++) {
        struct buf key = { 0 };

        etw_count_key(&key, &counts.slots[i]);
        printf("%" PRIu64 " %s\n", counts.slots[i].count, buf_cstr(&key));
        buf_release(&key);
    }
    etw_counts_release(&counts);
    etw_trace_close(t);
    return 0;
}

/* Prints how many bytes there were, or the error. */
static int unpack(char **argv)
{
    enum etw_compression format =
            (enum etw_compression)strtoul(argv[0], NULL, 10);
    size_t cap = strtoull(argv[1], NULL, 10), len;
    unsigned char *in = malloc(1 << 20), *out = malloc(cap + 1);
    FILE *from = fopen(argv[2], "rb"), *to = fopen(argv[3], "wb");

    if (!in || !out || !from || !to)
        return 1;
    len = fread(in, 1, 1 << 20, from);

    int64_t got = etw_decompress(format, out, cap, in, len);

    printf("%" PRId64 "\n", got);
    if (got > 0)
        (void)fwrite(out, 1, (size_t)got, to);
    (void)fclose(from);
    free(in);
    free(out);
    return fclose(to) ? 1 : 0;
}

static bool put_out(void *to, struct str lines)
{
    return fwrite(lines.p, 1, lines.len, to) == lines.len;
}

/* As `ortmeter etw record` does. */
static int record(void)
{
    struct etw_settings s = { .limit = 100, .record = ETW_RECORD_SETTINGS };
    struct buf said = { 0 };
    struct error e = { 0 };
    int rc = etw_record(&s, etw_live_system(), put_out, stdout, &said, &e);

    printf("%s\n", rc ? e.text : buf_cstr(&said));
    buf_release(&said);
    return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "record") == 0)
        return record();
    if (argc == 3 && strcmp(argv[1], "read") == 0)
        return read_back(argv[2]);
    if (argc == 3 &&
            (strcmp(argv[1], "ort") == 0 || strcmp(argv[1], "small") == 0))
        return make(argv[1], argv[2], 0);
    if (argc == 6 && strcmp(argv[1], "unpack") == 0)
        return unpack(argv + 2);
    if (argc == 4 && strcmp(argv[1], "big") == 0)
        return make("big", argv[2], strtoull(argv[3], NULL, 10));
    (void)fprintf(stderr, "usage: etw_maker ort|small|big|read|unpack|record "
                          "...\n");
    return 2;
}
