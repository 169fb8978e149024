#include "ort/bursts.h"

#include "base/compiler.h"
#include "ran.h"

/* An event as ONNX Runtime writes it; times in microseconds. */
#define EVENT(cat, tid, ts, dur, name, args)                                   \
    "{\"cat\" : \"" cat "\",\"pid\" :7,\"tid\" :" #tid ",\"dur\" :" #dur       \
    ",\"ts\" :" #ts ",\"ph\" : \"X\",\"name\" :\"" name "\",\"args\" : {" args \
    "}},\n"
#define NODE(tid, ts, dur, name)                        \
    EVENT("Node", tid, ts, dur, name "_kernel_time",    \
            "\"op_name\" : \"Op\",\"provider\" : \"P\"" \
            ",\"node_index\" : \"3\"")
#define RUN(tid, ts, dur) EVENT("Session", tid, ts, dur, "model_run", "")
#define LOADED            EVENT("Session", 1, 1, 99, "session_initialization", "")
#define END               "{}]\n"

/* The burst's runs: inferences 1, 2, ... began at those times, on those
 * threads. */
struct known {
    uint64_t start_us;
    uint32_t thread;
};

static void read_pieces(const char *profile, const struct known *known,
        size_t count, size_t piece)
{
    struct burst_runs runs = { 0 };
    struct burst_reader *r;
    uint32_t next_id = 0;
    size_t len = strlen(profile);

    for (size_t i = 0; i < count; i++)
        bursts_add(&runs, &(struct burst_run){ i + 1, known[i].start_us * 1000,
                                  known[i].thread });
    r = burst_reader_new(&runs, 8, &next_id, &ran_sink);
    bursts_release(&runs);
    for (size_t at = 0; at < len; at += piece)
        burst_reader_feed(r, profile + at, piece < len - at ? piece : len - at);
    burst_reader_end(r);
}

/* The lines that tell of runs: what is found is looked at in names(). */
static void keep_runs(struct buf *to, const char *told)
{
    for (const char *end; *told; told = end + 1) {
        end = strchr(told, '\n');
        if (*told != 'f')
            buf_add(to, told, (size_t)(end - told) + 1);
    }
}

static void check_runs(const char *name, const char *profile,
        const struct known *known, size_t count, const char *want)
{
    static const size_t pieces[] = { 1, 64, 100000 };

    for (size_t i = 0; i < LEN(pieces); i++) {
        struct buf runs = { 0 };

        read_pieces(profile, known, count, pieces[i]);
        keep_runs(&runs, buf_cstr(&ran));
        if (strcmp(buf_cstr(&runs), want) != 0) {
            test_failures++;
            (void)fprintf(stderr, "%s, in pieces of %zu: told\n%snot\n%s", name,
                    pieces[i], buf_cstr(&runs), want);
        }
        buf_release(&runs);
        buf_clear(&ran);
    }
}

/* --- whose nodes they are ------------------------------------------------- */

static const struct {
    const char *name;
    const char *profile;
    struct known known[6];
    const char *want;
} cases[] = {
    { "one run",
            "[\n" LOADED NODE(1, 1010, 20, "a") NODE(1, 1040, 5, "b")
                    RUN(1, 1000, 60) END,
            { { 5000, 1 } },
            "1/1: 1 depth 0 5010000+20000\n"
            "1/1: 2 depth 0 5040000+5000\n" },
    { "one after the other",
            "[\n" NODE(1, 1010, 20, "a") RUN(1, 1000, 60) NODE(1, 2010, 30, "a")
                    RUN(1, 2005, 60) END,
            { { 5000, 1 }, { 6007, 1 } },
            "1/1: 1 depth 0 5010000+20000\n"
            "2/1: 1 depth 0 6012000+30000\n" },
    { "a Loop within an If",
            "[\n" NODE(1, 1012, 5, "x") NODE(1, 1022, 2, "y") NODE(1, 1024, 2,
                    "y") NODE(1, 1020, 8, "loop") NODE(1, 1010, 30, "if")
                    NODE(1, 1040, 5, "z") RUN(1, 1000, 60) END,
            { { 5000, 1 } },
            "1/1: 1 depth 1 5012000+5000\n"
            "1/1: 2 depth 2 5022000+2000\n"
            "1/1: 2 depth 2 5024000+2000\n"
            "1/1: 3 depth 1 5020000+8000\n"
            "1/1: 4 depth 0 5010000+30000\n"
            "1/1: 5 depth 0 5040000+5000\n" },
    { "as long as the one around it",
            "[\n" NODE(1, 1010, 30, "x") NODE(1, 1010, 30, "if")
                    RUN(1, 1010, 30) END,
            { { 5000, 1 } },
            "1/1: 2 depth 1 5000000+30000\n"
            "1/1: 1 depth 0 5000000+30000\n" },
    /* Times are cut to microseconds: what ends inside may seem to end later. */
    { "sticking out",
            "[\n" NODE(1, 1012, 5, "x") NODE(1, 1021, 20, "y")
                    NODE(1, 1022, 19, "loop") NODE(1, 1010, 30, "if")
                            NODE(1, 1040, 0, "n") NODE(1, 1040, 0, "n")
                                    NODE(1, 1041, 3, "z") RUN(1, 1000, 43) END,
            { { 5000, 1 } },
            "1/1: 1 depth 1 5012000+5000\n"
            "1/1: 3 depth 2 5022000+19000\n"
            "1/1: 2 depth 1 5021000+20000\n"
            "1/1: 4 depth 0 5010000+30000\n"
            "1/1: 5 depth 0 5040000+0\n"
            "1/1: 5 depth 0 5040000+0\n"
            "1/1: 6 depth 0 5041000+3000\n" },
    /* The short one ends first, with nodes of the long one in its time. */
    { "side by side",
            "[\n" NODE(1, 1020, 10, "a") NODE(2, 1035, 10, "a") NODE(1, 1040,
                    10, "b") NODE(2, 1050, 10, "b") RUN(2, 1015, 50)
                    NODE(1, 1070, 10, "c") RUN(1, 1000, 90) END,
            { { 5015, 2 }, { 5000, 1 } },
            "2/1: 1 depth 0 5020000+10000\n"
            "2/1: 2 depth 0 5040000+10000\n"
            "2/1: 3 depth 0 5070000+10000\n"
            "1/2: 1 depth 0 5035000+10000\n"
            "1/2: 2 depth 0 5050000+10000\n" },
    { "side by side, begun together",
            "[\n" NODE(2, 1020, 10, "a") RUN(2, 1000, 50) NODE(1, 1030, 10, "a")
                    RUN(1, 1000, 60) END,
            { { 5000, 1 }, { 5000, 2 } },
            "2/2: 1 depth 0 5020000+10000\n"
            "1/1: 1 depth 0 5030000+10000\n" },
    { "nodes on other threads",
            "[\n" NODE(11, 1020, 10, "a") NODE(12, 1020, 20, "b")
                    RUN(1, 1000, 50) END,
            { { 5000, 1 } },
            "1/11: 1 depth 0 5020000+10000\n"
            "1/12: 2 depth 0 5020000+20000\n" },
    { "nodes on other threads, while two run",
            "[\n" NODE(11, 1020, 10, "a") NODE(12, 1060, 10, "b")
                    RUN(1, 1000, 50) RUN(2, 1010, 70) END,
            { { 5000, 1 }, { 5010, 2 } }, "2/12: 2 depth 0 5060000+10000\n" },
    { "a run within a run, on the same thread",
            "[\n" NODE(1, 1020, 10, "x") RUN(1, 1015, 20)
                    NODE(1, 1010, 30, "call") RUN(1, 1000, 60) END,
            { { 5015, 1 }, { 5000, 1 } },
            "2/1: 2 depth 0 5010000+30000\n"
            "1/1: 1 depth 0 5020000+10000\n" },
    /* Not all that we know is in the file, or the other way round. */
    { "the first was refused",
            "[\n" NODE(1, 1010, 9, "a") RUN(1, 1000, 20) NODE(1, 1510, 8, "a")
                    RUN(1, 1500, 20) NODE(1, 1840, 7, "a") RUN(1, 1830, 20) END,
            { { 4900, 1 }, { 5000, 1 }, { 5500, 1 }, { 5830, 1 } },
            "2/1: 1 depth 0 5010000+9000\n"
            "3/1: 1 depth 0 5510000+8000\n"
            "4/1: 1 depth 0 5840000+7000\n" },
    { "one in the midst was refused",
            "[\n" NODE(1, 1010, 9, "a") RUN(1, 1000, 20) NODE(1, 1510, 8, "a")
                    RUN(1, 1500, 20) NODE(1, 1840, 7, "a") RUN(1, 1830, 20) END,
            { { 5000, 1 }, { 5100, 1 }, { 5500, 1 }, { 5830, 1 } },
            "1/1: 1 depth 0 5010000+9000\n"
            "3/1: 1 depth 0 5510000+8000\n"
            "4/1: 1 depth 0 5840000+7000\n" },
    { "the last is not in the file",
            "[\n" NODE(1, 1010, 9, "a") RUN(1, 1000, 20) END,
            { { 5000, 1 }, { 6000, 1 } }, "1/1: 1 depth 0 5010000+9000\n" },
    { "we know fewer",
            "[\n" NODE(1, 1010, 9, "a") RUN(1, 1000, 20) NODE(1, 9010, 8, "a")
                    RUN(1, 9000, 20) NODE(1, 29010, 7, "a") RUN(1, 29000, 20)
                            END,
            { { 5000, 1 }, { 33000, 1 } },
            "1/1: 1 depth 0 5010000+9000\n"
            "2/1: 1 depth 0 33010000+7000\n" },
    { "we do not know the first",
            "[\n" NODE(1, 1010, 9, "a") RUN(1, 1000, 20) NODE(1, 29010, 8, "a")
                    RUN(1, 29000, 20) NODE(1, 39510, 7, "a") RUN(1, 39500, 20)
                            END,
            { { 33000, 1 }, { 43500, 1 } },
            "1/1: 1 depth 0 33010000+8000\n"
            "2/1: 1 depth 0 43510000+7000\n" },
    { "two that may be the same",
            "[\n" NODE(1, 1010, 9, "a") RUN(1, 1000, 20) NODE(1, 1110, 8, "a")
                    RUN(1, 1100, 20) END,
            { { 5000, 1 } }, "1/1: 1 depth 0 5010000+9000\n" },
    { "we know none", "[\n" NODE(1, 1010, 9, "a") RUN(1, 1000, 20) END,
            { { 0, 0 } }, "" },
    /* RunAsync: called by one thread, run by another. */
    { "another thread than ours",
            "[\n" NODE(9, 1010, 9, "a") RUN(9, 1000, 20) END, { { 5000, 1 } },
            "1/9: 1 depth 0 5010000+9000\n" },
    { "cut before the second run's end",
            "[\n" NODE(1, 1010, 9, "a") RUN(1, 1000, 20)
                    NODE(1, 1510, 8, "a") "{\"cat\" : \"Session\",\"pid\"",
            { { 5000, 1 }, { 5500, 1 } }, "1/1: 1 depth 0 5010000+9000\n" },
    { "no node in any run", "[\n" RUN(1, 1000, 20) NODE(1, 2000, 20, "a") END,
            { { 5000, 1 } }, "" },
    { "what is no node",
            "[\n" EVENT("Node", 1, 1001, 1, "a_fence_before", "")
                    EVENT("Session", 1, 1002, 9, "SequentialExecutor::Execute",
                            "") EVENT("Kernel", 1, 1003, 1, "gemm", "")
                            RUN(1, 1000, 20) END,
            { { 5000, 1 } }, "" },
    { "nothing", "", { { 5000, 1 } }, "" },
    { "no profile", "hello\n", { { 5000, 1 } }, "" },
};

/* --- which nodes they are --------------------------------------------------
 */

#define WITH(ts, args) EVENT("Node", 1, ts, 1, "n_kernel_time", args)
#define CONV(ts, index, inputs)                                 \
    WITH(ts, "\"op_name\" : \"Conv\",\"node_index\" : \"" index \
             "\",\"input_type_shape\" : [{\"float\":[" inputs "]}]")

static void names(void)
{
    static const struct known one = { 5000, 1 };

    read_pieces("[\n" WITH(1001,
                        "\"op_name\" : \"Conv\",\"provider\" : \"CPU\","
                        "\"node_index\" : \"7\",\"activation_size\" : \"1\","
                        "\"parameter_size\" : \"2\",\"output_size\" : \"3\","
                        "\"input_type_shape\" : [{\"float\":[1,3]}],"
                        "\"output_type_shape\" : [{\"float\":[9]}]")
            /* Other inputs, another place in the graph, the same again. */
            CONV(1002, "7", "2,3") CONV(1003, "8", "2,3") CONV(1004, "7", "2,3")
            /* Nothing is told of it; a size alone is not all three. */
            WITH(1005, "\"activation_size\" : \"1\"") RUN(1, 1000, 20) END,
            &one, 1, 100000);
    RAN("found 1 of 8: n Conv CPU [{\"float\":[1,3]}] [{\"float\":[9]}] at 7"
        " sizes 1 2 3\n"
        "found 2 of 8: n Conv - [{\"float\":[2,3]}] - at 7\n"
        "found 3 of 8: n Conv - [{\"float\":[2,3]}] - at 8\n"
        "found 4 of 8: n - - - -\n"
        "1/1: 1 depth 0 5001000+1000\n"
        "1/1: 2 depth 0 5002000+1000\n"
        "1/1: 3 depth 0 5003000+1000\n"
        "1/1: 2 depth 0 5004000+1000\n"
        "1/1: 4 depth 0 5005000+1000\n");
}

/* --- absurd -----------------------------------------------------------------
 */

static void absurd(void)
{
    static const struct known late[] = { { UINT64_MAX / 1000, 1 },
        { INT64_MAX / 1000, 1 }, { 0, 1 } };
    struct burst_runs runs = { 0 };

    check_runs("times beyond all times",
            "[\n" NODE(1, 2305843009213690, 2305843009213690, "a")
                    RUN(1, 2305843009213690, 2305843009213690) END,
            late, 3, "3/1: 1 depth 0 0+2305843009213690000\n");
    for (uint64_t i = 0; i < 5000; i++)
        bursts_add(&runs, &(struct burst_run){ i, i, 1 });
    CHECK_INT(runs.count, 4096);
    bursts_release(&runs);
    CHECK_INT(runs.count, 0);
}

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++) {
        size_t known = 0;

        while (known < LEN(cases[i].known) && cases[i].known[known].thread)
            known++;
        check_runs(cases[i].name, cases[i].profile, cases[i].known, known,
                cases[i].want);
    }
    names();
    absurd();
    buf_release(&ran);
    return test_result();
}
