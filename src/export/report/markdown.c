/* markdown.c -- a run's report for a pull request or a wiki: headings and
 * tables, as GitHub writes them. */
#include "export/formats.h"
#include "export/report/report.h"

#include <string.h>

/* What would end the cell, or mean something, does not. */
static void add_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n' || *text == '\r')
            buf_char(out, ' ');
        else if (*text == '<')
            buf_text(out, "&lt;");
        else if (*text == '&')
            buf_text(out, "&amp;");
        else if (strchr("\\`*_[]|~#", *text))
            buf_printf(out, "\\%c", *text);
        else
            buf_char(out, *text);
    }
}

static void add_row(struct buf *out, const struct report_table *t, size_t row)
{
    for (size_t i = 0; i < t->columns; i++) {
        buf_text(out, "| ");
        add_text(out, report_cell(t, row, i));
        buf_char(out, ' ');
    }
    buf_text(out, "|\n");
}

static void add_table(struct buf *out, const struct report_table *t)
{
    buf_printf(out, "\n## %s\n\n", t->title);
    add_row(out, t, 0);
    for (size_t i = 0; i < t->columns; i++)
        buf_text(out, i && t->columns > 2 ? "|---:" : "|---");
    buf_text(out, "|\n");
    for (size_t row = 1; row < report_rows(t); row++)
        add_row(out, t, row);
}

static int write(struct sink *to, struct store *s, int64_t run, struct error *e)
{
    struct summary summary;
    struct report report;
    struct buf out = { 0 };
    int rc = summary_read(&summary, s, run, e);

    if (rc)
        return rc;
    report_init(&report, &summary);
    buf_text(&out, "# ");
    add_text(&out, report.title);
    buf_char(&out, '\n');
    for (size_t i = 0; i < report.count; i++)
        add_table(&out, &report.tables[i]);
    sink_write(to, buf_str(&out));
    buf_release(&out);
    report_release(&report);
    summary_release(&summary);
    return 0;
}

const struct export_format export_markdown = {
    .name = "markdown",
    .about = "a report for a pull request or a wiki",
    .ending = ".md",
    .write = write,
};
