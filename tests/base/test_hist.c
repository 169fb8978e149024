#include "base/alloc.h"
#include "base/hist.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 10007 /* a prime */

/* The same numbers on every machine: a linear congruential generator. */
static uint64_t chance(void)
{
    static uint64_t state = 1;

    state = state * UINT64_C(6364136223846793005) +
            UINT64_C(1442695040888963407);
    return state ^ (state >> 29);
}

static double share(void)
{
    return ((double)(chance() >> 11) + 0.5) / 9007199254740992.0;
}

static uint64_t uniform(size_t i)
{
    (void)i;
    return 1000 + chance() % 1000000;
}

static uint64_t exponential(size_t i)
{
    (void)i;
    return (uint64_t)(-log(share()) * 2e6);
}

static uint64_t outlier(size_t i)
{
    return i == 4711 ? UINT64_C(3600000000000) : 20000 + chance() % 7;
}

static uint64_t tiny(size_t i)
{
    (void)i;
    return chance() % 130;
}

static uint64_t constant(size_t i)
{
    (void)i;
    return 1234567;
}

static uint64_t every_size(size_t i)
{
    unsigned shift = chance() % 64;

    return i % 97 ? chance() >> shift : UINT64_MAX;
}

static uint64_t edges(size_t i)
{
    uint64_t power = UINT64_C(1) << i / 3 % 64;

    return power - 1 + i % 3; /* one below, at, one above */
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Every quantile of a thousand against the sorted values, at the nearest rank;
 * rank and error in whole numbers, where nothing is rounded. */
static void against_sorted(const struct hist *h, const uint64_t *sorted,
        size_t count, const char *name)
{
    int before = test_failures;

    for (size_t permille = 0; permille <= 1000; permille++) {
        size_t rank = (permille * count + 999) / 1000;
        uint64_t want = sorted[rank ? rank - 1 : 0];
        uint64_t got = hist_quantile(h, (double)permille / 1000);
        uint64_t off = got > want ? got - want : want - got;

        /* Exact below 128, and above it 128 * off < want. */
        CHECK(want < 128 ? !off : off <= (want - 1) / 128);
        CHECK((double)off <= HIST_RELATIVE_ERROR * (double)want);
        CHECK(got >= h->min && got <= h->max);
    }
    if (test_failures != before)
        (void)fprintf(stderr, "  of %s\n", name);
}

static bool same(const struct hist *a, const struct hist *b)
{
    return a->count == b->count && a->min == b->min && a->max == b->max &&
           a->sum == b->sum && !memcmp(a->bucket, b->bucket, sizeof(a->bucket));
}

static void distribution(uint64_t (*draw)(size_t), const char *name)
{
    struct hist *h = alloc_zero(4, sizeof(*h));
    struct hist *whole = h, *odd = h + 1, *even = h + 2, *merged = h + 3;
    uint64_t *values = alloc_zero(COUNT, sizeof(*values));
    double sum = 0;

    for (size_t i = 0; i < COUNT; i++) {
        values[i] = draw(i);
        sum += (double)values[i];
        hist_add(whole, values[i]);
        hist_add(i % 2 ? odd : even, values[i]);
    }
    qsort(values, COUNT, sizeof(*values), compare);
    CHECK_INT(whole->count, COUNT);
    CHECK_INT(whole->min, values[0]);
    CHECK_INT(whole->max, values[COUNT - 1]);
    CHECK(whole->sum == sum);
    CHECK_INT(hist_quantile(whole, 0), values[0]);
    CHECK_INT(hist_quantile(whole, 1), values[COUNT - 1]);
    against_sorted(whole, values, COUNT, name);

    hist_merge(merged, odd);
    hist_merge(merged, even);
    /* A double has 53 bits; beyond, the order of adding shows in the last. */
    if (sum < 9007199254740992.0)
        CHECK(merged->sum == whole->sum);
    else
        CHECK(fabs(merged->sum - whole->sum) <= whole->sum * 1e-12);
    merged->sum = whole->sum;
    CHECK(same(merged, whole));
    free(values);
    free(h);
}

/* Ranks of few values, where one too many would be another value: 0.07 * 100
 * is more than 7 in binary. */
static void ranks(void)
{
    struct hist h = { 0 };

    for (uint64_t i = 1; i <= 100; i++)
        hist_add(&h, i);
    for (uint64_t i = 1; i <= 100; i++)
        CHECK_INT(hist_quantile(&h, (double)i / 100), i);
    CHECK_INT(hist_quantile(&h, 0.501), 51);
    CHECK_INT(hist_quantile(&h, 1e-300), 1);
    /* Outside of 0 to 1 there is nothing further. */
    CHECK_INT(hist_quantile(&h, -3), 1);
    CHECK_INT(hist_quantile(&h, NAN), 1);
    CHECK_INT(hist_quantile(&h, 7), 100);
    CHECK_INT(hist_quantile(&h, INFINITY), 100);
}

/* The one in the middle, or the mean of two: as of values that are sorted. */
static void medians(void)
{
    struct hist h = { 0 };

    CHECK(hist_median(&h) == 0);
    hist_add(&h, 10);
    CHECK(hist_median(&h) == 10);
    hist_add(&h, 100);
    CHECK(hist_median(&h) == 55);
    hist_add(&h, 12);
    CHECK(hist_median(&h) == 12);
    hist_add(&h, 15);
    CHECK(hist_median(&h) == 13.5);
}

static void few(void)
{
    struct hist h = { 0 }, empty = { 0 };

    CHECK_INT(hist_quantile(&h, 0.5), 0);
    hist_merge(&h, &empty);
    CHECK(same(&h, &empty));

    hist_add(&h, 1000003);
    for (int i = 0; i <= 10; i++) /* one value is known exactly */
        CHECK_INT(hist_quantile(&h, i / 10.0), 1000003);

    struct hist copy = h;

    hist_merge(&h, &empty); /* whose min of 0 is no value */
    CHECK(same(&h, &copy));
    hist_merge(&empty, &h);
    CHECK(same(&h, &empty));

    hist_add(&h, 0);
    hist_add(&h, UINT64_MAX);
    CHECK_INT(h.min, 0);
    CHECK(h.max == UINT64_MAX);
    CHECK_INT(h.bucket[0], 1);
    CHECK_INT(h.bucket[HIST_BUCKETS - 1], 1);
    CHECK(hist_quantile(&h, 1) == UINT64_MAX);
}

/* What is kept in parts and written as text is the same histogram. */
static void parts(void)
{
    static const char *const odd[] = { "", "[", "]", "[1]", "[1,2", "[1,2]x",
        "[1,2,]", "[-1,2]", "[1,,2]", "[1;2]", "{}", "[ ]",
        "[99999999999999999999,1]" };
    struct hist whole = { 0 }, back = { 0 };
    struct hist_part part = { 0 };
    struct buf text = { 0 };
    uint64_t x = 1;

    hist_part_write(&part, &text);
    CHECK(str_is(buf_str(&text), "[]"));
    CHECK_INT(hist_read(&back, buf_str(&text)), 0);
    CHECK_INT(back.count, 0);
    for (int i = 0; i < 20000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;

        uint64_t value = x >> (x % 61);

        hist_add(&whole, value);
        hist_part_add(&part, value);
    }
    hist_part_add(&part, 0);
    hist_add(&whole, 0);
    hist_part_add(&part, UINT64_MAX);
    hist_add(&whole, UINT64_MAX);
    CHECK(part.used == HIST_BUCKETS);
    buf_clear(&text);
    hist_part_write(&part, &text);
    CHECK_INT(hist_read(&back, buf_str(&text)), 0);
    CHECK_INT(back.count, whole.count);
    CHECK(memcmp(back.bucket, whole.bucket, sizeof(back.bucket)) == 0);
    CHECK(back.sum > whole.sum * 0.99 && back.sum < whole.sum * 1.01);
    for (int i = 1; i < 100; i++) {
        uint64_t whole_q = hist_quantile(&whole, i / 100.0);

        CHECK(hist_part_quantile(&part, i / 100.0) == whole_q);
    }
    CHECK(hist_part_median(&part) == hist_median(&whole));

    struct hist_part again = { 0 };
    struct buf same = { 0 };

    CHECK_INT(hist_part_read(&again, buf_str(&text)), 0);
    hist_part_write(&again, &same);
    CHECK(str_eq(buf_str(&same), buf_str(&text)));
    CHECK_INT(hist_part_read(&again, str_of("[1,2")), -EINVAL);
    hist_part_release(&again);
    buf_release(&same);
    hist_part_release(&part);
    CHECK_INT(hist_part_quantile(&part, 0.5), 0);
    CHECK(hist_part_median(&part) == 0);
    hist_part_add(&part, 10);
    hist_part_add(&part, 100);
    CHECK(hist_part_median(&part) == 55);
    hist_part_release(&part);
    hist_part_add(&part, 1000);
    CHECK_INT(part.used, 1);
    CHECK_INT(hist_part_quantile(&part, 1), 1003);
    part.bucket[0] = UINT32_MAX;
    hist_part_add(&part, 1000);
    CHECK(part.bucket[0] == UINT32_MAX);
    hist_part_release(&part);
    for (size_t i = 0; i < LEN(odd); i++)
        CHECK_INT(hist_read(&back, str_of(odd[i])), -EINVAL);
    buf_release(&text);
}

int main(void)
{
    ranks();
    medians();
    few();
    parts();
    distribution(uniform, "uniform");
    distribution(exponential, "exponential");
    distribution(outlier, "outlier");
    distribution(tiny, "tiny");
    distribution(constant, "constant");
    distribution(every_size, "every size");
    distribution(edges, "edges");
    return test_result();
}
