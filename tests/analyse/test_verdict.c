#include "analyse/verdict/judging.h"
#include "analyse/verdict/verdict.h"

#include "base/compiler.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* The matter is ln 1.02 = 0.0198. */
static void test_rule(void)
{
    static const struct {
        struct interval at;
        enum verdict want;
    } cases[] = {
        { { 0, -.019, .019 }, VERDICT_SAME },
        { { .015, .01, .0197 }, VERDICT_SAME }, /* a change, but no matter */
        { { .03, .001, .06 }, VERDICT_WORSE },
        { { .0199, .001, .04 }, VERDICT_WORSE },
        { { .019, .001, .04 }, VERDICT_CANNOT_TELL },
        { { .05, -.001, .1 }, VERDICT_CANNOT_TELL },
        { { -.03, -.06, -.001 }, VERDICT_BETTER },
        { { -.019, -.04, -.001 }, VERDICT_CANNOT_TELL },
        { { 0, -.02, .02 }, VERDICT_CANNOT_TELL },
        { { NAN, NAN, NAN }, VERDICT_CANNOT_TELL },
    };

    for (size_t i = 0; i < LEN(cases); i++)
        CHECK_INT(verdict_of(&cases[i].at, VERDICT_LEAST), cases[i].want);
    CHECK_INT(verdict_turned(VERDICT_WORSE), VERDICT_BETTER);
    CHECK_INT(verdict_turned(VERDICT_BETTER), VERDICT_WORSE);
    CHECK_INT(verdict_turned(VERDICT_SAME), VERDICT_SAME);
    CHECK(strcmp(verdict_name(VERDICT_CANNOT_TELL), "cannot_tell") == 0);
    CHECK(strcmp(verdict_words(VERDICT_CANNOT_TELL), "cannot tell") == 0);
    CHECK(strcmp(verdict_words(VERDICT_REFUSED), "refused") == 0);
}

/* Memory and joules: one number a run, by the same rule; each with a least of
 * its own, and only of several runs. */
static void test_hungrier(void)
{
    static const struct {
        enum judged_figure figure;
        double more;
        size_t runs;
        enum verdict want;
    } cases[] = {
        { JUDGED_MEMORY, .03, 12, VERDICT_WORSE },
        { JUDGED_MEMORY, -.03, 12, VERDICT_BETTER },
        { JUDGED_MEMORY, .003, 12, VERDICT_SAME },
        { JUDGED_GROWTH, .05, 12, VERDICT_WORSE },
        { JUDGED_JOULES, .2, 12, VERDICT_WORSE },
        { JUDGED_JOULES, .03, 12, VERDICT_SAME }, /* below 10 % */
        { JUDGED_TOKEN_JOULES, -.2, 12, VERDICT_BETTER },
        { JUDGED_JOULES, .2, 4, VERDICT_CANNOT_TELL },
        { JUDGED_MEMORY, .2, 1, VERDICT_CANNOT_TELL },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct judged_run runs[2][12] = { { { .count = 0 } } };
        enum judged_figure figure = cases[i].figure;
        struct judged_change c;

        for (size_t k = 0; k < cases[i].runs; k++)
            for (size_t side = 0; side < 2; side++) {
                struct judged_run *r = &runs[side][k];

                r->started_ns = 2 * k + side;
                r->value[figure] = (100 + .02 * (double)(k * 7 % 12)) *
                                   (side ? 1 + cases[i].more : 1);
            }
        judge_change(&c, figure,
                &(struct judged_side){ runs[0], cases[i].runs },
                &(struct judged_side){ runs[1], cases[i].runs },
                &(struct judged_side){ NULL, 0 }, 0);
        CHECK_INT(c.verdict, cases[i].want);
        CHECK_INT(c.before_runs, cases[i].runs);
        if (cases[i].runs < JUDGING_RUNS)
            CHECK(c.because && strcmp(c.because, "too few runs") == 0);
        else
            CHECK(fabs(expm1(c.interval.middle) - cases[i].more) < .005);
    }
}

/* Four of mean 0.05 and standard deviation 0.001: 14.479 * 0.001 / 2. */
static void test_pairs(void)
{
    static const double d[] = { .049, .051, .0495, .0505 };
    struct interval i;
    double reach = 14.479 * sqrt(2.5e-6 / 3) / 2;

    CHECK_INT(verdict_of_pairs(&i, d, 3, .02), VERDICT_CANNOT_TELL);
    CHECK(isnan(i.middle) && isnan(i.low) && isnan(i.high));
    CHECK_INT(verdict_of_pairs(&i, d, 4, .02), VERDICT_WORSE);
    CHECK(fabs(i.middle - .05) < 1e-12 && fabs(i.low - .05 + reach) < 1e-12 &&
            fabs(i.high - .05 - reach) < 1e-12);
    CHECK_INT(verdict_of_pairs(NULL, d, 4, .1), VERDICT_SAME);
}

/* One far off spoils the mean, and not the signs: eleven of twelve above 0 are
 * too few, twelve are enough. */
static void test_signs(void)
{
    double d[VERDICT_PAIRS_MAX + 2];
    struct interval i;

    for (size_t k = 0; k < LEN(d); k++)
        d[k] = .05 + .0001 * (double)k;
    d[2] = 9;
    CHECK_INT(verdict_of_pairs(&i, d, 11, .02), VERDICT_CANNOT_TELL);
    CHECK_INT(verdict_of_pairs(&i, d, 12, .02), VERDICT_WORSE);
    CHECK(fabs(i.low - .05) < 1e-12 && fabs(i.high - 9) < 1e-12);
    d[5] = -.01;
    CHECK_INT(verdict_of_pairs(&i, d, 12, .02), VERDICT_CANNOT_TELL);
    CHECK_INT(verdict_of_pairs(&i, d, 16, .02), VERDICT_WORSE);
    /* Where there are more than can be judged, the first are. */
    CHECK_INT(verdict_of_pairs(&i, d, LEN(d), .02), VERDICT_WORSE);
    CHECK_INT(verdict_of_pairs(&i, d, 0, .02), VERDICT_CANNOT_TELL);
}

int main(void)
{
    test_rule();
    test_hungrier();
    test_pairs();
    test_signs();
    return test_result();
}
