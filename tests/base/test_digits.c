/* test_digits.c -- numbers and times as text, compared with the C library's. */
#include "base/digits.h"

#include "test.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check_real(double x, const char *want)
{
    char text[DIGITS_MAX + 1];

    text[digits_real(text, x)] = 0;
    if (want && strcmp(text, want) != 0)
        (void)fprintf(stderr, "%s, not %s\n", text, want);
    CHECK(!want || strcmp(text, want) == 0);
    if (isfinite(x)) {
        double back = strtod(text, NULL);

        CHECK(memcmp(&back, &x, sizeof(x)) == 0);
    }
}

static void test_real(void)
{
    uint64_t bits = 88172645463325252;

    check_real(0, "0");
    check_real(-0.0, "-0");
    check_real(0.1, "0.1");
    check_real(-162.482776, "-162.482776");
    check_real(1e15, "1000000000000000");
    check_real(NAN, "NaN");
    check_real(-INFINITY, "-Infinity");
    check_real(DBL_MAX, NULL);
    check_real(DBL_MIN, NULL);
    check_real(5e-324, NULL);
    for (int i = 0; i < 20000; i++) {
        double x;

        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&x, &bits, sizeof(x));
        if (!isnan(x))
            check_real(x, NULL);
        check_real((double)(bits >> 40) / 1000, NULL);
    }
}

static void test_whole(void)
{
    static const int64_t values[] = { 0, 1, -1, 9, 10, 99, 100, INT64_MAX,
        INT64_MIN };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char got[DIGITS_MAX + 1], want[32];

        got[digits_i64(got, values[i])] = 0;
        (void)snprintf(want, sizeof(want), "%" PRId64, values[i]);
        CHECK(strcmp(got, want) == 0);
    }
}

static void test_time(void)
{
    static const int64_t values[] = { 0, -1, 1, 951782399999999999,
        951782400000000000, 1709210096123456789, -2208988800000000001,
        4102444799000000000, -62135596800000000 };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        int64_t ns = values[i], back = 0;
        time_t s = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
        char got[DIGITS_MAX + 1], want[64];
        struct tm tm;

        CHECK_INT(digits_time(got, ns), DIGITS_TIME_LEN);
        got[DIGITS_TIME_LEN] = 0;
        (void)gmtime_r(&s, &tm);

        size_t len = strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S", &tm);

        (void)snprintf(want + len, sizeof(want) - len, ".%09dZ",
                (int)(ns - (int64_t)s * 1000000000));
        CHECK(strcmp(got, want) == 0);
        CHECK_INT(digits_read_time(&back, str_of(got)), 0);
        CHECK_INT(back, ns);
    }
}

static void test_no_time(void)
{
    static const char *const texts[] = { "", "2026", "now",
        "2026-01-31T12:00:00Z", "2026-13-31T12:00:00.000000000Z",
        "2026-01-00T12:00:00.000000000Z", "9999-01-01T00:00:00.000000000Z",
        "2026-01-31 12:00:00.000000000Z", "2026-01-31T24:00:00.000000000Z" };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int64_t ns = 7;

        CHECK_INT(digits_read_time(&ns, str_of(texts[i])), -EINVAL);
        CHECK_INT(ns, 7);
    }
}

int main(void)
{
    test_real();
    test_whole();
    test_time();
    test_no_time();
    return test_result();
}
