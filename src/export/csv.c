#include "export/csv.h"

#include "base/digits.h"
#include "export/formats.h"

#include <string.h>

#define FLUSH_BYTES 65536

/* --- cells ---------------------------------------------------------------- */

static bool needs_quotes(struct str s)
{
    if (!s.len)
        return true;
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] == ',' || s.p[i] == '"' || s.p[i] == '\n' || s.p[i] == '\r')
            return true;
    /* Spreadsheets and some readers would trim it. */
    return s.p[0] == ' ' || s.p[s.len - 1] == ' ';
}

void csv_text(struct buf *out, struct str s)
{
    if (!needs_quotes(s)) {
        buf_add(out, s.p, s.len);
        return;
    }
    buf_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '"')
            buf_char(out, '"');
        buf_char(out, s.p[i]);
    }
    buf_char(out, '"');
}

void csv_head(struct buf *out, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s%s", i ? "," : "", columns[i].name);
    buf_char(out, '\n');
}

static void add_cell(struct buf *out, enum column_type type,
        const struct cell *cell)
{
    char digits[DIGITS_MAX];

    switch (type) {
    case COLUMN_INT:
        buf_add(out, digits, digits_i64(digits, cell->number));
        break;
    case COLUMN_REAL:
        buf_add(out, digits, digits_real(digits, cell->real));
        break;
    case COLUMN_BOOL:
        buf_add(out, cell->truth ? "true" : "false", cell->truth ? 4 : 5);
        break;
    case COLUMN_TIME:
        buf_add(out, digits, digits_time(digits, cell->number));
        break;
    case COLUMN_TEXT: csv_text(out, cell->text); break;
    }
}

void csv_row(struct buf *out, const struct column *columns, size_t count,
        const struct cell *cells)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_char(out, ',');
        if (cells[i].known)
            add_cell(out, columns[i].type, &cells[i]);
    }
    buf_char(out, '\n');
}

/* --- files ---------------------------------------------------------------- */

struct csv {
    struct sink *to;
    const struct table *table;
    struct buf out;
};

static void flush(struct csv *c)
{
    sink_write(c->to, buf_str(&c->out));
    buf_clear(&c->out);
}

static void take_row(void *to, const struct cell *cells)
{
    struct csv *c = to;

    csv_row(&c->out, c->table->columns, c->table->column_count, cells);
    if (c->out.len >= FLUSH_BYTES)
        flush(c);
}

static int write_table(struct sink *to, const struct table *t, struct store *s,
        int64_t run, enum export_codec codec, struct error *e)
{
    struct csv c = { .to = to, .table = t };

    (void)codec;
    csv_head(&c.out, t->columns, t->column_count);

    int rc = table_each_row(t, s, run, take_row, &c, e);

    flush(&c);
    buf_release(&c.out);
    return rc;
}

/* The run: its columns as lines, a name and a value. */
static void take_run(void *to, const struct cell *cells)
{
    struct csv *c = to;

    for (size_t i = 0; i < c->table->column_count; i++) {
        if (!cells[i].known)
            continue;
        buf_printf(&c->out, "%s,", c->table->columns[i].name);
        add_cell(&c->out, c->table->columns[i].type, &cells[i]);
        buf_char(&c->out, '\n');
    }
}

/* Sections, a table each, as EP-032 has them: a title, the names of the
 * columns, the rows; an empty line between them. */
static int write(struct sink *to, struct store *s, int64_t run, struct error *e)
{
    struct csv c = { .to = to, .table = tables[0] };

    buf_printf(&c.out, "# %s\nkey,value\n", c.table->name);

    int rc = table_each_row(c.table, s, run, take_run, &c, e);

    for (const struct table *const *t = tables + 1; *t && !rc; t++) {
        buf_printf(&c.out, "\n# %s\n", (*t)->name);
        flush(&c);
        rc = write_table(to, *t, s, run, EXPORT_PLAIN, e);
    }
    flush(&c);
    buf_release(&c.out);
    return rc;
}

const struct export_format export_csv = {
    .name = "csv",
    .about = "tables for spreadsheets: one file of sections, or a file each",
    .ending = ".csv",
    .write = write,
    .write_table = write_table,
};
