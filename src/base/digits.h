/* digits.h -- numbers as text, fast and whatever the locale: for files with a
 * million rows. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

/* Room for any number below, without a terminating zero. */
#define DIGITS_MAX 32

/* Each writes to `to` and returns the length. */
size_t digits_u64(char *to, uint64_t value);
size_t digits_i64(char *to, int64_t value);

/* The shortest text that reads back to the same double, or one of 17 digits;
 * "NaN", "Infinity" and "-Infinity" for what is no number. */
size_t digits_real(char *to, double value);

/* The time as RFC 3339 writes it, in UTC, with nine decimals:
 * 2026-01-31T12:00:00.000000001Z.  `ns` counts from 1970; years 0001 to
 * 9999. */
#define DIGITS_TIME_LEN 30
size_t digits_time(char *to, int64_t ns);

/* Reads it back.  -EINVAL: it is no such text. */
int digits_read_time(int64_t *ns, struct str s);
