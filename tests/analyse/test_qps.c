/* test_qps.c -- when requests of an open loop are meant to start, and what
 * follows for their latency. */
#include "analyse/line_fit.h"
#include "analyse/schedule.h"
#include "analyse/spread.h"
#include "base/compiler.h"
#include "test.h"

#include <math.h>

static void check_moments(void)
{
    static const struct {
        double per_s;
        uint64_t n;
        uint64_t after_ns;
    } cases[] = {
        { 1, 0, 0 },
        { 1, 7, UINT64_C(7000000000) },
        { 1000, 1, 1000000 },
        { 3, 1, 333333333 },
        { 3, 2, 666666667 },
        { 3, 3, 1000000000 },
        { 0.1, 3, UINT64_C(30000000000) },
        /* A day later nothing has drifted. */
        { 3, 3 * 86400, UINT64_C(86400000000000) },
        { 1e6, UINT64_C(86400000000), UINT64_C(86400000000000) },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct request_schedule s = { 12345, cases[i].per_s };

        CHECK_INT(schedule_moment(&s, cases[i].n) - s.start_ns,
                cases[i].after_ns);
    }
}

static void check_counts(void)
{
    static const struct {
        double per_s;
        uint64_t duration_ns;
        uint64_t count;
    } cases[] = {
        { 100, 1000000000, 100 }, /* the 101st is due at its very end */
        { 100, 1000000001, 101 },
        { 3, 1000000000, 3 },
        { 30, 100000000, 3 },
        { 0.5, 1000000000, 1 }, /* one at the start */
        { 1e-9, 1, 1 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct request_schedule s = { 0, cases[i].per_s };

        CHECK_INT(schedule_count(&s, cases[i].duration_ns), cases[i].count);
    }
}

/* Requests of 1 ms at 100 a second, of which one takes a whole second: who
 * counts from the actual start sees one slow request in 1000.  But 110 more had
 * to wait, each 9 ms less than the one before it: 991 ms, 982 ms, and so on. */
static void check_stall(void)
{
    struct request_schedule s = { 0, 100 };
    struct spread service = { 0 }, response = { 0 };
    struct spread_figures f;
    uint64_t free_ns = 0;

    for (uint64_t n = 0; n < 1000; n++) {
        uint64_t meant_ns = schedule_moment(&s, n);
        uint64_t start_ns = meant_ns > free_ns ? meant_ns : free_ns;

        free_ns = start_ns + (n == 500 ? 1000000000 : 1000000);
        spread_add(&service, free_ns - start_ns);
        spread_add(&response, free_ns - meant_ns);
    }
    CHECK(spread_figures(&service, &f));
    CHECK_INT(f.p99, 1000000);
    CHECK_INT(f.max, 1000000000);
    CHECK(spread_figures(&response, &f));
    CHECK_INT(f.p50, 1000000);
    CHECK_INT(f.p90, 100000000);
    CHECK_INT(f.p99, 910000000);
    CHECK_INT(f.max, 1000000000);
    spread_release(&service);
    spread_release(&response);
}

static void check_line(void)
{
    struct line_point exact[] = { { 1, 13 }, { 2, 16 }, { 1024, 3082 } };
    struct line_point rough[] = { { 1, 13 }, { 2, 16 }, { 4, 22 },
        { 1024, 3390 } }; /* a tenth too much */
    struct line_point same[] = { { 4, 1 }, { 4, 2 }, { 4, 3 } };
    struct line_fit f;

    CHECK(line_fit(&f, exact, LEN(exact)));
    CHECK(fabs(f.fixed - 10) < 1e-6);
    CHECK(fabs(f.each - 3) < 1e-9);
    CHECK(f.error < 1e-9);
    /* The small batches keep their say. */
    CHECK(line_fit(&f, rough, LEN(rough)));
    CHECK(fabs(f.fixed - 10) < 0.5);
    CHECK(f.each > 3 && f.each < 3.31);
    CHECK(f.error > 0.001 && f.error < 0.05);
    CHECK(!line_fit(&f, same, LEN(same)));
    CHECK(!line_fit(&f, exact, 2));
    CHECK(!line_fit(&f, exact, 0));
}

int main(void)
{
    check_moments();
    check_counts();
    check_stall();
    check_line();
    return test_result();
}
