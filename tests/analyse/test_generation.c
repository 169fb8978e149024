#include "analyse/generation/generation.h"

#include "base/compiler.h"
#include "test.h"

#include <math.h>

#define MS 1000000

/* Of session 1, thread 1, one text at a time, unless a case says more. */
struct step {
    enum phase phase;
    uint64_t start_ms, duration_ms;
    uint32_t past;
    uint32_t sequence; /* 0: 1 */
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
    struct step steps[12];
    struct want { /* times in ms */
        uint64_t generations, count;
        double ttft_ns;
        uint64_t later;
        double tpot_ns, busy_ns;
    } want;
} cases[] = {
    { "nothing", { { 0 } }, { 0 } },
    { "no text at all", { OTHER(0, 5), OTHER(5, 5) }, { 0 } },
    { "decode without prefill", { DECODE(0, 5, 8), DECODE(5, 5, 9) }, { 0 } },
    { "a prompt alone", { PREFILL(10, 30, 0) },
            { .generations = 1, .count = 1, .ttft_ns = 30, .busy_ns = 30 } },
    { "a prompt and three more",
            { PREFILL(10, 30, 0, .sequence = 7), DECODE(45, 5, 7),
                    DECODE(55, 5, 8), DECODE(65, 5, 9) },
            { 1, 4, 30, 3, 10, 60 } },
    { "a prompt in three parts",
            { PREFILL(0, 10, 0, .sequence = 512),
                    PREFILL(10, 10, 512, .sequence = 512),
                    PREFILL(20, 20, 1024, .sequence = 76),
                    DECODE(45, 5, 1100) },
            { 1, 2, 40, 1, 10, 50 } },
    { "two texts, one after the other",
            { PREFILL(0, 10, 0, .sequence = 5), DECODE(10, 10, 5),
                    PREFILL(100, 30, 0, .sequence = 5), DECODE(130, 20, 5),
                    DECODE(150, 20, 6) },
            { 2, 5, 20, 3, 50.0 / 3, 90 } },
    { "a long second question with the first one's past",
            { PREFILL(0, 10, 0, .sequence = 5), DECODE(10, 10, 5),
                    PREFILL(100, 30, 6, .sequence = 40), DECODE(130, 20, 46) },
            { 2, 4, 20, 2, 15, 70 } },
    { "drafts: what the cache has grown by, and at the end nobody knows",
            { PREFILL(0, 10, 0, .sequence = 5), DECODE(10, 10, 5),
                    PREFILL(20, 12, 6, .sequence = 4),
                    PREFILL(32, 10, 9, .sequence = 4),
                    PREFILL(42, 10, 10, .sequence = 4) },
            { 1, 7, 10, 6, 32.0 / 5, 52 } },
    { "drafts from the first step on: the cache that is cut shows them",
            { PREFILL(0, 10, 0, .sequence = 9),
                    PREFILL(10, 10, 9, .sequence = 4),
                    PREFILL(20, 10, 11, .sequence = 4), DECODE(30, 10, 13) },
            { 1, 4, 20, 3, 20.0 / 3, 40 } },
    { "prompts only, as a model without a cache has them",
            { PREFILL(0, 10, 0), PREFILL(10, 20, 0), PREFILL(30, 30, 0) },
            { .generations = 3, .count = 3, .ttft_ns = 20, .busy_ns = 60 } },
    { "four texts at once",
            { PREFILL(0, 20, 0, .sequence = 9, .batch = 4),
                    DECODE(20, 10, 9, .batch = 4),
                    DECODE(30, 10, 10, .batch = 4) },
            { 1, 12, 20, 8, 10, 40 } },
    { "two threads between each other: busy for as long as one is",
            { PREFILL(0, 10, 0, .sequence = 3, .thread = 7),
                    PREFILL(5, 15, 0, .sequence = 3, .thread = 8),
                    DECODE(10, 15, 3, .thread = 7),
                    DECODE(20, 10, 3, .thread = 8),
                    DECODE(25, 15, 4, .thread = 7) },
            { 2, 5, 12.5, 3, 40.0 / 3, 40 } },
    { "one thread, two texts in turn: by the length of their caches",
            { PREFILL(0, 10, 0, .sequence = 3),
                    PREFILL(10, 10, 0, .sequence = 20), DECODE(20, 10, 3),
                    DECODE(30, 10, 20), DECODE(40, 10, 4), DECODE(50, 10, 21) },
            { 2, 6, 10, 4, 20, 60 } },
    { "one thread, two texts of one length in turn",
            { PREFILL(0, 10, 0, .sequence = 3),
                    PREFILL(10, 10, 0, .sequence = 3), DECODE(20, 10, 3),
                    DECODE(30, 10, 3), DECODE(40, 10, 4), DECODE(50, 10, 4) },
            { 2, 6, 10, 4, 20, 60 } },
    { "other threads at each step, as in a pool of them",
            { PREFILL(0, 10, 0, .sequence = 3, .thread = 1),
                    DECODE(10, 10, 3, .thread = 2),
                    DECODE(20, 10, 4, .thread = 3) },
            { 1, 3, 10, 2, 10, 30 } },
    { "two sessions on one thread",
            { PREFILL(0, 10, 0, .sequence = 3),
                    PREFILL(10, 10, 0, .sequence = 3, .session = 2),
                    DECODE(20, 10, 3), DECODE(30, 10, 3, .session = 2),
                    DECODE(40, 10, 4) },
            { 2, 5, 10, 3, 20, 50 } },
    { "a model for the prompt, another for the rest",
            { PREFILL(0, 10, 0, .sequence = 3), DECODE(10, 10, 3, .session = 2),
                    DECODE(20, 10, 4, .session = 2) },
            { 1, 3, 10, 2, 10, 30 } },
    { "runs that are neither, in between",
            { PREFILL(0, 10, 0, .sequence = 3), OTHER(10, 500),
                    DECODE(510, 10, 3) },
            { 1, 2, 10, 1, 510, 520 } },
    { "a step that began before the other ended is of another text",
            { PREFILL(0, 10, 0, .sequence = 3), DECODE(5, 20, 3) },
            { .generations = 1, .count = 1, .ttft_ns = 10, .busy_ns = 10 } },
};

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

static void check(size_t n)
{
    const struct want *want = &cases[n].want;
    struct generations *g = generations_new(NULL);
    struct summary_tokens got;

    for (size_t i = 0; i < LEN(cases[n].steps); i++) {
        const struct step *s = &cases[n].steps[i];

        if (!s->duration_ms)
            break;
        (void)generations_add(g,
                &(struct inference){
                        .session = s->session ? s->session : 1,
                        .thread = s->thread ? s->thread : 1,
                        .phase = (uint8_t)s->phase,
                        .flags = (uint16_t)(FLAG_PAST | FLAG_SEQUENCE |
                                            (s->batch ? FLAG_SHAPE : 0)),
                        .sequence = s->sequence ? s->sequence : 1,
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
    struct generations *g = generations_new(NULL);
    struct summary_tokens got;

    for (uint32_t i = 0; i < 10007; i++)
        (void)generations_add(g, &(struct inference){ .session = 1,
                                         .thread = i,
                                         .phase = PHASE_PREFILL,
                                         .duration_ns = 3 });
    generations_finish(g, &got);
    CHECK_INT(got.generations, 10007);
    CHECK_INT(got.count, 10007);
    CHECK(got.ttft_ns == 3);
}

/* A text of a prompt and one more token. */
static void add_text(struct generations *g, uint32_t n, uint16_t prompt,
        uint16_t step, uint64_t ns)
{
    struct inference i = { .session = 1,
        .generation = n + 1,
        .phase = PHASE_PREFILL,
        .flags = prompt,
        .start_ns = (uint64_t)n * MS,
        .duration_ns = ns };

    (void)generations_add(g, &i);
    i.phase = PHASE_DECODE;
    i.flags = step;
    i.start_ns += ns;
    (void)generations_add(g, &i);
}

/* What tracing slowed is in no time to the first token, nor in that of a
 * further one, where others are there; one too few, and it is, and is counted.
 */
static void slowed(void)
{
    for (uint32_t others = COUNTING_OTHERS - 1; others <= COUNTING_OTHERS;
            others++) {
        bool enough = others == COUNTING_OTHERS;
        struct counting *c = counting_new();
        struct generations *g = generations_new(c);
        struct summary_tokens got;

        for (uint32_t i = 0; i < others; i++)
            add_text(g, i, 0, 0, 100);
        add_text(g, others, FLAG_TRACED, FLAG_TRACED, 9000);
        add_text(g, others + 1, FLAG_STATS, 0, 100);
        generations_finish(g, &got);
        counting_free(c);
        CHECK_INT(got.generations, others + 2);
        CHECK_INT(got.ttft.count, enough ? others : others + 1);
        CHECK_INT(got.left_out[TOKEN_FIRST], enough ? 2 : 1);
        CHECK_INT(got.marked[TOKEN_FIRST], enough ? 0 : 1);
        CHECK((got.ttft_ns == 100) == enough);
    }
}

/* An encoder's inference that was traced is in the time to the first token. */
static void slowed_encoder(void)
{
    struct counting *c = counting_new();
    struct generations *g = generations_new(c);
    struct summary_tokens got;

    (void)generations_add(g, &(struct inference){ .session = 2,
                                     .flags = FLAG_TRACED,
                                     .start_ns = 500,
                                     .duration_ns = 100 });
    (void)generations_add(g, &(struct inference){ .session = 1,
                                     .generation = 1,
                                     .phase = PHASE_PREFILL,
                                     .start_ns = 700,
                                     .lead_ns = 200,
                                     .duration_ns = 100 });
    generations_finish(g, &got);
    counting_free(c);
    CHECK(got.ttft_ns == 300);
    CHECK_INT(got.marked[TOKEN_FIRST], 1);
}

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++)
        check(i);
    many_threads();
    slowed();
    slowed_encoder();
    return test_result();
}
