/* page.h -- a report's lines: a label, and what it labels. */
#pragma once

#include "base/buf.h"
#include "cmd/text/term.h"

#define PAGE_COLUMN 10 /* wide */
#define PAGE_LINES  12 /* of a list, at most */

struct page {
    struct buf *out;
    bool colours;
};

void page_style(const struct page *p, enum term_style s);
void page_label(const struct page *p, const char *text);
void page_duration(const struct page *p, double ns);
/* To the right, in a column. */
void page_duration_column(const struct page *p, double ns);
/* "1 inference", "1,009 inferences". */
void page_count(const struct page *p, uint64_t n, const char *one,
        const char *more);
