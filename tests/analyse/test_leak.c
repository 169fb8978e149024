#include "analyse/finding/leak.h"

#include "test.h"

#include <math.h>
#include <string.h>

#define POINTS 2000
#define KB     1024.
#define MB     (1024. * KB)

static struct leak_point points[POINTS];
static uint64_t state;

/* From 0 to 1. */
static double random_next(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(state >> 33) / (double)(UINT64_C(1) << 31);
}

/* 100 MB that are filled in the first inferences, `each` bytes kept of every
 * one, pages of noise, and teeth of that height and length. */
static void make(double each, double tooth, int length, uint64_t seed)
{
    state = seed;
    for (int i = 0; i < POINTS; i++)
        points[i] = (struct leak_point){
            .at = i,
            .bytes = 100 * MB - 20 * MB * exp(-i / 20.) + each * i +
                     floor(4 * random_next()) * 4 * KB +
                     tooth * (i % length) / length,
        };
}

static enum leak_verdict judge(struct leak *l)
{
    leak_judge(l, points, POINTS);
    return l->verdict;
}

static void kept_of_each(void)
{
    struct leak l;

    for (uint64_t seed = 1; seed <= 50; seed++) {
        make(1000, 0, 10, seed);
        CHECK_INT(judge(&l), LEAK_FOUND);
        CHECK(fabs(l.bytes_each - 1000) < 100);
        CHECK(l.low <= l.bytes_each && l.bytes_each <= l.high);
        CHECK(l.inferences == 1599);

        make(1000, 3 * MB, 10, seed); /* freed again within a stretch */
        CHECK_INT(judge(&l), LEAK_FOUND);
        CHECK(fabs(l.bytes_each - 1000) < 100);
    }
}

static void flat(void)
{
    struct leak l;

    for (uint64_t seed = 1; seed <= 50; seed++) {
        make(0, 0, 10, seed);
        CHECK_INT(judge(&l), LEAK_NONE);
        make(0, 5 * MB, 10, seed);
        CHECK(judge(&l) != LEAK_FOUND);
        /* Teeth longer than a stretch: from one to eight of them. */
        for (int length = 250; length <= POINTS; length += 250) {
            make(0, 8 * MB, length, seed);
            if (length < POINTS) /* one that only rises looks like a leak */
                CHECK_INT(judge(&l), LEAK_CANNOT_TELL);
            make(1000, 8 * MB, length, seed); /* never "none" */
            CHECK(judge(&l) == LEAK_FOUND || l.verdict == LEAK_CANNOT_TELL);
        }
    }
}

/* What is left after each fall rises. */
static void collected(void)
{
    struct leak l;

    make(2000, 8 * MB, 200, 7);
    CHECK_INT(judge(&l), LEAK_FOUND);
    CHECK(fabs(l.bytes_each - 2000) < 200);
}

static void arena(void)
{
    struct leak l;

    /* Grows once. */
    make(0, 0, 10, 3);
    for (int i = POINTS / 2; i < POINTS; i++)
        points[i].bytes += 30 * MB;
    CHECK_INT(judge(&l), LEAK_NONE);
    CHECK(l.grown_bytes > 29 * MB);

    /* Grows for some time, and then no more. */
    make(0, 0, 10, 4);
    for (int i = 0; i < POINTS; i++)
        points[i].bytes += 20 * KB * fmin(i, POINTS / 2.);
    CHECK_INT(judge(&l), LEAK_ENDED);
}

static void too_little(void)
{
    struct leak l;

    make(1000, 0, 10, 5);
    leak_judge(&l, points, LEAK_LEAST - 1);
    CHECK_INT(l.verdict, LEAK_CANNOT_TELL);
    CHECK(l.inferences == 0);
    for (int i = 0; i < POINTS; i++)
        points[i].at = 5; /* it did nothing */
    CHECK_INT(judge(&l), LEAK_CANNOT_TELL);
    for (int i = 0; i < POINTS; i++)
        points[i].at = i < POINTS / 2 ? 0 : 1e6; /* a hole */
    CHECK_INT(judge(&l), LEAK_CANNOT_TELL);
    CHECK(strcmp(leak_verdict_name(LEAK_ENDED), "ended") == 0);
}

int main(void)
{
    kept_of_each();
    flat();
    collected();
    arena();
    too_little();
    return test_result();
}
