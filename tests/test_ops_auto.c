#include "fake_ops.h"

#define RUNS 10000

/* A program and what looking into it costs, in nanoseconds.  Its runs take
 * turns: `first` of one kind, `then` of the other. */
static const struct load {
    const char *name;
    uint32_t nodes;
    struct {
        uint64_t ns, cost_ns;
        int runs;
    } first, then;
    uint64_t after_ns; /* what the next run feels of it */
    bool fails;        /* runs of the first kind fail */
    /* How many must be looked into at least, and may at most. */
    int least, most;
} loads[] = {
    /* As measured: silero, PP-OCR's classifier and detector. */
    { "small", 57, { 98000, 337000, 1 }, { 0, 0, 0 }, 12000, false, 10, 40 },
    { "medium", 235, { 795000, 1400000, 1 }, { 0, 0, 0 }, 20000, false, 20,
            80 },
    { "large", 400, { 84000000, 6800000, 1 }, { 0, 0, 0 }, 0, false, 500,
            2000 },
    /* So cheap that it is not seen: still only every other one. */
    { "free", 10, { 50000000, 0, 1 }, { 0, 0, 0 }, 0, false, 1000, RUNS / 2 },
    /* Dear: with many threads, and a graph of which nothing is known. */
    { "threads", 235, { 1100000, 10000000, 1 }, { 0, 0, 0 }, 0, false, 1, 10 },
    { "unknown", 0, { 1000000, 30000000, 1 }, { 0, 0, 0 }, 0, false, 1, 3 },
    { "tiny", 300, { 2000, 1500000, 1 }, { 0, 0, 0 }, 0, false, 0, 0 },
    /* A prompt now and then, and between them short runs: looking into a short
     * one takes less than the mean of all. */
    { "decoder", 300, { 1000000000, 2400000, 1 }, { 10000000, 2400000, 50 }, 0,
            false, 100, 1500 },
    { "dear decoder", 300, { 1000000000, 40000000, 1 },
            { 10000000, 40000000, 10 }, 0, false, 10, 300 },
    /* Cheap for long, and then not. */
    { "change", 100, { 10000000, 10000, 9000 }, { 10000000, 8000000, 1000 }, 0,
            false, 100, 2000 },
    /* What fails costs all the same, and is no measure, however quick. */
    { "failing", 100, { 100000, 800000, 1 }, { 50000000, 800000, 3 }, 0, true,
            1000, 4000 },
};

static const struct load *now;

static void spend(void)
{
    const struct ort_api *api = fake_start("auto", 30);
    const struct library *lib = fake_library(api);
    const struct ort_session *s = (const void *)&lib; /* only its address */
    uint64_t all_ns = 0, spent_ns = 0, after_ns = 0;
    int looked = 0;

    ops_watch(s, now->nodes);
    for (int i = 0; i < RUNS; i++) {
        bool first = i % (now->first.runs + now->then.runs) < now->first.runs;
        uint64_t took_ns = first ? now->first.ns : now->then.ns;
        uint64_t cost_ns = after_ns;
        struct sample sample = ops_begin(lib, s, NULL, NULL, 0);
        struct record r = { .run = { .start = 5 } };

        after_ns = 0;
        if (sample.id) {
            looked++;
            cost_ns += first ? now->first.cost_ns : now->then.cost_ns;
            after_ns = now->after_ns;
        }
        if (first && now->fails)
            r.flags = FLAG_FAILED;
        r.run.end = 5 + took_ns + cost_ns;
        ops_end(lib, s, &sample, &r);
        CHECK_INT((r.flags & FLAG_SAMPLED) != 0, sample.id != 0);
        CHECK(i > 0 || !sample.id); /* what it is without is known first */
        all_ns += took_ns + cost_ns;
        spent_ns += cost_ns;
    }
    CHECK(spent_ns * 100 <= all_ns);
    CHECK(looked >= now->least);
    CHECK(looked <= now->most);
    if (test_failures)
        (void)fprintf(stderr, "%s: %d looked into, %.3f %% of the time\n",
                now->name, looked, 100.0 * (double)spent_ns / (double)all_ns);
}

int main(void)
{
    for (now = loads; now < loads + sizeof(loads) / sizeof(*loads); now++)
        apart(spend);
    return test_result();
}
