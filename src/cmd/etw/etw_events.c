/* etw_events.c -- the records themselves: as JSON lines, and as tables for
 * other tools. */
#include "cmd/etw/etw_views.h"
#include "etw/activity.h"
#include "etw/event.h"
#include "etw/ort.h"
#include "export/json/row_json.h"
#include "export/parquet/parquet.h"
#include "export/sink.h"
#include "export/table/csv.h"

#include <inttypes.h>

#define FLUSH_BYTES 65536

const char *const etw_formats[] = { "jsonl", "csv", "parquet", "chrome",
    "folded", NULL };
enum { FORMAT_JSONL, FORMAT_CSV, FORMAT_PARQUET, FORMAT_CHROME, FORMAT_FOLDED };

bool etw_is_binary(const struct etw_settings *s)
{
    return s->format == FORMAT_PARQUET;
}

static void flush(struct sink *to, struct buf *out, size_t least)
{
    if (out->len < least || !out->len)
        return;
    sink_write(to, buf_str(out));
    buf_clear(out);
}

/* The next one that passes; NULL: no more, or writing on is in vain. */
static const struct etw_record *next(const struct etw_settings *s,
        struct etw_trace *t, struct sink *to, uint64_t *left)
{
    const struct etw_record *r;

    while (*left && !sink_failed(to) && (r = etw_trace_next(t)))
        if (etw_filter_passes(&s->filter, r, etw_trace_info(t))) {
            --*left;
            return r;
        }
    return NULL;
}

static void write_lines(const struct etw_settings *s, struct etw_trace *t,
        struct sink *to)
{
    uint64_t left = s->limit ? s->limit : UINT64_MAX;
    const struct etw_record *r;
    struct buf out = { 0 };

    while ((r = next(s, t, to, &left))) {
        struct json j = json_line_into(&out);

        etw_event_json(&j, r, etw_trace_info(t));
        buf_char(&out, '\n');
        flush(to, &out, FLUSH_BYTES);
    }
    flush(to, &out, 1);
    buf_release(&out);
}

/* --- tables ----------------------------------------------------------------
 */

static const struct column columns[] = {
    { .name = "time_ns", .type = COLUMN_INT, .unit = "ns" },
    { .name = "time", .type = COLUMN_TIME, .when = WHEN_SET },
    { .name = "provider", .type = COLUMN_TEXT },
    { .name = "event", .type = COLUMN_TEXT },
    { .name = "processor", .type = COLUMN_INT },
    { .name = "pid", .type = COLUMN_INT, .when = WHEN_SET },
    { .name = "tid", .type = COLUMN_INT, .when = WHEN_SET },
    { .name = "id", .type = COLUMN_INT, .when = WHEN_SET },
    { .name = "opcode", .type = COLUMN_INT },
    { .name = "version", .type = COLUMN_INT },
    { .name = "level", .type = COLUMN_INT, .when = WHEN_SET },
    { .name = "data_bytes", .type = COLUMN_INT, .unit = "bytes" },
    { .name = "fields", .type = COLUMN_TEXT, .when = WHEN_SET, .json = true },
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

struct row {
    struct cell cells[COLUMNS];
    struct buf provider, event, fields;
};

static struct cell integer(int64_t value, bool known)
{
    return (struct cell){ .known = known, .number = value };
}

static void fill(struct row *x, const struct etw_record *r,
        const struct etw_info *info)
{
    int64_t ns = etw_trace_ns(info, r->time);
    uint64_t wall = etw_trace_wall_ns(info);
    bool event = r->kind == ETW_EVENT;

    buf_clear(&x->provider);
    buf_clear(&x->event);
    buf_clear(&x->fields);
    etw_event_provider(&x->provider, r);
    etw_event_name(&x->event, r);

    struct json j = json_line_into(&x->fields);

    json_object(&j, NULL);

    bool known = etw_event_fields(&j, r);

    json_end(&j);
    x->cells[0] = integer(ns, true);
    x->cells[1] = integer((int64_t)(wall + (uint64_t)ns), wall != 0);
    x->cells[2] = (struct cell){ true, .text = buf_str(&x->provider) };
    x->cells[3] = (struct cell){ true, .text = buf_str(&x->event) };
    x->cells[4] = integer(r->processor, true);
    x->cells[5] = integer(r->pid, r->pid != ETW_NO_ID);
    x->cells[6] = integer(r->tid, r->tid != ETW_NO_ID);
    x->cells[7] = integer(r->id, event || r->kind == ETW_WPP);
    x->cells[8] = integer(r->opcode, true);
    x->cells[9] = integer(r->version, true);
    x->cells[10] = integer(r->level, event);
    x->cells[11] = integer((int64_t)r->len, true);
    x->cells[12] = (struct cell){ known, .text = buf_str(&x->fields) };
}

static void release(struct row *x)
{
    buf_release(&x->provider);
    buf_release(&x->event);
    buf_release(&x->fields);
}

static void write_csv(const struct etw_settings *s, struct etw_trace *t,
        struct sink *to)
{
    uint64_t left = s->limit ? s->limit : UINT64_MAX;
    const struct etw_record *r;
    struct row row = { 0 };
    struct buf out = { 0 };

    csv_head(&out, columns, COLUMNS);
    while ((r = next(s, t, to, &left))) {
        fill(&row, r, etw_trace_info(t));
        csv_row(&out, columns, COLUMNS, row.cells);
        flush(to, &out, FLUSH_BYTES);
    }
    flush(to, &out, 1);
    buf_release(&out);
    release(&row);
}

static void write_parquet(const struct etw_settings *s, struct etw_trace *t,
        struct sink *to)
{
    uint64_t left = s->limit ? s->limit : UINT64_MAX;
    const struct etw_record *r;
    struct row row = { 0 };
    struct parquet *p = parquet_open(to, columns, COLUMNS, EXPORT_ZSTD);

    while ((r = next(s, t, to, &left))) {
        fill(&row, r, etw_trace_info(t));
        parquet_row(p, row.cells);
    }
    parquet_close(p);
    release(&row);
}

/* --- Chrome's trace format -------------------------------------------------
 */

struct chrome {
    struct sink *to;
    struct buf out;
    bool any;
};

static struct json begin_event(struct chrome *c, const char *phase,
        const char *name, int64_t ns)
{
    buf_text(&c->out, c->any ? ",\n" : "\n");
    c->any = true;

    struct json j = json_line_into(&c->out);

    json_object(&j, NULL);
    json_text(&j, "ph", phase);
    json_text(&j, "name", name);
    json_fixed(&j, "ts", (double)ns / 1e3, 3);
    return j;
}

static void end_event(struct chrome *c, struct json *j)
{
    json_end(j);
    flush(c->to, &c->out, FLUSH_BYTES);
}

static void chrome_inference(void *context, const struct etw_ort_inference *x)
{
    struct chrome *c = context;
    struct json j = begin_event(c, "X", "inference", x->start_ns);

    json_text(&j, "cat", "onnxruntime");
    json_fixed(&j, "dur", (double)x->duration_ns / 1e3, 3);
    json_u64(&j, "pid", x->pid);
    json_u64(&j, "tid", x->tid);
    end_event(c, &j);
}

static void chrome_session(void *context, const struct etw_ort_session *x)
{
    struct chrome *c = context;

    if (!x->whole)
        return;

    struct json j = begin_event(c, "X", "session", x->start_ns);

    json_text(&j, "cat", "onnxruntime");
    json_fixed(&j, "dur", (double)x->duration_ns / 1e3, 3);
    json_u64(&j, "pid", x->pid);
    json_u64(&j, "tid", x->tid);
    json_object(&j, "args");
    if (x->model)
        json_text(&j, "model", x->model);
    json_end(&j);
    end_event(c, &j);
}

static void chrome_instant(struct chrome *c, const struct etw_record *r,
        const struct etw_info *info)
{
    struct buf name = { 0 };

    etw_event_name(&name, r);

    struct json j =
            begin_event(c, "i", buf_cstr(&name), etw_trace_ns(info, r->time));

    json_text(&j, "s", r->tid == ETW_NO_ID ? "g" : "t");
    json_u64(&j, "pid", r->pid == ETW_NO_ID ? 0 : r->pid);
    json_u64(&j, "tid", r->tid == ETW_NO_ID ? r->processor : r->tid);
    json_object(&j, "args");
    (void)etw_event_fields(&j, r);
    json_end(&j);
    end_event(c, &j);
    buf_release(&name);
}

static void chrome_names(struct chrome *c, const struct etw_activity *a)
{
    for (size_t i = 0; i < etw_activity_processes(a); i++) {
        const struct etw_process *p = etw_activity_process(a, i);

        if (!p->name.len)
            continue;

        struct json j = begin_event(c, "M", "process_name", 0);

        json_u64(&j, "pid", p->pid);
        json_object(&j, "args");
        json_str(&j, "name", buf_str(&p->name));
        json_end(&j);
        end_event(c, &j);
    }
}

static void write_chrome(const struct etw_settings *s, struct etw_trace *t,
        struct sink *to)
{
    const struct etw_info *info = etw_trace_info(t);
    struct chrome c = { .to = to };
    struct etw_activity *activity = etw_activity_new(info);
    struct etw_ort *ort =
            etw_ort_new(info, &(struct etw_ort_sink){ .context = &c,
                                      .inference = chrome_inference,
                                      .session = chrome_session });
    uint64_t left = s->limit ? s->limit : UINT64_MAX;
    const struct etw_record *r;

    buf_text(&c.out, "{\"traceEvents\":[");
    while ((r = next(s, t, to, &left))) {
        etw_activity_take(activity, r);
        etw_ort_take(ort, r);
        chrome_instant(&c, r, info);
    }
    etw_ort_end(ort);
    chrome_names(&c, activity);
    buf_text(&c.out, "\n],\"displayTimeUnit\":\"ns\"}\n");
    flush(to, &c.out, 1);
    buf_release(&c.out);
    etw_ort_free(ort);
    etw_activity_free(activity);
}

/* --- all of them -----------------------------------------------------------
 */

static int write_as(int format, const struct etw_settings *s,
        struct etw_trace *t, struct error *e)
{
    struct sink *to;
    int rc = sink_open(&to, s->out, false, e);

    if (rc)
        return rc;
    switch (format) {
    case FORMAT_CSV: write_csv(s, t, to); break;
    case FORMAT_PARQUET: write_parquet(s, t, to); break;
    case FORMAT_CHROME: write_chrome(s, t, to); break;
    case FORMAT_FOLDED: etw_write_folded(s, t, to); break;
    default: write_lines(s, t, to);
    }
    return sink_close(to, true, e);
}

int etw_show_events(const struct etw_settings *s, struct etw_trace *t,
        struct error *e)
{
    return write_as(FORMAT_JSONL, s, t, e);
}

int etw_convert(const struct etw_settings *s, struct etw_trace *t,
        struct error *e)
{
    return write_as(s->format, s, t, e);
}
