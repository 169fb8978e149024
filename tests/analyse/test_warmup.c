#include "analyse/warmup.h"

#include "base/compiler.h"
#include "test.h"

#define MOST 500

static uint64_t values[MOST];

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 33;
}

/* `count` durations around 1 ms, give or take 2 %. */
static void steady(size_t count)
{
    uint64_t state = count;

    for (size_t i = 0; i < count; i++)
        values[i] = 980000 + random_next(&state) % 40000;
}

static void check(size_t count, bool settles, size_t length)
{
    size_t got = 12345;

    CHECK_INT(warmup_length(values, count, &got), settles);
    CHECK_INT(got, settles ? length : 12345); /* else untouched */
}

static void none(void)
{
    static const size_t counts[] = { WARMUP_LEAST, WARMUP_LEAST + 1, 100,
        MOST };

    for (size_t i = 0; i < LEN(counts); i++) {
        steady(counts[i]);
        check(counts[i], true, 0);
    }
    /* All alike: nothing is outside of a spread of 0. */
    for (size_t i = 0; i < MOST; i++)
        values[i] = 7;
    check(MOST, true, 0);
    for (size_t i = 0; i < MOST; i++)
        values[i] = 0;
    check(MOST, true, 0);
}

static void too_few(void)
{
    steady(WARMUP_LEAST);
    for (size_t count = 0; count < WARMUP_LEAST; count++)
        check(count, false, 0);
}

/* 17 slow ones, each a little faster than the one before. */
static void seventeen(void)
{
    steady(200);
    for (size_t i = 0; i < 17; i++)
        values[i] = 5000000 - i * 200000;
    check(200, true, 17);

    steady(200);
    values[0] = 90000000; /* the usual: only the first is slow */
    check(200, true, 1);
}

/* Two quick ones among the slow are chance, three are not. */
static void three_in_a_row(void)
{
    steady(200);
    for (size_t i = 0; i < 30; i++)
        if (i != 10 && i != 11)
            values[i] = 3000000;
    check(200, true, 30);
    values[12] = 1000000;
    check(200, true, 10);
}

/* Quicker than the later ones is no warm-up. */
static void quick_start(void)
{
    steady(100);
    for (size_t i = 0; i < 20; i++)
        values[i] = 100000;
    check(100, true, 0);
}

static void never(void)
{
    /* The slow ones last into the later half. */
    steady(100);
    for (size_t i = 0; i < 50; i++)
        values[i] = 9000000;
    check(100, false, 0);
    values[47] = values[48] = values[49] = 1000000; /* just in time */
    check(100, true, 47);

    /* Every run takes half of the one before. */
    for (size_t i = 0; i < 40; i++)
        values[i] = UINT64_C(1) << (45 - i);
    check(40, false, 0);
}

/* Ever slower, as a machine that gets hot: no warm-up.  Ever faster, by a
 * tenth in all: within what counts as steady. */
static void drift(void)
{
    for (size_t i = 0; i < 200; i++)
        values[i] = 1000000 + i * 5000;
    check(200, true, 0);
    for (size_t i = 0; i < 200; i++)
        values[i] = 1100000 - i * 500;
    check(200, true, 0);
}

/* Single slow ones, early or late, are neither the level nor the spread. */
static void outliers(void)
{
    steady(200);
    for (size_t i = 100; i < 200; i += 7)
        values[i] = 50000000;
    check(200, true, 0);
    values[1] = 50000000;
    check(200, true, 2);
    for (size_t i = 0; i < 20; i += 3) /* never three good ones till 19 */
        values[i] = 50000000;
    check(200, true, 19);
}

int main(void)
{
    none();
    too_few();
    seventeen();
    three_in_a_row();
    quick_start();
    never();
    drift();
    outliers();
    return test_result();
}
