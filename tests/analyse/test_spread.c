#include "analyse/spread.h"

#include "base/compiler.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* The nearest rank, in whole numbers. */
static double at_permille(const uint64_t *sorted, size_t count, size_t permille)
{
    size_t rank = (permille * count + 999) / 1000;

    return (double)sorted[rank ? rank - 1 : 0];
}

/* All figures once more, in two passes and long doubles. */
static struct spread_figures expect(const uint64_t *values, size_t count)
{
    uint64_t *sorted = malloc(count * sizeof(*sorted));
    long double sum = 0, squares = 0, steps = 0;

    memcpy(sorted, values, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), by_value);
    for (size_t i = 0; i < count; i++)
        sum += values[i];

    long double mean = sum / count;

    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    for (size_t i = 1; i < count; i++)
        steps += fabsl((long double)values[i] - (long double)values[i - 1]);

    struct spread_figures f = {
        .count = count,
        .mean = (double)mean,
        .median =
                ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]) /
                2,
        .min = (double)sorted[0],
        .max = (double)sorted[count - 1],
        .stddev = count > 1 ? (double)sqrtl(squares / (count - 1)) : 0,
        .jitter = count > 1 ? (double)(steps / (count - 1)) : 0,
        .p50 = ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]) /
               2,
        .p90 = at_permille(sorted, count, 900),
        .p95 = at_permille(sorted, count, 950),
        .p99 = at_permille(sorted, count, 990),
        .p99_9 = at_permille(sorted, count, 999),
    };

    free(sorted);
    return f;
}

static bool near(double got, double want, double relative)
{
    return fabs(got - want) <= relative * fabs(want);
}

#define CHECK_NEAR(name, relative)                                        \
    do {                                                                  \
        if (!near(got.name, want.name, relative)) {                       \
            test_failures++;                                              \
            (void)fprintf(stderr, "%zu values: %s is %.17g, not %.17g\n", \
                    count, #name, got.name, want.name);                   \
        }                                                                 \
    } while (0)

static void check(const uint64_t *values, size_t count)
{
    struct spread s = { 0 };
    struct spread_figures got = { 0 };
    struct spread_figures want = expect(values, count);
    double percentiles = count > SPREAD_EXACT ? HIST_RELATIVE_ERROR : 0;

    for (size_t i = 0; i < count; i++)
        spread_add(&s, values[i]);
    CHECK(spread_figures(&s, &got));
    CHECK_INT(got.count, count);
    CHECK_NEAR(mean, 1e-12);
    CHECK_NEAR(stddev, 1e-9);
    CHECK_NEAR(jitter, 1e-12);
    CHECK_NEAR(min, 0);
    CHECK_NEAR(max, 0);
    CHECK_NEAR(median, percentiles);
    CHECK_NEAR(p50, percentiles);
    if (count >= SPREAD_PERCENTILES_LEAST) {
        CHECK_NEAR(p90, percentiles);
        CHECK_NEAR(p95, percentiles);
        CHECK_NEAR(p99, percentiles);
    } else {
        CHECK(isnan(got.p90) && isnan(got.p95) && isnan(got.p99));
    }
    if (count >= SPREAD_P99_9_LEAST)
        CHECK_NEAR(p99_9, percentiles);
    else
        CHECK(isnan(got.p99_9));
    CHECK(got.relative_error == percentiles);
    spread_release(&s);
    CHECK(!s.kept && !s.hist && !s.count);
}

static void nothing(void)
{
    struct spread s = { 0 };
    struct spread_figures f = { .count = 77 };

    CHECK(!spread_figures(&s, &f));
    CHECK_INT(f.count, 77); /* untouched */
    spread_release(&s);
}

static void by_hand(void)
{
    static const struct {
        size_t count;
        uint64_t values[8];
    } cases[] = {
        { 1, { 0 } },
        { 1, { 5 } },
        { 2, { 5, 1 } },
        { 3, { 9, 9, 9 } },
        { 4, { 4, 3, 2, 1 } },
        { 5, { 0, 0, 0, 0, 1000000007 } },
        { 3, { UINT64_C(1) << 60, 0, UINT64_C(1) << 60 } },
        /* Small differences of great numbers, where sums of squares fail. */
        { 4, { 1000000000000004, 1000000000000007, 1000000000000013,
                     1000000000000016 } },
    };

    for (size_t i = 0; i < LEN(cases); i++)
        check(cases[i].values, cases[i].count);
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

/* Durations of some 100 us with a long tail, as they come. */
static uint64_t *durations(size_t count)
{
    uint64_t *v = malloc(count * sizeof(*v));
    uint64_t state = count;

    for (size_t i = 0; i < count; i++) {
        v[i] = 100000 + random_next(&state) % 10007;
        if (random_next(&state) % 101 == 0)
            v[i] *= 1 + random_next(&state) % 50;
    }
    return v;
}

/* Every count for which a share of it can be a whole rank, or just not. */
static void every_rank(void)
{
    uint64_t v[3001];

    for (size_t i = 0; i < LEN(v); i++)
        v[i] = 1 + i * 7919 % LEN(v);
    for (size_t count = 1; count <= LEN(v); count++)
        check(v, count);
}

static void many(void)
{
    static const size_t counts[] = { 9973, SPREAD_EXACT - 1, SPREAD_EXACT,
        SPREAD_EXACT + 1, SPREAD_EXACT + 100003 };

    for (size_t i = 0; i < LEN(counts); i++) {
        uint64_t *v = durations(counts[i]);

        check(v, counts[i]);
        free(v);
    }
}

int main(void)
{
    nothing();
    by_hand();
    every_rank();
    many();
    return test_result();
}
