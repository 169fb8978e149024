/* test_bench.c -- the command line of `bench`, and how its worker reports. */
#include "base/buf.h"
#include "cmd/bench/bench_report.h"
#include "cmd/bench/bench_settings.h"
#include "test.h"

#include <errno.h>
#include <string.h>

/* --- the command line -------------------------------------------------------
 */

#define WORDS 8

static int parse(struct bench_settings *s, const char *const *words,
        struct error *e)
{
    static char *argv[WORDS + 2] = { (char *)"bench" };
    const struct options options = { .table = bench_options, .words_max = 1 };
    struct options_read read;
    int argc = 1;

    for (; *words; words++)
        argv[argc++] = (char *)*words;
    argv[argc] = NULL;
    *s = bench_defaults;

    int rc = options_parse(&read, s, &options, argc, argv, e);

    return rc ? rc : bench_settings_read(s, argv[1], e);
}

static void check_defaults(void)
{
    struct bench_settings s;

    CHECK_INT(parse(&s, (const char *[]){ "m.onnx", NULL }, NULL), 0);
    CHECK(strcmp(s.model, "m.onnx") == 0);
    CHECK_INT(s.count, 1000);
    CHECK(s.duration_s == 5);
    CHECK(s.warmup_auto);
    CHECK_INT(s.batch_count, 0);
    CHECK_INT(s.concurrency, 1);
    CHECK(s.worker == BENCH_NOT_GIVEN);

    /* Who gives one limit means that one alone. */
    CHECK_INT(
            parse(&s, (const char *[]){ "m.onnx", "--count", "7", NULL }, NULL),
            0);
    CHECK_INT(s.count, 7);
    CHECK(s.duration_s == 0);
    CHECK_INT(parse(&s, (const char *[]){ "--duration=0.5", "m.onnx", NULL },
                      NULL),
            0);
    CHECK(s.count == BENCH_NOT_GIVEN);
    CHECK(s.duration_s == 0.5);
}

static void check_lists(void)
{
    struct bench_settings s;

    CHECK_INT(
            parse(&s,
                    (const char *[]){ "m.onnx", "--batch", "1,2,1024", "--dim",
                            "a=b=7", "--dim=past seq=0", "--warmup=0", NULL },
                    NULL),
            0);
    CHECK_INT(s.batch_count, 3);
    CHECK_INT(s.batches[2], 1024);
    CHECK_INT(s.dim_count, 2);
    CHECK(str_is(s.dims[0].name, "a=b"));
    CHECK_INT(s.dims[0].value, 7);
    CHECK(str_is(s.dims[1].name, "past seq"));
    CHECK_INT(s.dims[1].value, 0);
    CHECK(!s.warmup_auto);
    CHECK_INT(s.warmup, 0);
}

static void check_wrong(void)
{
    static const char *const wrong[][WORDS] = {
        { NULL },
        { "m.onnx", "n.onnx", NULL },
        { "m.onnx", "--count=0", NULL },
        { "m.onnx", "--batch=", NULL },
        { "m.onnx", "--batch=0", NULL },
        { "m.onnx", "--batch=1,,2", NULL },
        { "m.onnx", "--batch=1,x", NULL },
        { "m.onnx", "--dim=3", NULL },
        { "m.onnx", "--dim==3", NULL },
        { "m.onnx", "--dim=a=", NULL },
        { "m.onnx", "--dim=a=-1", NULL },
        { "m.onnx", "--dim=a=99999999999", NULL },
        { "m.onnx", "--warmup=soon", NULL },
        { "m.onnx", "--concurrency=0", NULL },
        { "m.onnx", "--sessions=257", NULL },
        { "m.onnx", "--qps=5", "--batch=1,2", NULL },
        { "m.onnx", "--qps=5", "--compare-levels", NULL },
        { "m.onnx", "--batch=1,2", "--compare-levels", NULL },
        { "m.onnx", "--ops=some", NULL },
        { "m.onnx", "--tag=a,b", NULL },
        { "m.onnx", "--no-such-option", NULL },
    };

    for (size_t i = 0; i < LEN(wrong); i++) {
        struct bench_settings s;
        struct error e = { 0 };

        CHECK_INT(parse(&s, wrong[i], &e), -EINVAL);
        CHECK(e.text[0]);
        if (!e.text[0])
            (void)fprintf(stderr, "  %zu\n", i);
    }
}

/* --- frames -----------------------------------------------------------------
 */

static void write_all(struct buf *out)
{
    struct bench_input input = { .type = ORT_TYPE_INT64, .rank = 2 };
    struct bench_dim dim = { .value = 16, .given = true };
    struct bench_load load = { .first_ns = 23, .later_ns = 19 };
    struct bench_row row = { .batch = 8, .service.count = 101 };
    FILE *f = tmpfile();
    char piece[512];
    size_t len;

    (void)snprintf(input.name, sizeof(input.name), "x");
    CHECK(bench_send_text(f, BENCH_NOTE, "one"));
    CHECK(bench_send(f, BENCH_INPUT, &input, sizeof(input)));
    CHECK(bench_send(f, BENCH_DIM, &dim, sizeof(dim)));
    CHECK(bench_send(f, BENCH_LOAD, &load, sizeof(load)));
    CHECK(bench_send(f, BENCH_ROW, &row, sizeof(row)));
    row.batch = 16;
    CHECK(bench_send(f, BENCH_ROW, &row, sizeof(row)));
    CHECK(bench_send_text(f, BENCH_NOTE, ""));
    CHECK(bench_send_text(f, BENCH_ERROR, "two"));
    rewind(f);
    while ((len = fread(piece, 1, sizeof(piece), f)) > 0)
        buf_add(out, piece, len);
    (void)fclose(f);
}

static void check_whole(struct str bytes)
{
    struct bench_report r;

    CHECK_INT(bench_report_parse(&r, bytes), 0);
    CHECK(r.error && strcmp(r.error, "two") == 0);
    CHECK_INT(r.note_count, 2);
    CHECK(strcmp(r.notes[0], "one") == 0 && !r.notes[1][0]);
    CHECK_INT(r.input_count, 1);
    CHECK(strcmp(r.inputs[0].name, "x") == 0);
    CHECK_INT(r.dim_count, 1);
    CHECK(r.dims[0].given);
    CHECK_INT(r.load.later_ns, 19);
    CHECK_INT(r.row_count, 2);
    CHECK_INT(r.rows[0].service.count, 101);
    CHECK_INT(r.rows[1].batch, 16);
    bench_report_release(&r);
}

/* A worker may die at any byte. */
static void check_cut(struct str bytes)
{
    size_t rows = 0;

    for (size_t len = 0; len < bytes.len; len++) {
        struct bench_report r;

        CHECK_INT(bench_report_parse(&r, (struct str){ bytes.p, len }), 0);
        CHECK(!r.error);
        CHECK(r.row_count >= rows);
        rows = r.row_count;
        bench_report_release(&r);
    }
    CHECK_INT(rows, 2);
}

static void check_nonsense(void)
{
    static const uint32_t unknown[] = { 99, 0 };
    static const uint32_t short_row[] = { BENCH_ROW, 4, 0 };
    struct bench_report r;

    CHECK_INT(bench_report_parse(&r,
                      (struct str){ (const char *)unknown, sizeof(unknown) }),
            -EINVAL);
    bench_report_release(&r);
    CHECK_INT(bench_report_parse(&r, (struct str){ (const char *)short_row,
                                             sizeof(short_row) }),
            -EINVAL);
    CHECK_INT(r.row_count, 0);
    bench_report_release(&r);
}

int main(void)
{
    struct buf bytes = { 0 };

    check_defaults();
    check_lists();
    check_wrong();
    write_all(&bytes);
    check_whole(buf_str(&bytes));
    check_cut(buf_str(&bytes));
    check_nonsense();
    buf_release(&bytes);
    return test_result();
}
