/* test_store_run.c -- a run from its beginning to its end. */
#include "stored_same.h"

#include <errno.h>

static const struct inference good;
static const struct inference failed = { .flags = FLAG_FAILED,
    .error = "bad shape" };

/* What was not flushed is lost, and nothing else. */
static void not_flushed(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);

    (void)stored_run(s, 1);
    for (size_t i = 0; i < 5; i++)
        (void)store_add_inference(s, &failed);
    stored_flush(s);
    for (size_t i = 0; i < 3; i++)
        (void)store_add_inference(s, &failed);
    store_close(s);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM inferences"), 5);

    /* More than fit are flushed on the way. */
    s = stored_open(&t, STORE_WRITE);
    (void)stored_run(s, 1);
    for (size_t i = 0; i < 10007; i++)
        CHECK_INT(store_add_inference(s, i % 3 ? &failed : &good), i + 1);
    CHECK(store_waiting(s) < 10007);
    stored_flush(s);
    store_close(s);
    CHECK_INT(stored_number(&t,
                      "SELECT count(*) = 10007 AND max(number) = 10007"
                      " FROM inferences WHERE run = 2"),
            1);
    tree_close(&t);
}

/* A session and the label of its model come together or not at all; so do the
 * end of a run and what its labels are sorted by. */
static void together(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run r = stored_run(s, 1);

    store_add_session(s, &(struct session){ .id = 1, .model = "/m/a.onnx" });
    stored_change(&t, "ALTER TABLE labels RENAME TO gone");
    store_add_session(s, &(struct session){ .id = 2, .model = "/m/b.onnx" });
    CHECK(store_flush(s, NULL) < 0);
    CHECK_INT(stored_number(&t, "SELECT group_concat(id) = '1' FROM sessions"),
            1);

    stored_change(&t, "ALTER TABLE gone RENAME TO labels;"
                      "ALTER TABLE run_labels RENAME TO gone");
    r.status = RUN_COMPLETE;
    r.duration_ns = 5;
    CHECK(store_end_run(s, &r, NULL) < 0);
    store_close(s);
    CHECK_INT(stored_number(&t, "SELECT status = 0 AND duration_ns IS NULL"
                                " FROM profiling_runs"),
            1);
    tree_close(&t);
}

static const struct run *expected;
static size_t seen;

static void take_run(void *context, const struct run *got)
{
    const struct run *want = expected;

    (void)context;
    seen++;
    SAME(row);
    SAME_TEXT(id);
    SAME(status);
    SAME(started_wall_ns);
    SAME(start_mono_ns);
    SAME(duration_ns);
    SAME(meter_pid);
    SAME_TEXT(command);
    SAME_TEXT(directory);
    SAME_TEXT(tags);
    SAME_TEXT(host);
    SAME_TEXT(version);
    SAME_TEXT(note);
    SAME(ended);
    SAME(exit_code);
    SAME(signal);
    SAME(peak_rss_bytes);
    SAME(user_cpu_ns);
    SAME(system_cpu_ns);
    SAME(meter_cpu_ns);
    SAME(meter_rss_bytes);
}

static void check_run(struct store *s, const struct run *r)
{
    expected = r;
    seen = 0;
    CHECK_INT(store_read_run(s, r->row, take_run, NULL, NULL), 0);
    CHECK_INT(seen, 1);
}

static void runs(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct run r = {
        .started_wall_ns = UINT64_C(1790000000123456789),
        .start_mono_ns = 5,
        .meter_pid = own_pid(),
        .command = "a 'b c'",
        .directory = "/tmp",
        .tags = "x,y",
        .host = "{\"cpu\":\"toy\"}",
        .version = "0.1.0",
    };

    CHECK_INT(store_begin_run(s, &r, NULL), 0);
    r.status = RUN_RUNNING;
    check_run(s, &r);

    r.status = RUN_COMPLETE;
    r.duration_ns = 77;
    r.note = "nothing was seen";
    r.ended = true;
    r.exit_code = 0;
    r.peak_rss_bytes = 4096;
    r.system_cpu_ns = 3; /* and none of its own */
    r.meter_cpu_ns = 4;
    r.meter_rss_bytes = 5;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    check_run(s, &r);
    r.exit_code = 255;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    check_run(s, &r);
    r.exit_code = 0;
    r.signal = 9;
    r.status = RUN_FAILED;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    check_run(s, &r);

    seen = 0;
    CHECK_INT(store_read_run(s, 999, take_run, NULL, NULL), -ENOENT);
    CHECK_INT(seen, 0);
    /* Its command is what everybody asks for. */
    CHECK_INT(store_begin_run(s, &(struct run){ .version = "1" }, NULL), -EIO);
    store_close(s);
    tree_close(&t);
}

int main(void)
{
    not_flushed();
    together();
    runs();
    return test_result();
}
