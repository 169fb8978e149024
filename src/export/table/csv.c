#include "export/table/csv.h"

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

/* Anything but a text; the length. */
static size_t put_cell(char *to, enum column_type type, const struct cell *cell)
{
    switch (type) {
    case COLUMN_INT: return digits_i64(to, cell->number);
    case COLUMN_REAL: return digits_real(to, cell->real);
    case COLUMN_TIME: return digits_time(to, cell->number);
    case COLUMN_BOOL:
        memcpy(to, cell->truth ? "true" : "false", 5);
        return cell->truth ? 4 : 5;
    case COLUMN_TEXT: break;
    }
    return 0;
}

static void add_cell(struct buf *out, enum column_type type,
        const struct cell *cell)
{
    char text[DIGITS_MAX];

    if (type == COLUMN_TEXT)
        csv_text(out, cell->text);
    else
        buf_add(out, text, put_cell(text, type, cell));
}

/* What is between two texts is added at once. */
void csv_row(struct buf *out, const struct column *columns, size_t count,
        const struct cell *cells)
{
    char line[ROW_COLUMNS_MAX * (DIGITS_MAX + 1)];
    size_t len = 0;

    for (size_t i = 0; i < count; i++) {
        if (cells[i].known && columns[i].type == COLUMN_TEXT) {
            buf_add(out, line, len);
            csv_text(out, cells[i].text);
            len = 0;
        } else if (cells[i].known)
            len += put_cell(line + len, columns[i].type, &cells[i]);
        line[len++] = i + 1 < count ? ',' : '\n';
    }
    buf_add(out, line, len);
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

    csv_row(&c->out, c->table->type->columns, c->table->type->count, cells);
    if (c->out.len >= FLUSH_BYTES)
        flush(c);
}

static int write_table(struct sink *to, const struct table *t, struct store *s,
        int64_t run, enum export_codec codec, struct error *e)
{
    struct csv c = { .to = to, .table = t };

    (void)codec;
    csv_head(&c.out, t->type->columns, t->type->count);

    int rc = table_each_row(t, s, run, take_row, &c, e);

    flush(&c);
    buf_release(&c.out);
    return rc;
}

/* The run: its columns as lines, a name and a value. */
static void take_run(void *to, const struct cell *cells)
{
    struct csv *c = to;

    for (size_t i = 0; i < c->table->type->count; i++) {
        if (!cells[i].known)
            continue;
        buf_printf(&c->out, "%s,", c->table->type->columns[i].name);
        add_cell(&c->out, c->table->type->columns[i].type, &cells[i]);
        buf_char(&c->out, '\n');
    }
}

/* Sections, a table each, as EP-032 has them: a title, the names of the
 * columns, the rows; an empty line between them. */
static int write(struct sink *to, struct store *s, int64_t run, struct error *e)
{
    struct csv c = { .to = to, .table = tables[0] };

    buf_printf(&c.out, "# %s\nkey,value\n", c.table->type->name);

    int rc = table_each_row(c.table, s, run, take_run, &c, e);

    for (const struct table *const *t = tables + 1; *t && !rc; t++) {
        buf_printf(&c.out, "\n# %s\n", (*t)->type->name);
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
