#include "model/follow.h"

#include "base/compiler.h"
#include "test.h"

#define MS 1000000

static struct inference step(enum phase phase, uint64_t start_ms,
        uint32_t sequence, uint32_t past)
{
    return (struct inference){ .session = 1,
        .process = 1,
        .thread = 1,
        .phase = (uint8_t)phase,
        .flags = FLAG_SEQUENCE | FLAG_PAST,
        .start_ns = start_ms * MS,
        .duration_ns = MS,
        .sequence = sequence,
        .past = past };
}

/* Two of one length in one thread, not in turn: the rows tell them apart. */
static void by_rows(void)
{
    struct follower *f = follower_new();
    const struct {
        uint32_t past, in, out, want;
    } steps[] = { { 0, 0, 11, 1 }, { 0, 0, 21, 2 }, { 5, 21, 22, 2 },
        { 6, 22, 23, 2 }, { 5, 11, 12, 1 }, { 7, 23, 24, 2 },
        { 6, 12, 13, 1 } };

    for (size_t n = 0; n < LEN(steps); n++) {
        struct inference i = step(steps[n].past ? PHASE_DECODE : PHASE_PREFILL,
                10 * n, steps[n].past ? 1 : 5, steps[n].past);
        struct passed p = { .in = steps[n].in, .out = { steps[n].out } };

        follower_take(f, &i, &p);
        CHECK_INT(i.generation, steps[n].want);
    }
    follower_free(f);
}

/* A buffer for each text, on whatever thread. */
static void by_place(void)
{
    struct follower *f = follower_new();

    for (uint32_t n = 0; n < 12; n++) {
        bool first = n < 3;
        struct inference i = step(first ? PHASE_PREFILL : PHASE_DECODE, 10 * n,
                first ? 4 : 1, first ? 0 : 3 + n / 3);
        struct passed p = { .in_at = 100 + n % 3, .out_at = 100 + n % 3 };

        i.thread = n;
        follower_take(f, &i, &p);
        CHECK_INT(i.generation, 1 + n % 3);
    }
    follower_free(f);
}

/* Further parts are prompt until a token was made, then they are drafts. */
static void phases(void)
{
    struct follower *f = follower_new();
    const struct {
        uint32_t sequence, past;
        enum phase phase;
        uint32_t generation;
    } steps[] = { { 8, 0, PHASE_PREFILL, 1 }, { 8, 8, PHASE_PREFILL, 1 },
        { 1, 16, PHASE_DECODE, 1 }, { 4, 17, PHASE_DECODE, 1 },
        { 4, 19, PHASE_DECODE, 1 }, { 40, 23, PHASE_PREFILL, 2 },
        { 1, 63, PHASE_DECODE, 2 } };

    for (size_t n = 0; n < LEN(steps); n++) {
        struct inference i =
                step(steps[n].sequence > 1 ? PHASE_PREFILL : PHASE_DECODE,
                        10 * n, steps[n].sequence, steps[n].past);

        follower_take(f, &i, NULL);
        CHECK_INT(i.phase, steps[n].phase);
        CHECK_INT(i.generation, steps[n].generation);
    }
    follower_free(f);
}

/* A decoder's first step is handed what an encoder made, on another thread. */
static void encoder(void)
{
    struct follower *f = follower_new();

    for (uint32_t n = 0; n < 2; n++) {
        struct inference i = step(PHASE_OTHER, 10 * n, 9, 0);
        struct passed p = { .flags = PASSED_STATES_OUT, .out = { 7 + n } };

        follower_take(f, &i, &p);
        CHECK_INT(i.generation, 0);
    }

    struct inference i = step(PHASE_PREFILL, 50, 1, 0);
    struct passed p = { .flags = PASSED_STATES_IN, .in = 7 };

    i.session = 2;
    i.thread = 9;
    follower_take(f, &i, &p);
    CHECK_INT(i.lead_ns, 50 * MS);
    CHECK_INT(i.generation, 1);
    follower_free(f);
}

/* Of a prompt that was not seen, or that failed, nothing is known. */
static void unseen(void)
{
    struct follower *f = follower_new();
    struct inference i = step(PHASE_DECODE, 0, 1, 9);

    follower_take(f, &i, NULL);
    CHECK_INT(i.generation, 0);
    i = step(PHASE_PREFILL, 10, 4, 0);
    i.flags |= FLAG_FAILED;
    follower_take(f, &i, NULL);
    CHECK_INT(i.generation, 0);
    follower_free(f);
}

/* More than there is room for: the newest go on. */
static void many(void)
{
    struct follower *f = follower_new();

    for (uint32_t n = 0; n < 3000; n++) {
        struct inference i = step(PHASE_PREFILL, 10 * n, 4, 0);

        i.thread = n;
        follower_take(f, &i, NULL);
    }

    struct inference i = step(PHASE_DECODE, 40000, 1, 4);

    i.thread = 2999;
    follower_take(f, &i, NULL);
    CHECK_INT(i.generation, 3000);
    follower_free(f);
}

int main(void)
{
    by_rows();
    by_place();
    phases();
    encoder();
    unseen();
    many();
    return test_result();
}
