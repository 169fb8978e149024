/* json_run.c -- a whole run as one JSON document, nested as EP-029 and EP-032
 * have it: the run, its power samples, sections and tokens with their layers;
 * and behind them all other tables.  `ortmeter import` takes it back.
 *
 * Rows are written as they come, so memory does not grow with their number; but
 * for what lies within tokens. */
#include "export/json/json_run.h"

#include "export/formats.h"
#include "export/json/json_depth.h"
#include "export/json/row_json.h"
#include "export/json/shapes.h"
#include "export/table/tables.h"

#define FLUSH_BYTES 65536

struct writing {
    struct json_depth depth;
    struct sink *to;
    struct buf out;
    struct json json;
    const struct table *table;
};

static void flush(struct writing *w)
{
    sink_write(w->to, buf_str(&w->out));
    buf_clear(&w->out);
}

static void take_row(void *to, const struct cell *cells)
{
    struct writing *w = to;

    json_object(&w->json, NULL);
    row_json(&w->json, w->table->type->columns, w->table->type->count, cells);
    if (w->table == &token_table)
        json_depth_layers(&w->depth, &w->json, (uint64_t)cells[0].number);
    json_end(&w->json);
    if (w->out.len >= FLUSH_BYTES)
        flush(w);
}

static void take_run(void *to, const struct cell *cells)
{
    struct writing *w = to;

    json_object(&w->json, "run");
    row_json(&w->json, w->table->type->columns, w->table->type->count, cells);
    json_end(&w->json);
}

static int write(struct sink *to, struct store *s, int64_t run, struct error *e)
{
    struct writing w = { .to = to, .table = tables[0] };

    w.json = json_into(&w.out);
    json_object(&w.json, NULL);
    json_text(&w.json, "format", JSON_RUN_FORMAT);
    json_int(&w.json, "schema_version", JSON_RUN_VERSION);

    int rc = json_depth_read(&w.depth, s, run, e);

    if (!rc)
        rc = table_each_row(w.table, s, run, take_run, &w, e);
    for (const struct table *const *t = tables + 1; *t && !rc; t++) {
        w.table = *t;
        json_array(&w.json, (*t)->type->name);
        if (!json_depth_rest(&w.depth, &w.json, *t))
            rc = table_each_row(*t, s, run, take_row, &w, e);
        json_end(&w.json);
    }
    json_end(&w.json);
    buf_char(&w.out, '\n');
    flush(&w);
    buf_release(&w.out);
    json_depth_release(&w.depth);
    return rc;
}

static const struct export_shape shapes[] = {
    { "inference-events", shape_inference_events },
    { "operations", shape_operations },
    { "system", shape_system },
    { 0 },
};

const struct export_format export_json = {
    .name = "json",
    .about = "the whole run, nested; 'ortmeter import' takes it back",
    .ending = ".json",
    .write = write,
    .shapes = shapes,
};
