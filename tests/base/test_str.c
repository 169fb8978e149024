#include "base/compiler.h"
#include "base/str.h"
#include "test.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <string.h>

/* A str at the very end of its memory: reading further is noticed by ASan. */
#define S(text) ((struct str){ (text), sizeof(text) - 1 })

static const struct str none = { 0 };

static void comparing(void)
{
    CHECK(str_eq(S("abc"), str_of("abc")));
    CHECK(!str_eq(S("abc"), S("abd")));
    CHECK(!str_eq(S("abc"), S("ab")));
    CHECK(str_eq(none, S("")));
    CHECK(str_is(S("abc"), "abc"));
    CHECK(!str_is(S("abc"), "abcd"));
    CHECK(!str_is(S("a\0c"), "a"));
    CHECK(str_is(none, ""));
    CHECK(str_starts(S("VmRSS:  12 kB"), "VmRSS:"));
    CHECK(str_starts(S("abc"), "abc"));
    CHECK(str_starts(none, ""));
    CHECK(!str_starts(S("ab"), "abc"));
    CHECK(!str_starts(S("xabc"), "abc"));
}

static void cutting(void)
{
    CHECK(str_is(str_before(S("a=b=c"), '='), "a"));
    CHECK(str_is(str_before(S("=b"), '='), ""));
    CHECK(str_is(str_before(S("abc"), '='), "abc"));
    CHECK(str_is(str_after(S("a=b=c"), '='), "b=c"));
    CHECK(str_is(str_after(S("a="), '='), ""));
    CHECK(str_is(str_after(S("abc"), '='), ""));
    CHECK(str_is(str_after_last(S("a=b=c"), '='), "c"));
    CHECK(str_is(str_after_last(S("abc"), '='), ""));
    CHECK(str_is(str_before(none, '='), ""));
    CHECK(str_is(str_after(none, '='), ""));
    CHECK(str_is(str_after_last(none, '='), ""));
    CHECK(str_is(str_trim(S(" \t\r\na b\n ")), "a b"));
    CHECK(str_is(str_trim(S("a")), "a"));
    CHECK(str_is(str_trim(S(" \n\t")), ""));
    CHECK(str_is(str_trim(none), ""));
}

static void words(void)
{
    struct str rest = S("  one\ttwo\r\nthree ");

    CHECK(str_is(str_word(&rest), "one"));
    CHECK(str_is(str_word(&rest), "two"));
    CHECK(str_is(str_word(&rest), "three"));
    CHECK(str_is(str_word(&rest), ""));
    CHECK_INT(rest.len, 0);
    rest = none;
    CHECK(str_is(str_word(&rest), ""));
}

static void lines(void)
{
    static const char *const want[] = { "one", "", "two\rtwo", "", "last\r" };
    struct str rest = S("one\n\ntwo\rtwo\r\n\r\nlast\r");
    struct str line = S("untouched");

    for (size_t i = 0; i < LEN(want); i++) {
        CHECK(str_line(&line, &rest));
        CHECK(str_is(line, want[i]));
    }
    line = S("untouched");
    CHECK(!str_line(&line, &rest));
    CHECK(str_is(line, "untouched"));

    rest = S("a\n"); /* the newline ends a line and begins none */
    CHECK(str_line(&line, &rest));
    CHECK(str_is(line, "a"));
    CHECK(!str_line(&line, &rest));
    rest = none;
    CHECK(!str_line(&line, &rest));
}

static void unsigned_numbers(void)
{
    static const struct {
        const char *text;
        int rc;
        uint64_t value;
    } cases[] = {
        { "0", 0, 0 },
        { "007", 0, 7 },
        { "18446744073709551615", 0, UINT64_MAX },
        { "18446744073709551616", -ERANGE, 77 },
        { "99999999999999999999", -ERANGE, 77 },
        { "", -EINVAL, 77 },
        { "-1", -EINVAL, 77 },
        { "+1", -EINVAL, 77 },
        { "12abc", -EINVAL, 77 },
        { " 1", -EINVAL, 77 },
        { "0x10", -EINVAL, 77 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        uint64_t got = 77;

        CHECK_INT(str_u64(&got, str_of(cases[i].text)), cases[i].rc);
        CHECK(got == cases[i].value);
    }
}

static void signed_numbers(void)
{
    static const struct {
        const char *text;
        int rc;
        int64_t value;
    } cases[] = {
        { "0", 0, 0 },
        { "-0", 0, 0 },
        { "42", 0, 42 },
        { "-42", 0, -42 },
        { "9223372036854775807", 0, INT64_MAX },
        { "-9223372036854775808", 0, INT64_MIN },
        { "9223372036854775808", -ERANGE, 77 },
        { "-9223372036854775809", -ERANGE, 77 },
        { "-99999999999999999999", -ERANGE, 77 },
        { "", -EINVAL, 77 },
        { "-", -EINVAL, 77 },
        { "--1", -EINVAL, 77 },
        { "+1", -EINVAL, 77 },
        { "1 ", -EINVAL, 77 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        int64_t got = 77;

        CHECK_INT(str_i64(&got, str_of(cases[i].text)), cases[i].rc);
        CHECK_INT(got, cases[i].value);
    }
}

static void real_numbers(void)
{
    static const struct {
        const char *text;
        int rc;
        double value;
    } cases[] = {
        { "0", 0, 0 },
        { "5", 0, 5 },
        { "5.", 0, 5 },
        { "-.5", 0, -.5 },
        { "0.1", 0, 0.1 },
        { "1.25e-3", 0, 0.00125 },
        { "1E+2", 0, 100 },
        { "0.30000000000000004", 0, 0.1 + 0.2 },
        { "1.7976931348623157e308", 0, DBL_MAX },
        { "4.9406564584124654e-324", 0, DBL_TRUE_MIN },
        { "1e-400", 0, 0 },
        { "1e309", -ERANGE, 77 },
        { "-1e999999999999999999999", -ERANGE, 77 },
        { "", -EINVAL, 77 },
        { "-", -EINVAL, 77 },
        { ".", -EINVAL, 77 },
        { "-.", -EINVAL, 77 },
        { "e5", -EINVAL, 77 },
        { "1e", -EINVAL, 77 },
        { "1e+", -EINVAL, 77 },
        { "1.2.3", -EINVAL, 77 },
        { "1,5", -EINVAL, 77 },
        { "1.5x", -EINVAL, 77 },
        { " 1", -EINVAL, 77 },
        { "+1", -EINVAL, 77 },
        { "inf", -EINVAL, 77 },
        { "nan", -EINVAL, 77 },
        { "0x1p3", -EINVAL, 77 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        double got = 77;
        int rc = str_f64(&got, str_of(cases[i].text));

        CHECK_INT(rc, cases[i].rc);
        CHECK(got == cases[i].value);
        if (rc != cases[i].rc || got != cases[i].value)
            (void)fprintf(stderr, "  of \"%s\": %g\n", cases[i].text, got);
    }
}

/* Part of a longer text, very long, with a zero byte inside. */
static void odd_reals(void)
{
    char digits[401];
    double got = 77;

    CHECK_INT(str_f64(&got, (struct str){ "1.59e1", 3 }), 0);
    CHECK(got == 1.5);
    CHECK_INT(str_f64(&got, S("1\0")), -EINVAL);
    CHECK_INT(str_f64(&got, S("\0")), -EINVAL);
    CHECK_INT(str_f64(&got, none), -EINVAL);

    memset(digits, '0', sizeof(digits));
    digits[0] = '2';
    digits[1] = '.';
    digits[2] = '5';
    CHECK_INT(str_f64(&got, (struct str){ digits, 400 }), 0);
    CHECK(got == 2.5);
    CHECK_INT(str_f64(&got, (struct str){ digits, 401 }), -ERANGE);
    CHECK(got == 2.5);
}

static void check_find(void)
{
    struct str s = str_of("abcabd");

    CHECK(str_find(s, "abd") == s.p + 3);
    CHECK(str_find(s, "") == s.p);
    CHECK(!str_find(s, "abe"));
    CHECK(!str_find((struct str){ s.p, 5 }, "abd"));
    CHECK(!str_find((struct str){ NULL, 0 }, "a"));
}

int main(void)
{
    check_find();
    comparing();
    cutting();
    words();
    lines();
    unsigned_numbers();
    signed_numbers();
    real_numbers();
    odd_reals();
    /* Once more where the point is a comma, and where it is two bytes long, if
     * this machine knows such a place. */
    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        real_numbers();
    if (setlocale(LC_ALL, "ps_AF.UTF-8"))
        real_numbers();
    return test_result();
}
