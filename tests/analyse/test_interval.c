/* The expected numbers were made apart from our code: limits of ranks and signs
 * in Python's whole numbers and fractions, by the recursion
 * N(m,n,u) = N(m-1,n,u-n) + N(m,n-1,u); Student's by Simpson's rule over its
 * density in 200,000 steps; percentiles by numpy 2.2 (quantile, var ddof=1). */
#include "analyse/verdict/interval.h"

#include "base/compiler.h"
#include "base/sort.h"
#include "test.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static bool near(double got, double want, double part)
{
    if (fabs(got - want) <= part * fabs(want))
        return true;
    (void)fprintf(stderr, "%.17g, not %.17g\n", got, want);
    return false;
}

static void test_rank_limits(void)
{
    static const struct {
        size_t before, after;
        int mixed, apart;
    } cases[] = {
        { 4, 4, -1, -1 },
        { 5, 5, 0, -1 },
        { 6, 5, 1, -1 },
        { 6, 6, 2, -1 },
        { 8, 8, 7, 2 },
        { 12, 12, 27, 17 },
        { 16, 16, 60, 43 },
        { 20, 20, 105, 81 },
        { 24, 24, 164, 132 },
        { 5, 12, 6, 1 },
        { 12, 5, 6, 1 },
        { 7, 9, 7, 2 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        CHECK_INT(interval_rank_limit(cases[i].before, cases[i].after,
                          INTERVAL_MIXED),
                cases[i].mixed);
        CHECK_INT(interval_rank_limit(cases[i].before, cases[i].after,
                          INTERVAL_APART),
                cases[i].apart);
    }
}

/* Of five a side the limit is 0: all differences count, from least to most. */
static void test_ranks(void)
{
    static const double before[] = { 1, 2, 3, 4, 5 };
    static const double after[] = { 3.25, 1.25, 2.25, 5.25, 4.25 };
    struct interval i;

    CHECK(interval_ranks(&i, before, 5, after, 5, INTERVAL_MIXED));
    CHECK(near(i.middle, 0.25, 1e-12) && near(i.low, -3.75, 1e-12) &&
            near(i.high, 4.25, 1e-12));
    CHECK(!interval_ranks(&i, before, 5, after, 5, INTERVAL_APART));
    CHECK(!interval_ranks(&i, before, 4, after, 5, INTERVAL_APART));
    CHECK(!interval_ranks(&i, before, 0, after, 5, INTERVAL_MIXED));
}

/* Inferences between 100 and 110 us, and stretches that are 1.3 times slower.
 */
static void make_series(double *out, size_t count)
{
    uint32_t x = 12345;

    for (size_t i = 0; i < count; i++) {
        x = (x * UINT32_C(1103515245) + 12345) & INT32_MAX;
        out[i] = log(100000 * (1 + 0.1 * x / 2147483648.0) *
                     (i / 40 % 5 == 0 ? 1.3 : 1));
    }
}

static void test_quantiles(void)
{
    enum { N = 2000 };
    static double y[N], sorted[N];
    static const struct {
        double share, middle, low, high, effective;
    } cases[] = {
        { .1, 11.525745622832876, 11.522568878708718, 11.528177233800164,
                1449.1525423728815 },
        { .5, 11.573584451328562, 11.56412641679046, 11.583250631952627,
                304.68248877485564 },
        { .95, 11.848390178628964, 11.833973500666996, 11.865053669490552,
                312.2837370242217 },
        { .99, 11.86612231800664, 11.861798958525657, 11.870339214204224,
                696.6666666666661 },
    };

    make_series(y, N);
    memcpy(sorted, y, sizeof(sorted));
    sort_doubles(sorted, N);
    for (size_t i = 0; i < LEN(cases); i++) {
        struct interval_quantile q;

        CHECK(interval_quantile(&q, y, sorted, N, cases[i].share));
        CHECK(near(q.at.middle, cases[i].middle, 1e-12));
        CHECK(near(q.at.low, cases[i].low, 1e-12));
        CHECK(near(q.at.high, cases[i].high, 1e-12));
        CHECK(near(q.effective, cases[i].effective, 1e-9));
        CHECK(near(q.error, (cases[i].high - cases[i].low) / 5.722, 1e-9));
    }
}

/* Too few of them, or too few beyond the percentile. */
static void test_too_few(void)
{
    static double y[400], sorted[400];
    struct interval_quantile q;

    make_series(y, 400);
    memcpy(sorted, y, sizeof(sorted));
    sort_doubles(sorted, 400);
    CHECK(!interval_quantile(&q, y, sorted, 400, .99));
    CHECK(interval_quantile(&q, y, sorted, 400, .1));
    memcpy(sorted, y, sizeof(sorted));
    sort_doubles(sorted, 199);
    CHECK(!interval_quantile(&q, y, sorted, 199, .5));
    CHECK(q.at.middle > 11.5);
    CHECK(!interval_quantile(&q, y, sorted, 0, .5));
}

static void test_two_runs(void)
{
    struct interval_quantile a = { .at.middle = 1, .error = 3 / 2.861 };
    struct interval_quantile b = { .at.middle = 1.5, .error = 4 / 2.861 };
    struct interval i = interval_of_two(&a, &b, 8);

    CHECK(near(i.middle, .5, 1e-12) && near(i.low, .5 - 13, 1e-12) &&
            near(i.high, .5 + 13, 1e-12)); /* 3, 4, 12: 13 */
}

static void test_student(void)
{
    static const struct {
        double t, freedom, chance;
    } cases[] = {
        { 2.861, 19, 0.009998567863703567 },
        { 1, 1, 0.5 },
        { 2, 3.5, 0.12613852257590485 },
        { 14.479, 3, 0.0007142448375240251 },
        { 5, 40, 1.1840065665569277e-05 },
        { .5, 7, 0.6324071356892802 },
        { 0, 7, 1 },
    };
    static const double before[] = { 10.1, 10.3, 9.9, 10, 10.2 };
    static const double after[] = { 10.4, 10.6, 10.5, 10.9 };

    for (size_t i = 0; i < LEN(cases); i++)
        CHECK(near(interval_student(cases[i].t, cases[i].freedom),
                cases[i].chance, 1e-7));
    CHECK(near(interval_student_limit(.0025 / 7, 3), 14.478720640, 1e-8));
    CHECK(near(interval_student_limit(.0025 / 7, 29), 3.785314739, 1e-8));
    CHECK(near(interval_welch(before, 5, after, 4), 0.010173326205754507,
            1e-8));
    CHECK(near(interval_welch(before, 1, after, 4), 1, 0));
    CHECK(near(interval_welch(before, 1, before, 1), 1, 0));
}

/* By hand: 0.05 of 5 allows 0.01, 0.02, 0.03, ...; the third is the last that
 * is within, and takes those before it along. */
static void test_discoveries(void)
{
    static const double chances[] = { .5, .029, .001, .025, .9 };
    static const bool want[] = { false, true, true, true, false };
    bool found[5];

    interval_discoveries(found, chances, 5, .05);
    CHECK(memcmp(found, want, sizeof(want)) == 0);
    interval_discoveries(found, chances, 1, .05);
    CHECK(!found[0]);
    interval_discoveries(found, chances, 0, .05);
}

int main(void)
{
    test_rank_limits();
    test_ranks();
    test_quantiles();
    test_too_few();
    test_two_runs();
    test_student();
    test_discoveries();
    return test_result();
}
