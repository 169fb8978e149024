#include "export/report/report_build.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

size_t report_rows(const struct report_table *t)
{
    return t->cell_count / t->columns;
}

const char *report_cell(const struct report_table *t, size_t row, size_t column)
{
    return t->cells[row * t->columns + column];
}

void report_duration(struct buf *out, double ns)
{
    if (ns < 1e3)
        buf_printf(out, "%.0f ns", ns);
    else if (ns < 1e6)
        buf_printf(out, "%.2f µs", ns / 1e3);
    else if (ns < 1e9)
        buf_printf(out, "%.3f ms", ns / 1e6);
    else
        buf_printf(out, "%.3f s", ns / 1e9);
}

struct report_table *report_begin(struct report *r, const char *title,
        size_t columns)
{
    r->tables = alloc_resize(r->tables, (r->count + 1) * sizeof(*r->tables));
    r->tables[r->count] = (struct report_table){ .title = alloc_text(title),
        .columns = columns };
    return &r->tables[r->count++];
}

void report_add(struct report_table *t, const char *text)
{
    t->cells = alloc_resize(t->cells, (t->cell_count + 1) * sizeof(*t->cells));
    t->cells[t->cell_count++] = alloc_text(text ? text : "");
}

void report_addf(struct report_table *t, const char *fmt, ...)
{
    va_list args;
    char text[1024];

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    report_add(t, text);
}

void report_add_duration(struct report_table *t, double ns)
{
    struct buf text = { 0 };

    report_duration(&text, ns);
    report_add(t, buf_cstr(&text));
    buf_release(&text);
}

static void drop(struct report_table *t)
{
    for (size_t i = 0; i < t->cell_count; i++)
        free(t->cells[i]);
    free(t->cells);
    free(t->title);
}

void report_end(struct report *r)
{
    if (report_rows(&r->tables[r->count - 1]) > 1)
        return;
    drop(&r->tables[--r->count]);
}

void report_release(struct report *r)
{
    for (size_t i = 0; i < r->count; i++)
        drop(&r->tables[i]);
    free(r->tables);
    free(r->title);
}
