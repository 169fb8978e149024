#include "analyse/finding/causes.h"
#include "analyse/finding/slow.h"

#include "base/compiler.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CASES 4000
#define MS    1000000.

static uint64_t ns[CASES];
static struct cause_case cases[CASES];
static bool hog[CASES], always[CASES], chance[CASES];
static uint64_t state;

static double random_next(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(state >> 33) / (double)(UINT64_C(1) << 31);
}

/* Inferences of 1 ms, give or take 3 %, that become a third slower on the way,
 * with two speeds if wanted; and a hog in bursts of 20, which slows a third of
 * those in it. */
static void make(bool modes, bool hogged, uint64_t seed)
{
    uint64_t now = 0;

    state = seed;
    for (int i = 0; i < CASES; i++) {
        double t = MS * (0.97 + 0.06 * random_next()) * (1 + i / (3. * CASES));

        hog[i] = i % 200 >= 180;
        always[i] = true;
        chance[i] = random_next() < 0.1;
        if (modes && random_next() < 0.2)
            t *= 1.3;
        if (hogged && hog[i] && random_next() < 0.35)
            t *= 3;
        ns[i] = (uint64_t)t;
        cases[i] = (struct cause_case){ .start_ns = now, .duration_ns = ns[i] };
        now += ns[i];
    }
}

static size_t find_slow(void)
{
    struct slow s;

    slow_find(&s, ns, CASES);
    for (size_t i = 0; i < s.count; i++) {
        struct cause_case *c = &cases[s.items[i].index];

        c->slow = true;
        c->excess_ns = (double)c->duration_ns - s.items[i].expected_ns;
        CHECK(i == 0 || s.items[i].index > s.items[i - 1].index);
    }
    CHECK(s.count ? s.least_ratio >= 1.25 : isnan(s.least_ratio));
    free(s.items);
    return s.count;
}

/* Drift, noise and a second speed are not slow; the hogged ones are, all of
 * them and no other. */
static void slow_ones(void)
{
    struct slow s;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        make(false, false, seed);
        CHECK_INT(find_slow(), 0);
        make(true, false, seed);
        CHECK_INT(find_slow(), 0);
        make(false, true, seed);
        CHECK(find_slow() > 50);
        for (int i = 0; i < CASES; i++)
            CHECK_INT(cases[i].slow, (double)ns[i] > 2.5 * MS);
    }
    slow_find(&s, ns, SLOW_LEAST - 1);
    CHECK_INT(s.count, 0);
}

static void what_they_share(void)
{
    const struct cause causes[] = {
        { "always", always, false },
        { "chance", chance, false },
        { "hog", hog, true },
    };
    struct cause_found found[LEN(causes)];
    size_t by_chance = 0;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        make(false, true, seed);

        size_t slow = find_slow();
        size_t count = causes_find(found, cases, CASES, causes, LEN(causes));

        CHECK(count >= 1);
        CHECK_INT(found[0].cause, 2);
        CHECK_INT(found[0].slow, slow); /* it is there in all of them */
        CHECK(found[0].share > 0.5 && found[0].share <= 1);
        CHECK(found[0].others > 0 && found[0].others < 0.5);
        CHECK(fabs(found[0].effect_ns - 2.3 * MS) < 0.3 * MS);
        for (size_t i = 1; i < count; i++)
            by_chance += found[i].cause == 1;
        CHECK(count == 1 || found[1].cause != 0);
    }
    CHECK(by_chance <= 1);
}

/* Fewer than three, and none at all. */
static void too_few(void)
{
    const struct cause causes[] = { { "hog", hog, true } };
    struct cause_found found[1];

    make(false, false, 3);
    CHECK_INT(causes_find(found, cases, CASES, causes, 1), 0);
    cases[185].slow = cases[186].slow = true;
    cases[185].excess_ns = cases[186].excess_ns = MS;
    CHECK_INT(causes_find(found, cases, CASES, causes, 1), 0);
    CHECK_INT(causes_find(found, cases, 0, causes, 1), 0);
}

int main(void)
{
    slow_ones();
    what_they_share();
    too_few();
    return test_result();
}
