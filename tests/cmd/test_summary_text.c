#include "cmd/text/summary_text.h"

#include "summed.h"

static struct buf page;

static void write_page(struct summed *x, bool colours)
{
    buf_clear(&page);
    summary_text(&page, summed_read(x), colours);
}

static void check_page(const char *piece, bool there)
{
    if ((strstr(buf_cstr(&page), piece) != NULL) == there)
        return;
    test_failures++;
    (void)fprintf(stderr, "%s: %s\n%s", there ? "missing" : "there", piece,
            buf_cstr(&page));
}

static void everything(void)
{
    static const char *const pieces[] = {
        "2.00 s\n  prog --flag\n",
        "  ONNX Runtime 1.23.2 from Node.js  /lib/ort.so\n",
        "  small/model  on CUDA, CPU  loaded in 5.00 ms\n"
        "    4 inferences  p50 10.0 µs  batch 2\n",
        "  bad\n    could not be loaded: no such file\n",
        "      mean       p50       p90       p95       p99     p99.9       "
        "max",
        "  latency        12.0 µs   10.0 µs   too few   too few   too few   "
        "too few"
        "   20.0 µs\n",
        "4 in all, 1 failed   jitter 7.00 µs   stddev 7.21 µs\n",
        "45,455 inferences/s, 75,758 samples/s\n",
        "4 tokens in 1 generation   first after 20.0 µs, then every 20.0 µs"
        "   100,000 tokens/s\n",
        "each further    p50 20.0 µs   too few for p90 and p99\n",
        "prefill         1 inference   mean 20.0 µs\n",
        "tokenise                   8.00 µs  in 2 sections, pre_inference\n",
        "1 × bad shape\n",
        "CPU 1.50 s, at most 50.0 MB resident\n",
        "at least 90 ns an inference (0.9 % of the median), collector CPU 10.0 "
        "ms and "
        "9.00 MB\n",
        "7 records were lost",
        "5 records were being written when",
    };
    struct summed x = summed_begin();

    summed_fill(&x);
    write_page(&x, false);
    for (size_t i = 0; i < LEN(pieces); i++)
        check_page(pieces[i], true);
    check_page("\033", false);
    check_page("complete", false); /* the usual is not worth a word */
    summary_release(&x.summary);
    write_page(&x, true);
    check_page("\033[1msmall/model\033[0m", true);
    summed_end(&x);
}

/* Of a run in which nothing was seen, and that did not end, nothing is said
 * but what it is. */
static void nothing(void)
{
    static const char *const absent[] = { "latency", "throughput", "tokens",
        "program ", "meter", "lost", "errors", "exit code" };
    struct summed x = summed_begin();

    write_page(&x, false);
    check_page("  running\n  prog --flag\n", true);
    for (size_t i = 0; i < LEN(absent); i++)
        check_page(absent[i], false);
    summed_end(&x);
}

static void ends(void)
{
    static const struct {
        struct run end;
        const char *said;
    } cases[] = {
        { { .status = RUN_COMPLETE, .ended = true, .exit_code = 3 },
                "  exit code 3\n" },
        { { .status = RUN_COMPLETE, .ended = true, .signal = 11 },
                "  ended by signal 11\n" },
        { { .status = RUN_FAILED, .ended = true, .note = "The disk is full." },
                "\n  The disk is full.\n" },
        { { .status = RUN_FAILED, .ended = true }, "  failed\n" },
        { { .status = RUN_COMPLETE, .ended = true, .meter_cpu_ns = 5000 },
                "meter           collector CPU 5.00 µs\n" },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct summed x = summed_begin();
        struct run end = cases[i].end;

        end.row = x.run.row;
        CHECK_INT(store_end_run(x.store, &end, NULL), 0);
        write_page(&x, false);
        check_page(cases[i].said, true);
        summed_end(&x);
    }
}

/* The same library in several processes is one line; many sessions are cut. */
static void long_lists(void)
{
    struct summed x = summed_begin();

    for (uint32_t i = 1; i <= 23; i++) {
        store_add_library(x.store, &(struct library){ .id = i,
                                           .process = i,
                                           .path = "/lib/ort.so",
                                           .version = "1.23.2" });
        summed_session(&x, i, "m.onnx");
    }
    write_page(&x, false);
    check_page("and 3 sessions more", true);

    const char *first = strstr(buf_cstr(&page), "ONNX Runtime");

    CHECK(first && !strstr(first + 1, "ONNX Runtime"));
    summed_end(&x);
}

/* What programs say does not reach the terminal as it is. */
static void control_characters(void)
{
    struct summed x = summed_begin();

    summed_session(&x, 1, "/m/a\033[31m.onnx");
    store_add_session(x.store,
            &(struct session){ .id = 2, .error = "bad\033]0;title\007" });
    SUMMED_RUN(&x, 0, 1, .flags = FLAG_FAILED, .error = "two\nlines\033[2J");
    store_add_section(x.store, &(struct section){ .name = "s\033c" });
    write_page(&x, false);
    check_page("\033", false);
    check_page("\007", false);
    check_page("two lines [2J\n", true);
    summed_end(&x);
}

static void dates(void)
{
    char date[32];

    CHECK(setenv("TZ", "UTC", 1) == 0);
    summary_date(date, UINT64_C(1790000000999999999));
    CHECK(strcmp(date, "2026-09-21 14:13:20") == 0);
    summary_date(date, 0);
    CHECK(strcmp(date, "1970-01-01 00:00:00") == 0);
    summary_date(date, UINT64_MAX);
    CHECK(strlen(date) < sizeof(date));
}

int main(void)
{
    everything();
    nothing();
    ends();
    long_lists();
    control_characters();
    dates();
    buf_release(&page);
    return test_result();
}
