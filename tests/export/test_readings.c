/* test_readings.c -- what was sampled of the machine, in every format: as
 * counters, gauges and scalars. */
#include "export/metrics/readings.h"

#include "base/compiler.h"
#include "base/pb.h"
#include "export/formats.h"
#include "stored.h"

#include <math.h>
#include <string.h>

/* Any two that samplers read; which they are does not matter here. */
static const enum metric_id gauge = METRIC_collector_resident_bytes;
static const enum metric_id counter = METRIC_collector_cpu_seconds_total;

static int64_t fill(struct store *s)
{
    struct run run = stored_run(s, 1000000000000000000);
    const struct subject subjects[] = {
        { .kind = SUBJECT_HOST, .name = "host", .source = "test" },
        { .kind = SUBJECT_PROCESS,
                .number = 77,
                .name = "a \"b\"",
                .source = "test" },
        { .kind = SUBJECT_THREAD,
                .parent = 1,
                .number = 78,
                .name = "main",
                .source = "test" },
    };
    const struct reading readings[] = {
        { 1000, 5, 0, (uint16_t)gauge, READING_MEASURED },
        { 2000, 1.5, 1, (uint16_t)counter, READING_MODELLED },
        { 3000, 7, 0, (uint16_t)gauge, READING_MEASURED },
        { 4000, INFINITY, 2, (uint16_t)gauge, READING_MEASURED },
        { 5000, 9, 2, (uint16_t)gauge, READING_APPORTIONED },
    };

    for (uint32_t i = 0; i < LEN(subjects); i++)
        store_add_subject(s, i, &subjects[i]);
    store_add_readings(s, readings, LEN(readings));
    stored_flush(s);
    return run.row;
}

/* The whole export in memory. */
static void export(struct buf *out, const struct tree *t, struct store *s,
        int64_t run, const char *format)
{
    const struct export_format *f = export_format_find(format);
    struct sink *sink = NULL;
    struct error e = { 0 };
    char path[256], bytes[65536];

    (void)snprintf(path, sizeof(path), "%s", tree_path(t, "out"));
    buf_clear(out);
    CHECK_INT(sink_open(&sink, path, false, &e), 0);
    CHECK_INT(f->write(sink, s, run, &e), 0);
    CHECK_INT(sink_close(sink, true, &e), 0);

    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

    CHECK(len > 0);
    buf_add(out, bytes, len);
    if (file)
        (void)fclose(file);
}

static size_t count(const struct buf *in, const char *what)
{
    size_t n = 0;

    for (const char *at = buf_cstr(in); (at = strstr(at, what)); at++)
        n++;
    return n;
}

static void check_texts(const struct tree *t, struct store *s, int64_t run)
{
    struct buf out = { 0 };

    export(&out, t, s, run, "chrome");
    CHECK_INT(count(&out, "\"ph\":\"C\""), 4);
    CHECK(strstr(out.p, "\"name\":\"collector_resident_bytes\",\"pid\":0,"
                        "\"tid\":0,\"ts\":3,\"args\":{\"bytes\":7}"));
    CHECK(strstr(out.p,
            "\"name\":\"collector_resident_bytes thread 78 main\""));

    export(&out, t, s, run, "prometheus");
    CHECK(strstr(out.p, "\nortmeter_collector_resident_bytes{run="));
    CHECK(strstr(out.p, ",pid=\"77\",program=\"a \\\"b\\\"\",thread=\"main\","
                        "tid=\"78\",method=\"apportioned\"} 9\n"));
    CHECK(strstr(out.p, ",pid=\"77\",program=\"a \\\"b\\\"\","
                        "method=\"modelled\"} 1.5\n"));
    /* only the last of a series */
    CHECK(strstr(out.p, "\"} 7\n"));
    CHECK(!strstr(out.p, "\"} 5\n"));

    export(&out, t, s, run, "otlp");
    CHECK(strstr(out.p, "\"asDouble\":9,"));
    CHECK(strstr(out.p, "{\"key\":\"ortmeter.method\",\"value\":{"
                        "\"stringValue\":\"apportioned\"}}"));
    buf_release(&out);
}

/* Values of Perfetto's counters: field 44 of TrackEvent, 11 of TracePacket. */
static void check_perfetto(const struct tree *t, struct store *s, int64_t run)
{
    struct buf out = { 0 };
    struct pb_field packet, field, in;
    size_t tracks = 0;
    double sum = 0;

    export(&out, t, s, run, "perfetto");
    for (struct str file = buf_str(&out); pb_next(&packet, &file) == 1;)
        for (struct str p = packet.bytes; pb_next(&field, &p) == 1;) {
            tracks += field.number == 60;
            for (struct str e = field.bytes;
                    field.number == 11 && pb_next(&in, &e) == 1;)
                if (in.number == 44)
                    sum += pb_as_double(in.value);
        }
    CHECK_INT(tracks, 3);
    CHECK(sum == 5 + 1.5 + 7 + 9);
    buf_release(&out);
}

int main(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    int64_t run = fill(s);

    check_texts(&t, s, run);
    check_perfetto(&t, s, run);
    store_close(s);
    tree_close(&t);
    return test_result();
}
