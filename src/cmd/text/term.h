/* term.h -- text for people: colours where they are wanted, and numbers that
 * are read at a glance. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum term_style {
    TERM_PLAIN, /* ends any other */
    TERM_BOLD,
    TERM_DIM,
    TERM_RED,
    TERM_GREEN,
    TERM_YELLOW,
};

/* Whether a stream ends at a terminal that a person watches. */
bool term_is_terminal(FILE *stream);

/* Whether to colour what goes there: a terminal, not TERM=dumb, and NO_COLOR
 * is not set (no-color.org). */
bool term_colours(FILE *stream);

/* What switches a style on; "" where `colours` is false. */
const char *term_style(bool colours, enum term_style style);

/* How many columns a text takes: one for each UTF-8 character, which holds for
 * all that we print ourselves. */
size_t term_width(const char *utf8);

/* Adds a text that comes from elsewhere: what could move the cursor or worse is
 * a blank. */
void term_text(struct buf *out, const char *utf8);

/* The same, and blanks up to `width` columns: behind it, or, with
 * term_right(), before it, as for numbers.  A longer text stays whole. */
void term_left(struct buf *out, const char *utf8, size_t width);
void term_right(struct buf *out, const char *utf8, size_t width);

/* Numbers with three significant digits and the unit that suits them: "999 ns",
 * "1.00 µs", "12.3 ms", "1,234 s"; "512 B", "15.6 GB" (powers of 1000, as the
 * letters say).  Below zero is allowed, for differences.  What is not a number
 * is "–".  `out` is returned. */
char *term_duration(char out[16], double ns);
char *term_bytes(char out[16], double bytes);

/* All digits, in groups of three: "1,234,567". */
char *term_count(char out[32], uint64_t count);
