#include "cmd/text/term.h"

#include "base/compiler.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    double value;
    const char *duration;
    const char *bytes;
} cases[] = {
    { 0, "0 ns", "0 B" },
    { 7, "7 ns", "7 B" },
    { 7.25, "7.25 ns", "7.25 B" },
    { 0.5, "0.500 ns", "0.500 B" },
    { 0.0125, "0.0125 ns", "0.0125 B" },
    { 0.00125, "0 ns", "1.25e-03 B" },
    { 12.34, "12.3 ns", "12.3 B" },
    { 999, "999 ns", "999 B" },
    { 999.4, "999 ns", "999 B" },
    { 999.6, "1.00 µs", "1.00 kB" }, /* rounding reaches the next unit */
    { 1000, "1.00 µs", "1.00 kB" },
    { 9994, "9.99 µs", "9.99 kB" },
    { 9996, "10.0 µs", "10.0 kB" }, /* and the next digit */
    { 99960, "100 µs", "100 kB" },
    { 999499, "999 µs", "999 kB" },
    { 999500, "1.00 ms", "1.00 MB" },
    { 12345678, "12.3 ms", "12.3 MB" },
    { -12345678, "-12.3 ms", "-12.3 MB" },
    { 2.5e9, "2.50 s", "2.50 GB" },
    { 1234e9, "1,234 s", "1.23 TB" },
};

/* The last unit grows, and beyond all sense it still fits. */
static void check_large(void)
{
    char out[16];

    CHECK(strcmp(term_duration(out, 999499e9), "999,499 s") == 0);
    CHECK(strcmp(term_duration(out, -123456789e9), "-123,456,789 s") == 0);
    CHECK(strcmp(term_duration(out, -1e300), "-1.00e+291 s") == 0);
    CHECK(strcmp(term_bytes(out, 1.5e18), "1,500 PB") == 0);
    CHECK(strcmp(term_bytes(out, NAN), "–") == 0);
    CHECK(strcmp(term_duration(out, INFINITY), "–") == 0);
}

static void check_count(void)
{
    char out[32];

    CHECK(strcmp(term_count(out, 0), "0") == 0);
    CHECK(strcmp(term_count(out, 999), "999") == 0);
    CHECK(strcmp(term_count(out, 1000), "1,000") == 0);
    CHECK(strcmp(term_count(out, 1234567), "1,234,567") == 0);
    CHECK(strcmp(term_count(out, UINT64_MAX), "18,446,744,073,709,551,615") ==
            0);
}

static void check_columns(void)
{
    struct buf b = { 0 };

    CHECK_INT(term_width("12.3 µs"), 7);
    CHECK_INT(term_width("✓ – done"), 8);
    term_left(&b, "µs", 4);
    term_right(&b, "µs", 4);
    term_left(&b, "too long", 3);
    CHECK(strcmp(buf_cstr(&b), "µs    µstoo long") == 0);
    buf_release(&b);
}

/* A file is no terminal, whatever the environment says. */
static void check_colours(void)
{
    FILE *f = tmpfile();

    CHECK(f != NULL);
    if (!f)
        return;
    CHECK(!setenv("TERM", "xterm", 1) && !unsetenv("NO_COLOR"));
    CHECK(!term_is_terminal(f) && !term_colours(f));
    (void)fclose(f);
    CHECK(strcmp(term_style(false, TERM_RED), "") == 0);
    CHECK(strcmp(term_style(true, TERM_RED), "\033[31m") == 0);
}

/* Texts of other people's programs do not steer the terminal. */
static void check_text(void)
{
    static const struct {
        const char *text, *shown;
    } texts[] = {
        { "plain Grüße ×", "plain Grüße ×" },
        { "a\nb\tc\r", "a b c " },
        { "\033[2J\033]0;x\007", " [2J ]0;x " },
        { "\x7f", " " },
        { "\xc2\x9b\x32J \xc2\xa0", " 2J \xc2\xa0" },
        { "\xc2", "\xc2" },
        { "", "" },
    };
    struct buf b = { 0 };

    for (size_t i = 0; i < LEN(texts); i++) {
        buf_clear(&b);
        term_text(&b, texts[i].text);
        CHECK(strcmp(buf_cstr(&b), texts[i].shown) == 0);
    }
    buf_clear(&b);
    term_left(&b, "a\033b", 5);
    term_right(&b, "c\nd", 5);
    CHECK(strcmp(buf_cstr(&b), "a b    c d") == 0);
    buf_release(&b);
}

int main(void)
{
    check_text();
    for (size_t i = 0; i < LEN(cases); i++) {
        char out[16];

        CHECK(strcmp(term_duration(out, cases[i].value), cases[i].duration) ==
                0);
        CHECK(strcmp(term_bytes(out, cases[i].value), cases[i].bytes) == 0);
    }
    check_large();
    check_count();
    check_columns();
    check_colours();
    return test_result();
}
