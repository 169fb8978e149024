#include "energy/carbon.h"

#include "test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static bool near(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fabs(want);
}

/* By hand: 7.2 MJ are 2 kWh. */
static void three_regions(void)
{
    static const struct {
        const char *asked, *name;
        double grams, cost; /* at 0.30 for a kWh */
    } want[] = {
        { "DE", "Germany", 684.2, 0.60 },
        { "fra", "France", 88.4, 0.60 },
        { "United States", "United States", 767.2, 0.60 },
    };
    struct carbon_grid g;
    struct error e = { 0 };

    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        CHECK_INT(carbon_region(&g, want[i].asked, &e), 0);
        CHECK(strcmp(g.name, want[i].name) == 0);
        CHECK_INT(g.year, 2024);
        CHECK(strstr(g.source, "Ember") && strstr(g.source, "CC BY-SA"));
        CHECK(near(carbon_grams(7.2e6, 1, &g), want[i].grams));
        CHECK(near(carbon_grams(7.2e6, 1.5, &g), 1.5 * want[i].grams));
        CHECK(near(carbon_cost(7.2e6, 1, 0.30), want[i].cost));
    }
    CHECK_INT(carbon_region(&g, "is", &e), 0);
    CHECK_INT(g.year, 2023);
    CHECK_INT(carbon_region(&g, "world", &e), 0);
    CHECK(near(g.grams_per_kwh, 472.9));
    g = carbon_given(20);
    CHECK(near(carbon_grams(3.6e6, 1, &g), 20));
}

static void unknown(void)
{
    struct carbon_grid g;
    struct error e = { 0 };

    CHECK_INT(carbon_region(&g, "Germny", &e), -ENOENT);
    CHECK(strstr(e.text, "'Germny'") && strstr(e.text, "Germany (DE)"));
    CHECK_INT(carbon_region(&g, "Swi", &e), -ENOENT);
    CHECK(strstr(e.text, "Switzerland (CH)") != NULL);
    CHECK_INT(carbon_region(&g, "", &e), -ENOENT);
    CHECK_INT(carbon_region(&g, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                      &e),
            -ENOENT);
}

/* The table has each code once. */
static void table(void)
{
    for (size_t i = 0; i < region_count; i++) {
        CHECK(region_table[i].grams_per_kwh > 10);
        CHECK(region_table[i].grams_per_kwh < 1000);
        for (size_t j = 0; j < i; j++)
            CHECK(!region_table[i].code[0] ||
                    strcmp(region_table[i].code, region_table[j].code) != 0);
    }
    CHECK(region_count > 80);
}

/* The example of the specification: 1000 kg over four years, for an hour. */
static void sci(void)
{
    struct carbon_sci s =
            carbon_sci(&(struct carbon_sci_input){ .operational_grams = 10,
                    .embodied_grams = 1e6,
                    .used_s = 3600,
                    .lifespan_s = 4 * 365.25 * 86400,
                    .share = 1,
                    .units = 100 });

    CHECK(s.complete);
    CHECK(fabs(s.embodied_grams - 28.5) < 0.1);
    CHECK(near(s.grams_per_unit, (10 + s.embodied_grams) / 100));
    s = carbon_sci(
            &(struct carbon_sci_input){ .operational_grams = 10, .units = 5 });
    CHECK(!s.complete && near(s.grams_per_unit, 2));
}

int main(void)
{
    three_regions();
    unknown();
    table();
    sci();
    return test_result();
}
