#include "cmd/text/term.h"

#include "base/compiler.h"
#include "os/process/self.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool term_is_terminal(FILE *stream)
{
    return self_is_terminal(stream);
}

bool term_colours(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    const char *kind = getenv("TERM");

    if (no_color && no_color[0])
        return false;
    if (!kind || strcmp(kind, "dumb") == 0)
        return false;
    return term_is_terminal(stream);
}

const char *term_style(bool colours, enum term_style style)
{
    static const char *const codes[] = {
        [TERM_PLAIN] = "\033[0m",
        [TERM_BOLD] = "\033[1m",
        [TERM_DIM] = "\033[2m",
        [TERM_RED] = "\033[31m",
        [TERM_GREEN] = "\033[32m",
        [TERM_YELLOW] = "\033[33m",
    };

    return colours ? codes[style] : "";
}

size_t term_width(const char *utf8)
{
    size_t width = 0;

    /* The bytes 10xxxxxx continue a character, all others begin one. */
    for (; *utf8; utf8++)
        width += ((unsigned char)*utf8 & 0xc0) != 0x80;
    return width;
}

void term_text(struct buf *out, const char *utf8)
{
    for (const unsigned char *c = (const unsigned char *)utf8; *c; c++) {
        /* C2 80 to C2 9F are control characters, too. */
        bool pair = c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;

        if (pair || *c < ' ' || *c == 0x7f)
            buf_char(out, ' ');
        else
            buf_add(out, c, 1);
        c += pair;
    }
}

static void add_blanks(struct buf *out, const char *utf8, size_t width)
{
    for (size_t have = term_width(utf8); have < width; have++)
        buf_char(out, ' ');
}

void term_left(struct buf *out, const char *utf8, size_t width)
{
    term_text(out, utf8);
    add_blanks(out, utf8, width);
}

void term_right(struct buf *out, const char *utf8, size_t width)
{
    add_blanks(out, utf8, width);
    term_text(out, utf8);
}

/* Copies a whole number with a comma before each group of three digits; returns
 * the length. */
static size_t group(char *out, size_t cap, const char *number)
{
    size_t sign = strspn(number, "-");
    size_t len = strlen(number);
    size_t at = 0;

    for (size_t i = 0; i < len && at + 2 < cap; i++) {
        if (i > sign && (len - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = number[i];
    }
    out[at] = 0;
    return at;
}

/* Digits behind the point that make three significant ones; -1: too small to
 * be written that way.  The limits are those where rounding adds a digit. */
static int decimals(double size)
{
    static const double limits[] = { 999.5, 99.95, 9.995, 0.9995, 0.09995 };

    for (int n = (int)LEN(limits) - 1; n >= 0; n--)
        if (size < limits[n])
            return size < 0.009995 ? -1 : n;
    return 0;
}

/* `units` ends with NULL; each is 1000 of the one before. */
static void scaled(char out[16], double value, const char *const *units)
{
    double size = fabs(value);
    bool whole = size < 999.5 && size == floor(size);

    while (size >= 999.5 && units[1]) {
        size /= 1000;
        value /= 1000;
        units++;
    }

    int digits = whole ? 0 : decimals(size);

    if (!isfinite(value)) {
        (void)snprintf(out, 16, "–");
    } else if (size >= 1e9 - 1 || digits < 0) {
        (void)snprintf(out, 16, "%.2e %s", value, units[0]);
    } else if (size >= 999.5) {
        char number[16];

        (void)snprintf(number, sizeof(number), "%.0f", value);

        size_t len = group(out, 16, number);

        (void)snprintf(out + len, 16 - len, " %s", units[0]);
    } else {
        (void)snprintf(out, 16, "%.*f %s", digits, value, units[0]);
    }
}

char *term_duration(char out[16], double ns)
{
    static const char *const units[] = { "ns", "µs", "ms", "s", NULL };

    /* What is left of adding and taking away is no time. */
    scaled(out, fabs(ns) < 0.01 ? 0 : ns, units);
    return out;
}

char *term_bytes(char out[16], double bytes)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB",
        NULL };

    scaled(out, bytes, units);
    return out;
}

char *term_count(char out[32], uint64_t count)
{
    char number[24];

    (void)snprintf(number, sizeof(number), "%" PRIu64, count);
    (void)group(out, 32, number);
    return out;
}
