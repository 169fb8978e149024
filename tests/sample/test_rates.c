/* test_rates.c -- the budget holds, whatever the load does. */
#include "sample/rates.h"

#include "base/compiler.h"
#include "test.h"

#include <string.h>

#define SECOND UINT64_C(1000000000)

/* Samplers that want to be read `hz` times a second, at a cost for each read
 * and one for just being awake. */
struct load {
    double hz, read_ns, idle_share;
};

/* A machine that reads as often as it is told: so long, from so much debt.
 * Returns the share of a core that it took. */
static double live(struct rates_control *c, const struct load *l,
        unsigned seconds)
{
    double spent = 0, passed = 0;

    while (passed < seconds * 1e9) {
        double share = l->hz * c->scale * l->read_ns / 1e9 + l->idle_share;
        double stretch = 1e9;

        /* As soon as a second's budget is spent, it is judged. */
        if (share > c->budget)
            stretch = c->budget * 1e9 / share;
        CHECK(rates_control_ripe(c, (uint64_t)stretch + 1,
                (uint64_t)(share * stretch) + 1));
        (void)rates_control_take(c, (uint64_t)stretch,
                (uint64_t)(share * stretch));
        spent += share * stretch;
        passed += stretch;
    }
    return spent / passed;
}

static void check_steady(void)
{
    static const struct {
        struct load load;
        double budget, least_scale;
    } cases[] = {
        /* Well within: nothing changes. */
        { { 100, 20e3, 0.001 }, 0.02, 1 },
        { { 1000, 10e3, 0.002 }, 0.02, 1 },
        /* Twice, ten times and a thousand times too much. */
        { { 1000, 40e3, 0.0 }, 0.02, 0.3 },
        { { 1000, 200e3, 0.0 }, 0.02, 0.06 },
        { { 1000, 20e6, 0.0 }, 0.02, 0.0006 },
        { { 100, 3.56e6, 0.0 }, 0.02, 0.03 },
        { { 100, 3.56e6, 0.0 }, 0.05, 0.08 },
        { { 100, 3.56e6, 0.0 }, 0.10, 0.16 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct rates_control c = { .budget = cases[i].budget, .scale = 1 };
        double share = live(&c, &cases[i].load, 120);

        CHECK(share <= cases[i].budget);
        CHECK(c.scale >= cases[i].least_scale);
        CHECK(c.scale <= 1);
    }
}

/* The load comes and goes: in the mean the budget holds, and the rates come
 * back. */
static void check_changing(void)
{
    struct rates_control c = { .budget = 0.02, .scale = 1 };
    struct load light = { 100, 20e3, 0.001 }, heavy = { 100, 5e6, 0.001 };
    double total = 0;
    int count = 0;

    for (int i = 0; i < 6; i++) {
        total += live(&c, &heavy, 60);
        CHECK(c.scale < 0.1);
        total += live(&c, &light, 60);
        CHECK(c.scale == 1);
        count += 2;
    }
    CHECK(total / count <= 0.02);
}

/* One read alone costs more than a second's budget: it is paid back. */
static void check_burst(void)
{
    struct rates_control c = { .budget = 0.01, .scale = 1 };
    double spent = 0;

    CHECK_INT(rates_control_take(&c, SECOND / 10, SECOND / 10), RATES_SLOWER);
    CHECK(c.scale < 0.1);
    CHECK(c.debt_ns > 0.09e9);
    for (int i = 0; i < 30; i++) {
        double share = 0.02 * c.scale;

        spent += share * 1e9;
        (void)rates_control_take(&c, SECOND, (uint64_t)(share * 1e9));
    }
    CHECK(spent + 0.1e9 <= 0.01 * 30.1e9);
}

static void check_limits(void)
{
    struct rates_control none = { .budget = 0, .scale = 1 };
    struct rates_control c = { .budget = 0.02, .scale = 1 };

    /* Without a budget nothing is ever changed. */
    CHECK(!rates_control_ripe(&none, 10 * SECOND, 10 * SECOND));
    CHECK_INT(rates_control_take(&none, SECOND, SECOND), RATES_KEEP);
    /* Not before a second has passed, or its budget is spent. */
    CHECK(!rates_control_ripe(&c, SECOND / 2, 1000));
    CHECK(rates_control_ripe(&c, SECOND / 2, SECOND / 50));
    CHECK(rates_control_ripe(&c, SECOND, 0));
    /* Time that stands still says nothing. */
    CHECK(!rates_control_ripe(&c, 0, SECOND));
    CHECK_INT(rates_control_take(&c, 0, SECOND), RATES_KEEP);
    CHECK(c.scale == 1 && c.debt_ns == 0);
    /* However long it stays too dear, the rate never becomes nothing. */
    for (int i = 0; i < 1000; i++)
        (void)rates_control_take(&c, SECOND, SECOND);
    CHECK(c.scale > 0);
}

static void check_words(void)
{
    struct rate_change slower = { 5, 1, 0.5, 0.04, 0.02 };
    struct rate_change faster = { 5, 0.5, 1, 0.004, 0.02 };
    char text[128];

    rate_change_reason(text, sizeof(text), &slower);
    CHECK(strcmp(text, "sampling cost 4.00 % of a core, and 2.00 % is "
                       "allowed") == 0);
    rate_change_reason(text, sizeof(text), &faster);
    CHECK(strcmp(text, "sampling cost only 0.40 % of a core of the 2.00 % "
                       "allowed") == 0);
    CHECK(strcmp(rates_profile_names[RATES_PRODUCTION], "production") == 0);
    CHECK(!rates_profile_names[RATES_PROFILES]);
    CHECK(rates_budget(RATES_DEVELOPMENT) == 0.10);
    CHECK(rates_budget(RATES_TESTING) == 0.05);
    CHECK(rates_budget(RATES_PRODUCTION) == 0.02);
}

int main(void)
{
    check_steady();
    check_changing();
    check_burst();
    check_limits();
    check_words();
    return test_result();
}
