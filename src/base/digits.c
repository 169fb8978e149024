#include "base/digits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S  INT64_C(1000000000)
#define S_PER_DAY 86400
#define EXACT_REAL                                            \
    9007199254740992.0 /* 2^53: whole numbers below are exact \
                        */

/* 00 to 99: two digits at a time halve the divisions. */
static const char pairs[] = "00010203040506070809"
                            "10111213141516171819"
                            "20212223242526272829"
                            "30313233343536373839"
                            "40414243444546474849"
                            "50515253545556575859"
                            "60616263646566676869"
                            "70717273747576777879"
                            "80818283848586878889"
                            "90919293949596979899";

/* `count` digits, with zeros in front. */
static void put_digits(char *to, uint64_t value, size_t count)
{
    for (; count >= 2; value /= 100) {
        count -= 2;
        memcpy(to + count, pairs + 2 * (value % 100), 2);
    }
    if (count)
        *to = (char)('0' + value % 10);
}

static size_t count_digits(uint64_t value)
{
    size_t count = 1;

    for (; value >= 10000; value /= 10000)
        count += 4;
    return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

size_t digits_u64(char *to, uint64_t value)
{
    if (value < 10) { /* most of what is counted */
        *to = (char)('0' + value);
        return 1;
    }

    size_t count = count_digits(value);

    put_digits(to, value, count);
    return count;
}

size_t digits_i64(char *to, int64_t value)
{
    if (value >= 0)
        return digits_u64(to, (uint64_t)value);
    *to = '-';
    return 1 + digits_u64(to + 1, 0 - (uint64_t)value);
}

/* Most figures are decimal fractions of few digits: n / 10^k with both exact,
 * so the division is rounded as reading the text would be.  0: it is not. */
static size_t short_real(char *to, double value)
{
    static const double powers[] = { 1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8,
        1e9 };
    double size = fabs(value);

    for (size_t k = 0; k < sizeof(powers) / sizeof(powers[0]); k++) {
        double scaled = nearbyint(size * powers[k]);

        if (!(scaled < EXACT_REAL))
            return 0;
        if (scaled / powers[k] != size)
            continue;

        uint64_t n = (uint64_t)scaled, unit = (uint64_t)powers[k];
        size_t len = 0;

        if (signbit(value))
            to[len++] = '-';
        len += digits_u64(to + len, n / unit);
        if (k) {
            to[len++] = '.';
            put_digits(to + len, n % unit, k);
        }
        return len + k;
    }
    return 0;
}

size_t digits_real(char *to, double value)
{
    char text[40];
    int len = 0;

    if (isnan(value))
        len = snprintf(text, sizeof(text), "NaN");
    else if (isinf(value))
        len = snprintf(text, sizeof(text), "%sInfinity", value < 0 ? "-" : "");
    if (len) {
        memcpy(to, text, (size_t)len);
        return (size_t)len;
    }

    size_t quick = short_real(to, value);

    if (quick)
        return quick;
    for (int digits = 15; digits <= 17; digits++) {
        len = snprintf(text, sizeof(text), "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    for (int i = 0; i < len; i++) /* a comma, where the locale has one */
        to[i] = (char)(strchr("0123456789+-e", text[i]) ? text[i] : '.');
    return (size_t)len;
}

/* Without a zero behind it: it is never a string of C's. */
static const char time_shape[DIGITS_TIME_LEN] = { '0', '0', '0', '0', '-', '0',
    '0', '-', '0', '0', 'T', '0', '0', ':', '0', '0', ':', '0', '0', '.', '0',
    '0', '0', '0', '0', '0', '0', '0', '0', 'Z' };

/* --- time ----------------------------------------------------------------- */

/* Days since 1970 to a date, and back: years begin in March, so that the odd
 * day is the last, and 400 of them are always 146097 days. */
static void date_of(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    unsigned of_era = (unsigned)(z - era * 146097);
    unsigned y =
            (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    unsigned of_year = of_era - (365 * y + y / 4 - y / 100);
    unsigned m = (5 * of_year + 2) / 153;

    *day = of_year - (153 * m + 2) / 5 + 1;
    *month = m < 10 ? m + 3 : m - 9;
    *year = era * 400 + y + (*month <= 2);
}

static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
    int64_t y = year - (month <= 2);
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t of_era = y - era * 400;
    int64_t of_year =
            (153 * (int64_t)(month > 2 ? month - 3 : month + 9) + 2) / 5 + day -
            1;

    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
           719468;
}

size_t digits_time(char *to, int64_t ns)
{
    int64_t s = ns / NS_PER_S - (ns % NS_PER_S < 0);
    int64_t days = s / S_PER_DAY - (s % S_PER_DAY < 0);
    uint64_t second = (uint64_t)(s - days * S_PER_DAY);
    int64_t year;
    unsigned month, day;

    date_of(days, &year, &month, &day);
    memcpy(to, time_shape, sizeof(time_shape));
    put_digits(to, (uint64_t)year, 4);
    put_digits(to + 5, month, 2);
    put_digits(to + 8, day, 2);
    put_digits(to + 11, second / 3600, 2);
    put_digits(to + 14, second / 60 % 60, 2);
    put_digits(to + 17, second % 60, 2);
    put_digits(to + 20, (uint64_t)(ns - s * NS_PER_S), 9);
    return DIGITS_TIME_LEN;
}

int digits_read_time(int64_t *ns, struct str s)
{
    static const size_t at[] = { 0, 5, 8, 11, 14, 17, 20 };
    static const size_t len[] = { 4, 2, 2, 2, 2, 2, 9 };
    uint64_t part[7];

    if (s.len != DIGITS_TIME_LEN)
        return -EINVAL;
    for (size_t i = 0; i < s.len; i++)
        if (time_shape[i] == '0' ? s.p[i] < '0' || s.p[i] > '9'
                                 : s.p[i] != time_shape[i])
            return -EINVAL;
    for (size_t i = 0; i < 7; i++)
        if (str_u64(&part[i], (struct str){ s.p + at[i], len[i] }))
            return -EINVAL;
    /* Nanoseconds since 1970 end in 2262 and begin in 1677. */
    if (part[0] < 1678 || part[0] > 2261 || part[1] < 1 || part[1] > 12 ||
            part[2] < 1 || part[2] > 31 || part[3] > 23 || part[4] > 59 ||
            part[5] > 59)
        return -EINVAL;
    *ns = (days_of((int64_t)part[0], (unsigned)part[1], (unsigned)part[2]) *
                          S_PER_DAY +
                  (int64_t)(part[3] * 3600 + part[4] * 60 + part[5])) *
                  NS_PER_S +
          (int64_t)part[6];
    return 0;
}
