/* test_sample_history.c -- 24 hours in a fixed amount of memory. */
#include "live/history.h"

#include "base/alloc.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define SECOND UINT64_C(1000000000)
#define METRIC METRIC_collector_resident_bytes
#define OTHER  METRIC_collector_cpu_seconds_total

static void add(struct history *h, uint32_t subject, uint64_t time_ns,
        double value)
{
    history_add(h, &(struct reading){ .time_ns = time_ns,
                           .value = value,
                           .subject = subject,
                           .metric = METRIC });
}

static int close_to(double a, double b)
{
    return fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b)) + 1e-12;
}

/* A sum that is computed in another way. */
static void check_figures(void)
{
    struct history *h = history_new(1 << 22);
    struct history_figures f;
    double sum = 0, squares = 0;

    CHECK(!history_figures(&f, h, 0, METRIC, 0));
    for (int i = 0; i < 1009; i++) {
        double x = (i * 377) % 1009; /* each from 0 to 1008, once */

        sum += x;
        squares += x * x;
        add(h, 3, SECOND + (uint64_t)i * 10000000, x);
    }
    CHECK(!history_figures(&f, h, 3, OTHER, 0));
    CHECK(!history_figures(&f, h, 4, METRIC, 0));
    CHECK(history_figures(&f, h, 3, METRIC, 0));
    CHECK_INT(f.count, 1009);
    CHECK(f.min == 0 && f.max == 1008);
    CHECK(close_to(f.mean, sum / 1009));
    CHECK(close_to(f.stddev, sqrt((squares - sum * sum / 1009) / 1008)));
    CHECK(f.p50 == 504 && f.p90 == 908 && f.p95 == 958 && f.p99 == 998);
    CHECK(!f.of_seconds);
    CHECK_INT(f.from_ns, SECOND);
    CHECK_INT(f.to_ns, SECOND + 1008 * (uint64_t)10000000);
    /* Only the last part. */
    CHECK(history_figures(&f, h, 3, METRIC,
            SECOND + 1008 * UINT64_C(10000000)));
    CHECK_INT(f.count, 1);
    CHECK(f.stddev == 0 && f.min == f.max && f.p99 == f.min);
    CHECK(!history_figures(&f, h, 3, METRIC, 100 * SECOND));
    history_free(h);
}

static void check_points(void)
{
    struct history *h = history_new(1 << 22);
    struct history_point p[16];

    for (int i = 0; i < 1000; i++)
        add(h, 1, 7 * SECOND + (uint64_t)i * 10000000, i);
    CHECK_INT(history_readings(p, 16, h, 2, METRIC), 0);
    CHECK_INT(history_readings(p, 16, h, 1, METRIC), 16);
    CHECK(p[0].mean == 984 && p[15].mean == 999 && p[15].count == 1);
    CHECK_INT(history_seconds(p, 16, h, 1, METRIC), 10);
    for (int i = 0; i < 10; i++) {
        CHECK_INT(p[i].time_ns, (uint64_t)(7 + i) * SECOND);
        CHECK_INT(p[i].count, 100);
        CHECK(p[i].min == 100 * i && p[i].max == 100 * i + 99);
        CHECK(p[i].mean == 100 * i + 49.5);
    }
    CHECK_INT(history_seconds(p, 3, h, 1, METRIC), 3);
    CHECK_INT(p[0].time_ns, 14 * SECOND);
    history_free(h);
}

/* A day and a bit at 100 Hz, by a clock that runs as fast as we can. */
static void check_day(void)
{
    enum { SERIES = 4, BYTES = 10 << 20, HOURS = 26 };
    struct history *h = history_new(BYTES);
    struct history_figures f;
    uint64_t ticks = HOURS * UINT64_C(360000);
    struct history_point *p = alloc_zero(HISTORY_SECONDS + 500, sizeof(*p));

    for (uint64_t i = 0; i < ticks; i++)
        for (uint32_t k = 0; k < SERIES; k++)
            add(h, k, (i + 1000) * SECOND / 100, (double)(i % 1000) + k);
    CHECK(history_bytes(h) <= BYTES);
    CHECK_INT(history_forgotten(h), 0);
    CHECK_INT(history_late(h), 0);
    for (uint32_t k = 0; k < SERIES; k++) {
        size_t n = history_readings(p, HISTORY_SECONDS, h, k, METRIC);

        CHECK(n >= HISTORY_RAW);
        CHECK(p[n - 1].mean == (double)((ticks - 1) % 1000) + k);
        n = history_seconds(p, HISTORY_SECONDS + 500, h, k, METRIC);
        CHECK(n >= HISTORY_SECONDS);
        CHECK_INT(p[n - 1].time_ns - p[n - 86400].time_ns, 86399 * SECOND);
        CHECK(history_figures(&f, h, k, METRIC, 0));
        CHECK(f.of_seconds);
        CHECK_INT(f.count, 100 * n);
        CHECK(f.min == k && f.max == 999 + k);
        CHECK(fabs(f.mean - (499.5 + k)) < 1);
        /* Of 0 to 999, all equally often. */
        CHECK(fabs(f.stddev - 288.7) < 0.5);
        /* The last minute is exact. */
        CHECK(history_figures(&f, h, k, METRIC, (ticks - 5001) * SECOND / 100));
        CHECK(!f.of_seconds);
    }
    free(p);
    history_free(h);
}

/* Far more than there is room for: the oldest goes, and nothing else. */
static void check_full(void)
{
    enum { BYTES = 1 << 20 };
    struct history *h = history_new(BYTES);
    struct history_figures f;

    /* Processes that come and go, 500 a second, for ten minutes. */
    for (uint32_t i = 0; i < 300000; i++) {
        add(h, i + 1, SECOND + i * UINT64_C(2000000), i);
        add(h, 0, SECOND + i * UINT64_C(2000000), 1);
    }
    CHECK(history_bytes(h) <= BYTES);
    CHECK(history_forgotten(h) > 290000);
    CHECK(history_figures(&f, h, 300000, METRIC, 0));
    CHECK(f.mean == 299999);
    CHECK(!history_figures(&f, h, 1, METRIC, 0));
    /* The one that stays is still known, though not from the beginning. */
    CHECK(history_figures(&f, h, 0, METRIC, 0));
    CHECK(f.count > 1 && f.mean == 1);
    history_free(h);

    /* The least there can be. */
    h = history_new(0);
    for (uint32_t i = 0; i < 100000; i++)
        add(h, i % 7, i * SECOND, i);
    CHECK(history_figures(&f, h, 99999 % 7, METRIC, 0));
    CHECK(f.max == 99999);
    history_free(h);
}

static void check_clock_steps(void)
{
    struct history *h = history_new(1 << 22);
    struct history_figures f;
    struct history_point p[8];

    add(h, 1, 100 * SECOND, 1);
    add(h, 1, 100 * SECOND, 2);  /* it stands still */
    add(h, 1, 99 * SECOND, 1e9); /* it goes back */
    add(h, 1, 0, 1e9);
    CHECK_INT(history_late(h), 2);
    CHECK(history_figures(&f, h, 1, METRIC, 0));
    CHECK(f.count == 2 && f.max == 2);
    /* It jumps an hour ahead, then a day, then ten years, then to the end. */
    add(h, 1, 3700 * SECOND, 3);
    CHECK_INT(history_seconds(p, 8, h, 1, METRIC), 2);
    add(h, 1, 3701 * SECOND + 24 * 3600 * SECOND, 4);
    add(h, 1, 320000000 * SECOND, 5);
    add(h, 1, UINT64_MAX, 6);
    add(h, 1, UINT64_MAX, 7);
    CHECK_INT(history_readings(p, 8, h, 1, METRIC), 7);
    CHECK(p[0].mean == 1 && p[6].mean == 7);
    CHECK(history_figures(&f, h, 1, METRIC, 320000000 * SECOND));
    CHECK_INT(f.count, 3);
    history_free(h);
}

int main(void)
{
    check_figures();
    check_points();
    check_day();
    check_full();
    check_clock_steps();
    history_free(NULL);
    return test_result();
}
