#include "cmd/text/page.h"

#include <math.h>

#define LABEL_WIDTH 12

void page_style(const struct page *p, enum term_style s)
{
    buf_text(p->out, term_style(p->colours, s));
}

void page_label(const struct page *p, const char *text)
{
    buf_text(p->out, "  ");
    page_style(p, TERM_DIM);
    term_left(p->out, text, LABEL_WIDTH);
    page_style(p, TERM_PLAIN);
}

void page_duration(const struct page *p, double ns)
{
    char text[16];

    buf_text(p->out, term_duration(text, ns));
}

void page_duration_column(const struct page *p, double ns)
{
    char text[16];

    term_right(p->out, isnan(ns) ? "too few" : term_duration(text, ns),
            PAGE_COLUMN);
}

void page_count(const struct page *p, uint64_t n, const char *one,
        const char *more)
{
    char text[32];

    buf_printf(p->out, "%s %s", term_count(text, n), n == 1 ? one : more);
}
