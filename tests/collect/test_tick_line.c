/* test_tick_line.c -- ticks become nanoseconds, by a kernel's clock that is
 * bent now and then. */
#include "collect/tick_line.h"
#include "test.h"

#include <stdlib.h>

#define MS 1000000
#define S  UINT64_C(1000000000)

/* 2.6 ticks a nanosecond, counted from a start of their own. */
#define FIRST_TICK UINT64_C(7000000000000)
#define FIRST_NS   UINT64_C(5000000000)

static uint64_t ticks_at(uint64_t real_ns)
{
    return FIRST_TICK + real_ns / 5 * 13;
}

/* What the kernel says at that moment: from `bent_at` on it runs faster or
 * slower by so many millionths. */
static struct {
    uint64_t bent_at;
    int64_t ppm;
} kernel;

static uint64_t kernel_ns(uint64_t real_ns)
{
    int64_t since =
            real_ns > kernel.bent_at ? (int64_t)(real_ns - kernel.bent_at) : 0;

    return FIRST_NS + real_ns + (uint64_t)(since / 1000 * kernel.ppm / 1000);
}

static void add(struct tick_line *l, uint64_t real_ns)
{
    tick_line_add(l, ticks_at(real_ns), kernel_ns(real_ns));
}

static uint64_t miss(const struct tick_line *l, uint64_t real_ns)
{
    return (uint64_t)llabs(
            (int64_t)(tick_line_ns(l, ticks_at(real_ns)) - kernel_ns(real_ns)));
}

static void few_moments(void)
{
    struct tick_line l = { 0 };

    CHECK_INT(tick_line_ns(&l, 5), 0);
    CHECK_INT(tick_line_span_ns(&l, 5), 0);
    add(&l, 0);
    CHECK_INT(tick_line_ns(&l, ticks_at(0)), 0);
    CHECK(tick_line_ns_per_tick(&l) == 0);
    add(&l, 5 * MS);
    CHECK_INT(tick_line_ns(&l, ticks_at(0)), FIRST_NS);
    CHECK_INT(tick_line_ns(&l, ticks_at(5 * MS)), FIRST_NS + 5 * MS);
    CHECK_INT(tick_line_ns(&l, ticks_at(9 * MS)), FIRST_NS + 9 * MS);
    CHECK_INT(tick_line_ns(&l, FIRST_TICK - 13), FIRST_NS - 5);
    CHECK_INT(tick_line_span_ns(&l, 2600), 1000);
    CHECK(tick_line_ns_per_tick(&l) > 0.3846 &&
            tick_line_ns_per_tick(&l) < 0.3847);
}

/* A clock that stands still or goes back teaches nothing. */
static void no_time(void)
{
    struct tick_line l = { 0 };

    tick_line_add(&l, 100, 100);
    tick_line_add(&l, 100, 100);
    tick_line_add(&l, 100, 200);
    tick_line_add(&l, 200, 100);
    tick_line_add(&l, 90, 90);
    CHECK_INT(l.count, 1);
}

static void hostile_ticks(void)
{
    static const uint64_t ticks[] = { 0, 1, INT64_MAX, UINT64_MAX - 1,
        UINT64_MAX };
    struct tick_line l = { 0 };

    add(&l, 0);
    add(&l, MS);
    for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        (void)tick_line_ns(&l, ticks[i]);
        (void)tick_line_span_ns(&l, ticks[i]);
    }
    CHECK_INT(tick_line_ns(&l, 0), 0); /* before there was any time */
    l.knots[1].ns_per_tick = 1e9;
    CHECK(tick_line_span_ns(&l, UINT64_MAX) == UINT64_MAX);
    CHECK(tick_line_ns(&l, FIRST_TICK + INT64_MAX) == UINT64_MAX);
}

/* Looked at every 10 ms for an hour and more; the bend comes in the middle of
 * one look and the next. */
static void bent(int64_t ppm)
{
    struct tick_line *l = calloc(1, sizeof(*l));
    uint64_t worst = 0, early_miss = 0;

    if (!l)
        abort();
    kernel.bent_at = 1800 * S + 3 * MS;
    kernel.ppm = ppm;
    for (uint64_t t = 0; t < 4000 * S; t += 10 * MS) {
        add(l, t);
        if (t >= 20 * MS) { /* what was written since the last look */
            uint64_t m = miss(l, t - 7 * MS);

            worst = m > worst ? m : worst;
        }
        if (t == 3990 * S)
            early_miss = miss(l, 3980 * S);
    }
    CHECK(worst <= 6000); /* 7 ms at 500 millionths, and what was not noticed */
    CHECK(early_miss <= 1000);
    CHECK(l->count <= TICK_KNOTS);
    /* A moment is told alike, however late it is asked for. */
    uint64_t then = tick_line_ns(l, ticks_at(3900 * S));

    add(l, 4001 * S);
    add(l, 4003 * S);
    CHECK(tick_line_ns(l, ticks_at(3900 * S)) == then);
    free(l);
}

int main(void)
{
    few_moments();
    no_time();
    hostile_ticks();
    bent(0);
    bent(1);
    bent(500);
    bent(-500);
    return test_result();
}
