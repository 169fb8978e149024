/* jsonl.c -- JSON Lines: an object a row.  In one file for the whole run, each
 * begins with the name of its table. */
#include "export/formats.h"
#include "export/json/row_json.h"
#include "export/table/table.h"

#define FLUSH_BYTES 65536

struct lines {
    struct sink *to;
    const struct table *table;
    bool named; /* the table's name is in each line */
    struct buf out;
};

static void take_row(void *to, const struct cell *cells)
{
    struct lines *l = to;
    struct json j = json_line_into(&l->out);

    json_object(&j, NULL);
    if (l->named)
        json_text(&j, "table", l->table->type->name);
    row_json(&j, l->table->type->columns, l->table->type->count, cells);
    json_end(&j);
    buf_char(&l->out, '\n');
    if (l->out.len >= FLUSH_BYTES) {
        sink_write(l->to, buf_str(&l->out));
        buf_clear(&l->out);
    }
}

static int write_rows(struct lines *l, struct store *s, int64_t run,
        struct error *e)
{
    int rc = table_each_row(l->table, s, run, take_row, l, e);

    sink_write(l->to, buf_str(&l->out));
    buf_release(&l->out);
    return rc;
}

static int write_table(struct sink *to, const struct table *t, struct store *s,
        int64_t run, enum export_codec codec, struct error *e)
{
    (void)codec;
    return write_rows(&(struct lines){ .to = to, .table = t }, s, run, e);
}

static int write(struct sink *to, struct store *s, int64_t run, struct error *e)
{
    int rc = 0;

    for (const struct table *const *t = tables; *t && !rc; t++)
        rc = write_rows(&(struct lines){ .to = to, .table = *t, .named = true },
                s, run, e);
    return rc;
}

const struct export_format export_jsonl = {
    .name = "jsonl",
    .about = "the same tables as JSON Lines: an object a row",
    .ending = ".jsonl",
    .write = write,
    .write_table = write_table,
};
