/* test_shape_system.c -- the "System Metric" of TEZ-158, field by field:
 *
 *     { "timestamp_ns": 1234567890000000, "cpu_percent": 18.5,
 *       "memory_percent": 42.3, "gpu_percent": 4.1, "npu_percent": 89.2,
 *       "gpu_memory_mb": 512, "process_memory_mb": 256 }
 */
#include "base/compiler.h"
#include "base/json_read.h"
#include "export/formats.h"
#include "stored.h"

#include <math.h>
#include <string.h>

#define MS      UINT64_C(1000000)
#define MB      1048576.0
#define STARTED UINT64_C(1234567000000000)

enum { HOST = 1, GPU0, GPU1, NPU, FIRST, SECOND };

static void export(struct buf *out, const struct tree *t, struct store *s,
        int64_t row)
{
    const struct export_shape *shape = export_format_find("json")->shapes;
    const char *path = tree_path(t, "shape.json");
    struct sink *sink = NULL;
    struct error e = { 0 };
    char piece[4096];
    size_t n;

    while (strcmp(shape->name, "system") != 0)
        shape++;
    CHECK_INT(sink_open(&sink, path, false, &e), 0);
    CHECK_INT(shape->write(sink, s, row, &e), 0);
    CHECK_INT(sink_close(sink, true, &e), 0);

    FILE *f = fopen(path, "rb");

    while (f && (n = fread(piece, 1, sizeof(piece), f)) > 0)
        buf_add(out, piece, n);
    CHECK(f && !fclose(f));
}

static void reading(struct store *s, uint64_t ms, uint32_t subject,
        enum metric_id metric, double value)
{
    store_add_reading(s, &(struct reading){ .time_ns = ms * MS,
                                 .value = value,
                                 .subject = subject,
                                 .metric = (uint16_t)metric });
}

static void fill(struct store *s)
{
    static const struct subject subjects[] = {
        [HOST] = { .kind = SUBJECT_HOST, .name = "here" },
        [GPU0] = { .kind = SUBJECT_DEVICE, .name = "gpu0" },
        [GPU1] = { .kind = SUBJECT_DEVICE, .name = "gpu1" },
        [NPU] = { .kind = SUBJECT_DEVICE, .name = "npu0" },
        [FIRST] = { .kind = SUBJECT_PROCESS, .name = "a", .number = 77 },
        [SECOND] = { .kind = SUBJECT_PROCESS, .name = "b", .number = 78 },
    };

    for (uint32_t i = HOST; i < LEN(subjects); i++)
        store_add_subject(s, i, &subjects[i]);
    store_end_subject(s, SECOND, 1000 * MS);

    /* All that there is, within a moment: the busiest GPU, both processes. */
    reading(s, 890, HOST, METRIC_host_busy_ratio, 0.185);
    reading(s, 890, HOST, METRIC_host_memory_bytes, 1000);
    reading(s, 891, HOST, METRIC_host_memory_available_bytes, 577);
    reading(s, 891, GPU0, METRIC_device_utilization_ratio, 0.041);
    reading(s, 891, GPU1, METRIC_device_utilization_ratio, 0.01);
    reading(s, 892, NPU, METRIC_device_utilization_ratio, 0.892);
    reading(s, 892, GPU0, METRIC_device_memory_used_bytes, 512 * MB);
    reading(s, 892, NPU, METRIC_device_memory_used_bytes, 900 * MB);
    reading(s, 893, FIRST, METRIC_process_resident_bytes, 200 * MB);
    reading(s, 893, SECOND, METRIC_process_resident_bytes, 56 * MB);
    reading(s, 894, HOST, METRIC_host_running_threads, 3);
    /* Half of the memory's two figures: the other holds.  One process ended. */
    reading(s, 1100, HOST, METRIC_host_memory_available_bytes, 250);
    /* What was not read for long is not known any more. */
    reading(s, 9000, FIRST, METRIC_process_resident_bytes, 100 * MB);
    stored_flush(s);
}

static const char *const fields[] = { "timestamp_ns", "cpu_percent",
    "memory_percent", "gpu_percent", "npu_percent", "gpu_memory_mb",
    "process_memory_mb" };

/* The moment has these fields, in this order, and no others; NAN: it has it
 * not. */
static void check_moment(struct str object, const double want[LEN(fields)])
{
    struct str key, value;

    for (size_t i = 0; i < LEN(fields); i++) {
        double got = NAN;

        if (isnan(want[i]))
            continue;
        CHECK_INT(json_next_member(&object, &key, &value), 1);
        CHECK(str_is(key, fields[i]));
        CHECK_INT(str_f64(&got, value), 0);
        CHECK(fabs(got - want[i]) < 1e-9 * fabs(want[i]));
    }
    CHECK_INT(json_next_member(&object, &key, &value), 0);
}

int main(void)
{
    static const double want[][LEN(fields)] = {
        { STARTED + 890e6, 18.5, 42.3, 4.1, 89.2, 512, 256 },
        { STARTED + 1100e6, 18.5, 75, 4.1, 89.2, 512, 200 },
        { STARTED + 9000e6, NAN, NAN, NAN, NAN, NAN, 100 },
    };
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run run = stored_run(s, STARTED);
    struct buf text = { 0 };
    struct str rest, object;

    fill(s);
    export(&text, &t, s, run.row);
    CHECK(json_is_sound(buf_str(&text)));
    rest = buf_str(&text);
    for (size_t i = 0; i < LEN(want); i++) {
        CHECK_INT(json_next_element(&rest, &object), 1);
        check_moment(object, want[i]);
    }
    CHECK_INT(json_next_element(&rest, &object), 0);

    /* A run of which nothing was sampled. */
    buf_clear(&text);
    run = stored_run(s, STARTED);
    export(&text, &t, s, run.row);
    rest = buf_str(&text);
    CHECK_INT(json_next_element(&rest, &object), 0);
    buf_release(&text);
    store_close(s);
    tree_close(&t);
    return test_result();
}
