#include "analyse/generation.h"

#include "base/compiler.h"
#include "test.h"

#include <math.h>

#define MS 1000000

/* Of session 1, thread 1, one text at a time, unless a case says more. */
struct step {
    enum phase phase;
    uint64_t start_ms, duration_ms;
    uint32_t past;
    uint32_t thread, session;
    uint32_t batch;
};

#define STEP(kind, start, duration, ...)                                 \
    {                                                                    \
        .phase = (kind), .start_ms = (start), .duration_ms = (duration), \
        .past = __VA_ARGS__                                              \
    }
#define OTHER(start, duration) STEP(PHASE_OTHER, start, duration, 0)
#define PREFILL(start, duration, ...) \
    STEP(PHASE_PREFILL, start, duration, __VA_ARGS__)
#define DECODE(start, duration, ...) \
    STEP(PHASE_DECODE, start, duration, __VA_ARGS__)

static const struct {
    const char *name;
    struct step steps[10];
    struct summary_tokens want; /* times in ms */
} cases[] = {
    { "nothing", { { 0 } }, { 0 } },
    { "no text at all", { OTHER(0, 5), OTHER(5, 5) }, { 0 } },
    { "decode without prefill", { DECODE(0, 5, 8), DECODE(5, 5, 9) }, { 0 } },
    { "a prompt alone", { PREFILL(10, 30, 0) },
            { .generations = 1, .count = 1, .ttft_ns = 30, .busy_ns = 30 } },
    { "a prompt and three more",
            { PREFILL(10, 30, 0), DECODE(45, 5, 7), DECODE(55, 5, 8),
                    DECODE(65, 5, 9) },
            { 1, 4, 30, 3, 10, 60 } },
    { "a prompt in three parts",
            { PREFILL(0, 10, 0), PREFILL(10, 10, 512), PREFILL(20, 20, 1024),
                    DECODE(45, 5, 1100) },
            { 1, 2, 40, 1, 10, 50 } },
    { "two texts, one after the other",
            { PREFILL(0, 10, 0), DECODE(10, 10, 5), PREFILL(100, 30, 0),
                    DECODE(130, 20, 5), DECODE(150, 20, 6) },
            { 2, 5, 20, 3, 50.0 / 3, 90 } },
    { "a second question with the first one's past",
            { PREFILL(0, 10, 0), DECODE(10, 10, 5), PREFILL(100, 30, 6),
                    DECODE(130, 20, 9) },
            { 2, 4, 20, 2, 15, 70 } },
    { "prompts only, as a model without a cache has them",
            { PREFILL(0, 10, 0), PREFILL(10, 20, 0), PREFILL(30, 30, 0) },
            { .generations = 3, .count = 3, .ttft_ns = 20, .busy_ns = 60 } },
    { "four texts at once",
            { PREFILL(0, 20, 0, .batch = 4), DECODE(20, 10, 9, .batch = 4),
                    DECODE(30, 10, 10, .batch = 4) },
            { 1, 12, 20, 8, 10, 40 } },
    { "two threads between each other",
            { PREFILL(0, 10, 0, .thread = 7), PREFILL(5, 15, 0, .thread = 8),
                    DECODE(10, 15, 3, .thread = 7),
                    DECODE(20, 10, 3, .thread = 8),
                    DECODE(25, 15, 4, .thread = 7) },
            { 2, 5, 12.5, 3, 40.0 / 3, 65 } },
    { "two sessions on one thread",
            { PREFILL(0, 10, 0), PREFILL(10, 10, 0, .session = 2),
                    DECODE(20, 10, 3), DECODE(30, 10, 3, .session = 2),
                    DECODE(40, 10, 4) },
            { 2, 5, 10, 3, 20, 80 } },
    { "runs that are neither, in between",
            { PREFILL(0, 10, 0), OTHER(10, 500), DECODE(510, 10, 3) },
            { 1, 2, 10, 1, 510, 520 } },
    /* From a callback on another thread: told late, ended early. */
    { "not quite in the order of their ends",
            { PREFILL(0, 10, 0), DECODE(5, 20, 4), DECODE(8, 1, 3) },
            { 1, 3, 10, 2, 7.5, 25 } },
    { "a later part that ends before the first began",
            { PREFILL(50, 10, 0), PREFILL(10, 5, 9) },
            { .generations = 1, .count = 1, .ttft_ns = 10, .busy_ns = 10 } },
};

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

static void check(size_t n)
{
    const struct summary_tokens *want = &cases[n].want;
    struct generations *g = generations_new();
    struct summary_tokens got;

    for (size_t i = 0; i < LEN(cases[n].steps); i++) {
        const struct step *s = &cases[n].steps[i];

        if (!s->duration_ms)
            break;
        generations_add(g, &(struct inference){
                                   .session = s->session ? s->session : 1,
                                   .thread = s->thread ? s->thread : 1,
                                   .phase = (uint8_t)s->phase,
                                   .flags = s->batch ? FLAG_SHAPE : 0,
                                   .batch = s->batch,
                                   .start_ns = s->start_ms * MS,
                                   .duration_ns = s->duration_ms * MS,
                                   .past = s->past,
                           });
    }
    generations_finish(g, &got);
    if (got.generations != want->generations || got.count != want->count ||
            got.later != want->later ||
            !near(got.ttft_ns, want->ttft_ns * MS) ||
            !near(got.tpot_ns, want->tpot_ns * MS) ||
            !near(got.busy_ns, want->busy_ns * MS)) {
        test_failures++;
        (void)fprintf(stderr,
                "%s: %u generations, %u tokens, %u later, ttft %g, tpot %g, "
                "busy %g\n",
                cases[n].name, (unsigned)got.generations, (unsigned)got.count,
                (unsigned)got.later, got.ttft_ns, got.tpot_ns, got.busy_ns);
    }
}

/* As many as there are threads, in a server that makes one for each. */
static void many_threads(void)
{
    struct generations *g = generations_new();
    struct summary_tokens got;

    for (uint32_t i = 0; i < 10007; i++)
        generations_add(g, &(struct inference){ .session = 1,
                                   .thread = i,
                                   .phase = PHASE_PREFILL,
                                   .duration_ns = 3 });
    generations_finish(g, &got);
    CHECK_INT(got.generations, 10007);
    CHECK_INT(got.count, 10007);
    CHECK(got.ttft_ns == 3);
}

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++)
        check(i);
    many_threads();
    return test_result();
}
