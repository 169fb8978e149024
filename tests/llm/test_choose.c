#include "llm/choose.h"
#include "test.h"

#include <math.h>

static const float logits[] = { 1, 3, 2, -1 };

static uint32_t choose(const struct choice_rules *r, uint64_t seed)
{
    struct choice_state s = { .random = seed };
    struct ids seen = { 0 };
    struct choice c = { 0 };

    ids_add(&seen, 1);
    CHECK(choose_token(&c, &s, r, logits, 4, &seen));
    ids_release(&seen);
    choice_state_release(&s);
    return c.id;
}

/* Which of the four are ever drawn, as bits. */
static unsigned drawn(struct choice_rules r)
{
    unsigned bits = 0;

    for (uint64_t seed = 0; seed < 2000; seed++)
        bits |= 1u << choose(&r, seed);
    return bits;
}

int main(void)
{
    struct choice_rules greedy = { .greedy = true, .repetition_penalty = 1 };
    struct choice_rules all = { .temperature = 1,
        .top_p = 1,
        .repetition_penalty = 1 };
    struct choice_rules r = all;
    struct choice_state s = { 0 };
    struct choice c;
    float broken[] = { 1, NAN };

    CHECK_INT(choose(&greedy, 0), 1);
    greedy.repetition_penalty = 2; /* 3 / 2 is less than 2 */
    CHECK_INT(choose(&greedy, 0), 2);
    CHECK_INT(drawn(all), 15);
    r.top_k = 2;
    CHECK_INT(drawn(r), 6);
    r = all;
    r.top_p = 0.7; /* the best has 0.66, so the second is needed */
    CHECK_INT(drawn(r), 6);
    r.top_p = 0.6;
    CHECK_INT(drawn(r), 2);
    r = all;
    r.min_p = 0.1; /* e^-2 is 0.135, e^-4 is less */
    CHECK_INT(drawn(r), 7);
    CHECK(!choose_token(&c, &s, &all, broken, 2, &(struct ids){ 0 }));
    CHECK(choose_token(&c, &s, &all, logits, 1, &(struct ids){ 0 }));
    CHECK(fabs(c.probability - 1) < 1e-12);
    choice_state_release(&s);
    return test_result();
}
