/* grid.h -- a screen of characters in memory: drawn on by plain functions,
 * shown by somebody else, and read back by tests.
 *
 * Every UTF-8 character takes one cell, which holds for all that we draw.
 * Whatever lies outside is cut off. */
#pragma once

#include "base/buf.h"
#include "base/compiler.h"
#include "cmd/text/term.h"

struct grid_cell {
    char text[5];  /* one character, terminated; "": a blank */
    uint8_t style; /* enum term_style */
};

struct grid {
    int rows, cols;
    struct grid_cell *cell; /* row by row */
};

/* Makes it empty, of that size. */
void grid_reset(struct grid *g, int rows, int cols);
void grid_release(struct grid *g);

/* Returns the column behind what was written.  Bytes that could move a cursor
 * become blanks. */
int grid_text(struct grid *g, int row, int col, enum term_style style,
        const char *utf8);
int grid_printf(struct grid *g, int row, int col, enum term_style style,
        const char *fmt, ...) PRINTF_LIKE(5, 6);

/* The same, cut off or filled up with blanks to `width`; to the right where
 * the width is negative. */
int grid_field(struct grid *g, int row, int col, int width,
        enum term_style style, const char *utf8);

/* A bar of `width` cells, of which a share (0 to 1) is full. */
void grid_gauge(struct grid *g, int row, int col, int width,
        enum term_style style, double share);

/* One cell a value, each a share (0 to 1) of full height. */
void grid_sparkline(struct grid *g, int row, int col, enum term_style style,
        const double *share, size_t count);

/* A row as text, without the blanks at its end: for tests. */
void grid_row(struct buf *out, const struct grid *g, int row);
