/* report_build.h -- how the tables of a report are filled: cell by cell, row by
 * row, the head first.  For the files of this folder. */
#pragma once

#include "export/report/report.h"

/* The table that the cells are for, until report_end(). */
struct report_table *report_begin(struct report *r, const char *title,
        size_t columns);
/* NULL is an empty cell. */
void report_add(struct report_table *t, const char *text);
void PRINTF_LIKE(2, 3)
        report_addf(struct report_table *t, const char *fmt, ...);
void report_add_duration(struct report_table *t, double ns);
/* A table of nothing but its head is none, and goes. */
void report_end(struct report *r);

/* report_operators.c: where the time of inferences went, and what became of
 * the nodes of models. */
void report_operators(struct report *r, const struct summary *s);
