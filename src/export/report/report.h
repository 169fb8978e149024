/* report.h -- a run's summary as tables of texts, for whoever sets them: in
 * Markdown, in HTML. */
#pragma once

#include "analyse/summary.h"
#include "base/compiler.h"

#include <stddef.h>

/* Texts; the first row names the columns.  The first column is words, the
 * others are mostly figures. */
struct report_table {
    char *title;
    size_t columns;
    char **cells; /* row by row */
    size_t cell_count;
};

struct report {
    char *title;
    struct report_table *tables; /* none of them without rows */
    size_t count;
};

void report_init(struct report *r, const struct summary *s);
void report_release(struct report *r);

size_t report_rows(const struct report_table *t);
const char *report_cell(const struct report_table *t, size_t row,
        size_t column);

/* A duration as people read it: "1.234 ms". */
void report_duration(struct buf *out, double ns);
