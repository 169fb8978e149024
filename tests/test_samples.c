#include "ort/samples.h"

#include "base/compiler.h"
#include "ran.h"

static struct samples samples;
static struct texts texts;
static uint32_t next_id;

static void fresh(void)
{
    samples_release(&samples);
    texts_release(&texts);
    next_id = 0;
}

#define TAKE(...) samples_take(&samples, &(struct record){ __VA_ARGS__ })

static void text(uint64_t name, const char *s)
{
    struct record r = { .kind = RECORD_TEXT,
        .text = { .hash = name, .len = (uint32_t)strlen(s) } };

    memcpy(r.text.bytes, s, strlen(s));
    CHECK(texts_take(&texts, &r));
}

/* A node ran for 10 ns more than its kernel, as ONNX Runtime says. */
static void ran_one(uint32_t sample, uint32_t thread, uint64_t id,
        uint16_t level, uint64_t kernel_ns, uint16_t streams)
{
    CHECK(TAKE(.kind = RECORD_OPERATOR_RUN, .operator_run = { .id = id,
                                                    .start = 1000 + id,
                                                    .raw_ns = kernel_ns + 10,
                                                    .kernel = kernel_ns,
                                                    .sample = sample,
                                                    .thread = thread,
                                                    .level = level,
                                                    .streams = streams }));
}

static void end_sample(uint32_t sample, uint32_t session, uint64_t inference)
{
    samples_close(&samples,
            &(struct sample_place){ sample, session, inference, 1000 }, &texts,
            &next_id, &ran_sink);
}

/* --- what is known of an operator ----------------------------------------- */

static void descriptions(void)
{
    fresh();
    text(1, "Conv_0");
    text(2, "Conv");
    text(3, "CPU");
    text(4, "[in]");
    text(5, "[out]");
    CHECK(TAKE(.kind = RECORD_OPERATOR,
            .operator_found = { 77, 12, 1, 2, 3, 4, 5 }));
    CHECK(TAKE(.kind = RECORD_OPERATOR_SIZES,
            .operator_sizes = { 77, 100, 0, 300 }));
    /* No sizes, no index, a text that never came. */
    CHECK(TAKE(.kind = RECORD_OPERATOR,
            .operator_found = { 78, UINT32_MAX, 1, 9, 0, 0, 0 }));
    RAN("");
    ran_one(1, 5, 77, 2, 40, 2);
    ran_one(1, 5, 78, 2, 50, 2);
    ran_one(1, 5, 77, 2, 60, 2);
    ran_one(1, 5, 79, 2, 70, 2); /* of which nothing was told */
    end_sample(1, 3, 9);
    RAN("found 1 of 3: Conv_0 Conv CPU [in] [out] at 12 sizes 100 0 300\n"
        "9/5: 1 depth 0 77+50 40!\n"
        "found 2 of 3: Conv_0 - - - -\n"
        "9/5: 2 depth 0 78+60 50!\n"
        "9/5: 1 depth 0 77+70 60!\n"
        "found 3 of 3: - - - - -\n"
        "9/5: 3 depth 0 79+80 70!\n");

    /* Told once for a session, whatever its address was before. */
    ran_one(2, 5, 77, 2, 1, 2);
    end_sample(2, 3, 10);
    RAN("10/5: 1 depth 0 77+11 1!\n");
    ran_one(3, 5, 77, 2, 1, 2);
    end_sample(3, 4, 11);
    RAN("found 4 of 4: Conv_0 Conv CPU [in] [out] at 12 sizes 100 0 300\n"
        "11/5: 4 depth 0 77+11 1!\n");
    CHECK_INT(next_id, 4);
}

static void nonsense(void)
{
    fresh();
    CHECK(!TAKE(.kind = RECORD_RUN));
    CHECK(!TAKE(.kind = 255));
    CHECK(!TAKE(.kind = RECORD_OPERATOR_SIZES)); /* of nothing */
    end_sample(1, 1, 1);
    RAN("");
    /* It cannot begin before the run of the program. */
    CHECK(TAKE(.kind = RECORD_OPERATOR_RUN,
            .operator_run = { .start = 3, .raw_ns = 4, .sample = 1 }));
    end_sample(1, 1, 1);
    RAN("found 1 of 1: - - - - -\n1/0: 1 depth 0 0+4\n");
    end_sample(1, 1, 1); /* it was moved out */
    RAN("");
}

/* --- how deep ------------------------------------------------------------- */

/* Inner ones come first, as they end. */
static const struct {
    const char *name;
    size_t count;
    struct {
        uint32_t thread;
        uint16_t level;
        uint32_t depth;
    } run[10];
} nests[] = {
    { "flat", 3, { { 1, 3, 0 }, { 1, 3, 0 }, { 1, 3, 0 } } },
    { "If, and one on either side", 5,
            { { 1, 3, 0 }, { 1, 5, 1 }, { 1, 5, 1 }, { 1, 3, 0 },
                    { 1, 3, 0 } } },
    { "Loop within If", 6,
            { { 1, 4, 1 }, { 1, 6, 2 }, { 1, 6, 2 }, { 1, 4, 1 }, { 1, 4, 1 },
                    { 1, 2, 0 } } },
    { "two Ifs", 4, { { 1, 5, 1 }, { 1, 3, 0 }, { 1, 5, 1 }, { 1, 3, 0 } } },
    { "the outer one was lost", 3, { { 1, 5, 0 }, { 1, 5, 0 }, { 1, 5, 0 } } },
    { "an inner level was lost", 2, { { 1, 9, 1 }, { 1, 2, 0 } } },
    { "two threads", 5,
            { { 1, 5, 1 }, { 2, 3, 1 }, { 2, 3, 1 }, { 1, 3, 0 },
                    { 2, 1, 0 } } },
    { "an If on each of two threads", 4,
            { { 1, 5, 1 }, { 2, 5, 1 }, { 1, 3, 0 }, { 2, 3, 0 } } },
    { "absurd", 6,
            { { 1, 0, 0 }, { 1, UINT16_MAX, 1 }, { 1, 0, 0 },
                    { 1, UINT16_MAX, 1 }, { 1, UINT16_MAX - 1, 0 },
                    { 9, 0, 0 } } },
};

static uint32_t depths[4096];
static size_t depth_count;

static void keep_depth(void *context, const struct operator_run *r)
{
    (void)context;
    if (depth_count < LEN(depths))
        depths[depth_count++] = r->depth;
}

static void ignore(void *context, const struct operator* o)
{
    (void)context, (void)o;
}

static void close_for_depths(uint32_t sample)
{
    const struct samples_sink sink = { NULL, ignore, keep_depth };

    depth_count = 0;
    samples_close(&samples, &(struct sample_place){ sample, 1, 1, 0 }, &texts,
            &next_id, &sink);
}

static void nesting(void)
{
    fresh();
    for (size_t i = 0; i < LEN(nests); i++) {
        int before = test_failures;

        for (size_t k = 0; k < nests[i].count; k++)
            ran_one(1, nests[i].run[k].thread, k, nests[i].run[k].level, 1, 2);
        close_for_depths(1);
        CHECK_INT(depth_count, nests[i].count);
        for (size_t k = 0; k < nests[i].count; k++)
            CHECK_INT(depths[k], nests[i].run[k].depth);
        if (test_failures > before)
            (void)fprintf(stderr, "%s\n", nests[i].name);
    }
}

/* More levels and threads than are kept apart. */
static void very_deep(void)
{
    fresh();
    for (uint16_t i = 300; i-- > 0;)
        ran_one(1, 1, i, i, 1, 2);
    close_for_depths(1);
    CHECK_INT(depth_count, 300);
    CHECK_INT(depths[299], 0);
    CHECK_INT(depths[298], 1);
    CHECK_INT(depths[0], 64);
    for (uint32_t i = 0; i < 300; i++)
        ran_one(1, i, i, 1, 1, 2);
    close_for_depths(1);
    for (size_t i = 0; i < depth_count; i++)
        if (depths[i]) {
            CHECK_INT(depths[i], 0);
            break;
        }
}

/* --- which kernels were seen whole ---------------------------------------- */

static const struct {
    const char *name;
    size_t count;
    struct {
        uint16_t streams;
        uint64_t kernel_ns;
        bool believed;
    } run[6];
} votes[] = {
    { "all alike", 3, { { 2, 9, true }, { 2, 9, true }, { 2, 9, true } } },
    { "one made a stream of its own", 4,
            { { 5, 9, true }, { 6, 9, false }, { 5, 9, true },
                    { 5, 9, true } } },
    { "one was not seen", 3,
            { { 2, 9, true }, { 2, 0, false }, { 2, 9, true } } },
    { "none was described", 2, { { 0, 0, false }, { 0, 0, false } } },
    { "some were not", 3, { { 2, 9, true }, { 0, 0, false }, { 2, 9, true } } },
    { "most were not", 3,
            { { 2, 9, false }, { 0, 0, false }, { 0, 0, false } } },
    { "more than are counted", 2,
            { { 16, 9, false }, { UINT16_MAX, 9, false } } },
    { "few against one", 3,
            { { 2, 9, true }, { 40, 9, false }, { 40, 9, false } } },
    { "as many of each: the fewer streams", 2,
            { { 3, 9, false }, { 2, 9, true } } },
};

static bool believed[8];

static void keep_believed(void *context, const struct operator_run *r)
{
    (void)context;
    if (depth_count < LEN(believed))
        believed[depth_count++] = r->bracketed;
}

static void voting(void)
{
    const struct samples_sink sink = { NULL, ignore, keep_believed };

    fresh();
    for (size_t i = 0; i < LEN(votes); i++) {
        int before = test_failures;

        for (size_t k = 0; k < votes[i].count; k++)
            ran_one(1, 1, k, 1, votes[i].run[k].kernel_ns,
                    votes[i].run[k].streams);
        depth_count = 0;
        samples_close(&samples, &(struct sample_place){ 1, 1, 1, 0 }, &texts,
                &next_id, &sink);
        for (size_t k = 0; k < votes[i].count; k++)
            CHECK_INT(believed[k], votes[i].run[k].believed);
        if (test_failures > before)
            (void)fprintf(stderr, "%s\n", votes[i].name);
    }
}

/* --- several at a time ---------------------------------------------------- */

static void interleaved(void)
{
    fresh();
    ran_one(7, 1, 1, 4, 9, 2);
    ran_one(8, 2, 1, 2, 9, 2);
    ran_one(9, 3, 1, 2, 9, 2); /* its end is never told */
    ran_one(7, 1, 2, 2, 9, 2);
    ran_one(8, 2, 2, 2, 9, 2);
    ran_one(7, 3, 3, 2, 9, 2); /* on another thread, in the same sample */
    end_sample(8, 1, 5);
    RAN("found 1 of 1: - - - - -\n"
        "5/2: 1 depth 0 1+19 9!\n"
        "found 2 of 1: - - - - -\n"
        "5/2: 2 depth 0 2+19 9!\n");
    end_sample(7, 1, 6);
    RAN("6/1: 1 depth 1 1+19 9!\n"
        "6/1: 2 depth 0 2+19 9!\n"
        "found 3 of 1: - - - - -\n"
        "6/3: 3 depth 0 3+19 9!\n");
    end_sample(7, 1, 6);
    RAN("");
    CHECK_INT(samples.count, 1);
}

/* A process that sends without end is not followed for ever. */
static void without_end(void)
{
    size_t taken = 0;

    fresh();
    for (uint64_t i = 1; i <= 1100000; i++)
        taken += TAKE(.kind = RECORD_OPERATOR, .operator_found = { .id = i });
    CHECK_INT(taken, 1 << 20);
    CHECK(TAKE(.kind = RECORD_OPERATOR, .operator_found = { .id = 5 }));
    fresh();
}

/* Kernels that were timed themselves are believed, however many streams were
 * made; those that nothing described have no figure of ONNX Runtime's. */
static void kernels_themselves(void)
{
    fresh();
    ran_one(1, 1, 5, 1, 20, 2);
    ran_one(1, 1, 5, 1, 20, 2);
    CHECK(TAKE(.kind = RECORD_OPERATOR_RUN, .flags = FLAG_KERNEL,
            .operator_run = { .id = 6,
                    .start = 1006,
                    .raw_ns = 40,
                    .kernel = 30,
                    .sample = 1,
                    .thread = 1,
                    .level = 1,
                    .streams = 7 }));
    CHECK(TAKE(.kind = RECORD_OPERATOR_RUN, .flags = FLAG_TIMED,
            .operator_run = { .id = 5,
                    .start = 1005,
                    .kernel = 12,
                    .sample = 1,
                    .thread = 1,
                    .level = 1 }));
    end_sample(1, 1, 3);
    RAN("found 1 of 1: - - - - -\n"
        "3/1: 1 depth 0 5+30 20!\n"
        "3/1: 1 depth 0 5+30 20!\n"
        "found 2 of 1: - - - - -\n"
        "3/1: 2 depth 0 6+40 30!\n"
        "3/1: 1 depth 0 5+0 alone 12!\n");
}

int main(void)
{
    descriptions();
    nonsense();
    nesting();
    very_deep();
    voting();
    kernels_themselves();
    interleaved();
    without_end();
    fresh();
    buf_release(&ran);
    return test_result();
}
