/* str.h -- a borrowed piece of text: not terminated, never freed.
 *
 * Nothing here allocates, and nothing depends on the locale.  A blank is a
 * space, a tab, a carriage return or a newline. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
    const char *p;
    size_t len;
};

struct str str_of(const char *terminated);

bool str_eq(struct str a, struct str b);
/* The same, against a terminated text. */
bool str_is(struct str s, const char *terminated);
bool str_starts(struct str s, const char *terminated);
/* The first place of the text in `s`; NULL: it is not there. */
const char *str_find(struct str s, const char *terminated);

/* What precedes the first `c`; all of `s` if there is none. */
struct str str_before(struct str s, char c);

/* What follows the first `c`; empty if there is none. */
struct str str_after(struct str s, char c);

/* What follows the last `c`; empty if there is none. */
struct str str_after_last(struct str s, char c);

/* Without the blanks at both ends. */
struct str str_trim(struct str s);

/* Takes the next word off `rest`: words lie between blanks.  Empty when no
 * word is left. */
struct str str_word(struct str *rest);

/* Takes the next line off `rest`, without its "\n" or "\r\n"; the last line
 * needs none.  False: nothing is left, `line` is untouched. */
bool str_line(struct str *line, struct str *rest);

/* The whole of `s` as a decimal number: digits, and for str_i64() a '-' before
 * them.  -EINVAL: it is none.  -ERANGE: the type cannot hold it.  Then `out` is
 * untouched. */
int str_u64(uint64_t *out, struct str s);
int str_i64(int64_t *out, struct str s);

/* The whole of `s` as a decimal number with an optional '-', fraction and
 * exponent, rounded to the nearest double: "5", "-.5", "1.25e-3".  No "inf",
 * no "nan", no hexadecimal: -EINVAL.  -ERANGE: too great for a double, or
 * longer than 400 characters, which no printed double is.  Then `out` is
 * untouched. */
int str_f64(double *out, struct str s);
