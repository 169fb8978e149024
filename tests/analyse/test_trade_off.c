#include "analyse/trade_off.h"

#include "analyse/line_fit.h"
#include "base/compiler.h"
#include "test.h"

#include <math.h>

static void test_best(void)
{
    struct trade_off all[] = {
        { 100, 10, 3 }, /* the quickest */
        { 200, 15, 2 },
        { 250, 15, 1 },  /* beaten by the one before, but for its joules */
        { 300, 12, 4 },  /* beaten */
        { 400, 30, NAN } /* the most */
    };
    bool best[LEN(all)];

    trade_off_best(best, all, LEN(all)); /* joules do not count */
    CHECK(best[0] && best[1] && !best[2] && !best[3] && best[4]);
    all[4].joules = 5;
    trade_off_best(best, all, LEN(all));
    CHECK(best[0] && best[1] && best[2] && !best[3] && best[4]);
    CHECK_INT(trade_off_within(all, LEN(all), 250), 1);
    CHECK_INT(trade_off_within(all, LEN(all), 1000), 4);
    CHECK_INT(trade_off_within(all, LEN(all), 99), LEN(all));
    CHECK_INT(trade_off_thrifty(all, LEN(all)), 2);
    all[0].joules = all[1].joules = all[2].joules = NAN;
    CHECK_INT(trade_off_thrifty(all, 3), 3);
    CHECK_INT(trade_off_within(all, 0, 1), 0);
}

static bool near(double got, double want)
{
    return fabs(got - want) < 1e-6 * fabs(want);
}

/* The numbers are numpy's: weighted least squares by the normal equations, and
 * Student's 3.182446 for 3 degrees of freedom. */
static void test_line_interval(void)
{
    static const struct line_point points[] = { { 1, 150 }, { 2, 240 },
        { 4, 455 }, { 8, 830 }, { 16, 1660 } };
    struct line_fit f;

    CHECK(line_fit(&f, points, LEN(points)));
    CHECK(near(f.fixed, 48.65146595) && near(f.each, 99.28775195));
    CHECK(near(f.fixed_low, 34.540254853) && near(f.fixed_high, 62.762677054));
    CHECK(near(f.each_low, 93.274707930) && near(f.each_high, 105.300795966));
    CHECK(near(f.error, 0.019674449746));
}

int main(void)
{
    test_best();
    test_line_interval();
    return test_result();
}
