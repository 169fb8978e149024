#include "analyse/counting.h"

#include "test.h"

static struct inference make(uint32_t session, uint16_t flags, uint64_t ns)
{
    return (struct inference){ .session = session,
        .flags = flags,
        .duration_ns = ns };
}

static void add(struct counting *c, uint32_t session, uint16_t flags,
        uint64_t ns, int times)
{
    struct inference i = make(session, flags, ns);

    for (int n = 0; n < times; n++)
        counting_add(c, &i);
}

static enum counted how(const struct counting *c, uint32_t session,
        uint16_t flags)
{
    struct inference i = make(session, flags, 1);

    return counting_of(c, &i);
}

/* Tracing takes 500 ns of an inference: of 100 us that is half a percent, of
 * 10 us five. */
static void test_rule(void)
{
    struct counting *c = counting_new();

    add(c, 1, FLAG_TRACED, 100000, 5);
    add(c, 1, FLAG_FAILED, 1, 5);
    add(c, 2, FLAG_TRACED, 10000, 5);
    add(c, 2, 0, 10000, COUNTING_OTHERS - 1);
    counting_cost(c,
            &(struct traced_sum){ .session = 1, .count = 10, .cost_ns = 5000 });
    counting_share(c, 2, 1);
    CHECK_INT(how(c, 1, FLAG_TRACED), COUNTED);
    CHECK_INT(how(c, 1, FLAG_TRACED | FLAG_STATS), LEFT_OUT);
    CHECK_INT(how(c, 1, 0), COUNTED);
    /* One too few to leave any out. */
    CHECK_INT(how(c, 2, FLAG_TRACED), COUNTED_MARKED);
    CHECK_INT(counting_session(c, 2).marked, 5);
    add(c, 2, 0, 10000, 1);
    CHECK_INT(how(c, 2, FLAG_TRACED), LEFT_OUT);

    struct counting_session x = counting_session(c, 2);

    CHECK_INT(x.plain, COUNTING_OTHERS);
    CHECK_INT(x.traced, 5);
    CHECK_INT(x.left_out, 5);
    CHECK_INT(x.marked, 0);
    CHECK(x.first_traced);
    CHECK(x.cost_known && x.cost_ns == 500);
    CHECK_INT(counting_session(c, 1).traced, 5);
    CHECK_INT(counting_session(c, 1).left_out, 0);
    counting_free(c);
}

/* Of an imported profile the cost is not known; of a session that nobody knows
 * nothing is. */
static void test_unknown(void)
{
    struct counting *c = counting_new();

    add(c, 1, FLAG_TRACED, 1000000, 3);
    CHECK_INT(how(c, 1, FLAG_TRACED), COUNTED_MARKED);
    CHECK(!counting_session(c, 1).cost_known);
    add(c, 1, 0, 1000000, COUNTING_OTHERS);
    CHECK_INT(how(c, 1, FLAG_TRACED), LEFT_OUT);
    CHECK_INT(how(c, 9, FLAG_TRACED), COUNTED_MARKED);
    CHECK_INT(counting_session(c, 9).traced, 0);
    counting_free(c);
}

/* Prefill and decode each have what they cost. */
static void test_phases(void)
{
    struct counting *c = counting_new();
    struct inference decode = make(1, FLAG_TRACED, 10000);
    struct inference prefill = decode;

    decode.phase = PHASE_DECODE;
    prefill.phase = PHASE_PREFILL;
    counting_add(c, &decode);
    counting_add(c, &prefill);
    counting_cost(c, &(struct traced_sum){ .session = 1,
                             .phase = PHASE_DECODE,
                             .count = 1,
                             .cost_ns = 50 });
    counting_cost(c, &(struct traced_sum){ .session = 1,
                             .phase = PHASE_PREFILL,
                             .count = 1,
                             .cost_ns = 150 });
    CHECK_INT(counting_of(c, &decode), COUNTED);
    CHECK_INT(counting_of(c, &prefill), COUNTED_MARKED);
    CHECK_INT(counting_session(c, 1).marked, 1);
    counting_free(c);
}

/* All of a phase was traced: it does not vanish, though the session has others
 * enough; and what is left out of a phase is so in the session, too. */
static void test_whole_phase(void)
{
    struct counting *c = counting_new();
    struct inference prefill = make(1, FLAG_TRACED, 10000);
    struct inference decode = make(1, FLAG_TRACED, 10000);
    struct inference plain = make(1, 0, 10000);

    prefill.phase = PHASE_PREFILL;
    decode.phase = plain.phase = PHASE_DECODE;
    for (int i = 0; i < 8; i++)
        counting_add(c, &prefill);
    counting_add(c, &decode);
    for (int i = 0; i < COUNTING_OTHERS; i++)
        counting_add(c, &plain);
    CHECK_INT(counting_of(c, &prefill), COUNTED_MARKED);
    CHECK_INT(counting_of(c, &decode), LEFT_OUT);
    CHECK_INT(counting_session(c, 1).marked, 8);
    CHECK_INT(counting_session(c, 1).left_out, 1);
    counting_free(c);
}

/* Tokens: the same rule, of either kind. */
static void test_tokens(void)
{
    struct counting *c = counting_new();

    counting_add_tokens(c, TOKEN_NEXT, UNTOUCHED, COUNTING_OTHERS);
    counting_add_tokens(c, TOKEN_FIRST, UNTOUCHED, COUNTING_OTHERS - 1);
    counting_add_tokens(c, TOKEN_FIRST, SLOWED, 1);
    CHECK_INT(counting_token(c, TOKEN_NEXT, UNTOUCHED), COUNTED);
    CHECK_INT(counting_token(c, TOKEN_NEXT, SLOWED), LEFT_OUT);
    CHECK_INT(counting_token(c, TOKEN_FIRST, SLOWED), COUNTED_MARKED);
    CHECK_INT(counting_token(c, TOKEN_FIRST, LOOKED_AT), LEFT_OUT);
    counting_add_tokens(c, TOKEN_FIRST, UNTOUCHED, 1);
    CHECK_INT(counting_token(c, TOKEN_FIRST, SLOWED), LEFT_OUT);
    counting_free(c);
}

int main(void)
{
    test_rule();
    test_unknown();
    test_phases();
    test_whole_phase();
    test_tokens();
    return test_result();
}
