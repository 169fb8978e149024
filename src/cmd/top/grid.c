#include "cmd/top/grid.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void grid_reset(struct grid *g, int rows, int cols)
{
    if (rows < 0)
        rows = 0;
    if (cols < 0)
        cols = 0;
    if (rows != g->rows || cols != g->cols || !g->cell) {
        free(g->cell);
        g->cell = alloc_zero((size_t)rows * (size_t)cols + 1, sizeof(*g->cell));
        g->rows = rows;
        g->cols = cols;
    }
    memset(g->cell, 0, (size_t)rows * (size_t)cols * sizeof(*g->cell));
}

void grid_release(struct grid *g)
{
    free(g->cell);
    *g = (struct grid){ 0 };
}

/* How long a character is; what is no UTF-8 is one byte. */
static size_t char_len(const char *p)
{
    unsigned char c = (unsigned char)*p;
    size_t len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

    for (size_t i = 1; i < len; i++)
        if (((unsigned char)p[i] & 0xc0) != 0x80)
            return 1;
    return len;
}

static void put(struct grid *g, int row, int col, enum term_style style,
        const char *p, size_t len)
{
    if (row < 0 || row >= g->rows || col < 0 || col >= g->cols)
        return;

    struct grid_cell *c = &g->cell[row * g->cols + col];
    unsigned char first = (unsigned char)*p;
    bool plain = len > 1 || (first >= ' ' && first < 0x7f);

    memset(c->text, 0, sizeof(c->text));
    memcpy(c->text, plain ? p : " ", plain ? len : 1);
    c->style = (uint8_t)style;
}

int grid_text(struct grid *g, int row, int col, enum term_style style,
        const char *utf8)
{
    while (*utf8) {
        size_t len = char_len(utf8);

        put(g, row, col++, style, utf8, len);
        utf8 += len;
    }
    return col;
}

int grid_printf(struct grid *g, int row, int col, enum term_style style,
        const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return grid_text(g, row, col, style, text);
}

int grid_field(struct grid *g, int row, int col, int width,
        enum term_style style, const char *utf8)
{
    int room = width < 0 ? -width : width;
    int length = 0, skip;

    for (const char *p = utf8; *p; p += char_len(p))
        length++;
    skip = width < 0 && length < room ? room - length : 0;
    for (int i = 0; i < skip; i++)
        put(g, row, col + i, style, " ", 1);
    for (int i = skip; i < room; i++) {
        size_t len = *utf8 ? char_len(utf8) : 0;

        put(g, row, col + i, style, len ? utf8 : " ", len ? len : 1);
        utf8 += len;
    }
    return col + room;
}

void grid_gauge(struct grid *g, int row, int col, int width,
        enum term_style style, double share)
{
    int full = (int)(share * width + 0.5);

    for (int i = 0; i < width; i++)
        (void)grid_text(g, row, col + i, i < full ? style : TERM_DIM,
                i < full ? "█" : "░");
}

void grid_sparkline(struct grid *g, int row, int col, enum term_style style,
        const double *share, size_t count)
{
    static const char *const steps[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇",
        "█" };

    for (size_t i = 0; i < count; i++) {
        int step = (int)(share[i] * 8);

        step = step < 0 ? 0 : step > 7 ? 7 : step;
        (void)grid_text(g, row, col + (int)i, style, steps[step]);
    }
}

void grid_row(struct buf *out, const struct grid *g, int row)
{
    int last = g->cols;

    while (last > 0 &&
            (!g->cell[row * g->cols + last - 1].text[0] ||
                    strcmp(g->cell[row * g->cols + last - 1].text, " ") == 0))
        last--;
    for (int i = 0; i < last; i++) {
        const char *text = g->cell[row * g->cols + i].text;

        buf_text(out, text[0] ? text : " ");
    }
}
