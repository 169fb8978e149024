/* sampled.c -- what was sampled: subjects, readings, rollups, and what could
 * not be had.
 *
 * Metrics go by their names in the file, so that an ortmeter with more of them,
 * or with fewer, reads the same file right. */
#include "base/buf.h"
#include "model/metric.h"
#include "store/bulk_insert.h"
#include "store/row.h"

#include <math.h>

/* The number of a metric in the file; 0: the store has failed. */
static int64_t metric_number(struct store *s, uint16_t metric)
{
    if (s->metrics[metric])
        return s->metrics[metric];

    const char *name = metric_table[metric].name;
    sqlite3_stmt *add = store_once(s,
            "INSERT INTO metrics (name) VALUES (?1) ON CONFLICT DO NOTHING");

    if (add) {
        store_bind_text(add, 1, name);
        store_finish(s, add);
    }

    sqlite3_stmt *find =
            store_once(s, "SELECT id FROM metrics WHERE name = ?1");

    if (!find)
        return 0;
    store_bind_text(find, 1, name);
    if (sqlite3_step(find) == SQLITE_ROW)
        s->metrics[metric] = sqlite3_column_int64(find, 0);
    (void)sqlite3_finalize(find);
    return s->metrics[metric];
}

/* --- writing -------------------------------------------------------------- */

void store_add_subject(struct store *s, uint32_t id, const struct subject *x)
{
    store_begin(s);

    sqlite3_stmt *st = store_once(s,
            "INSERT INTO subjects (run, id, kind, parent, number, start_ns,"
            " name, detail, source) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)"
            " ON CONFLICT DO UPDATE SET name = ?7, detail = ?8");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, id, true);
    store_bind_text(st, 3, subject_kind_name(x->kind));
    store_bind_u64(st, 4, x->parent, true);
    store_bind_u64(st, 5, x->number, true);
    store_bind_u64(st, 6, x->start_ns, x->start_ns);
    store_bind_text(st, 7, x->name);
    store_bind_text(st, 8, x->detail);
    store_bind_text(st, 9, x->source);
    store_finish(s, st);
}

void store_end_subject(struct store *s, uint32_t id, uint64_t time_ns)
{
    store_begin(s);

    sqlite3_stmt *st = store_once(s,
            "UPDATE subjects SET end_ns = ?3 WHERE run = ?1 AND id = ?2");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, id, true);
    store_bind_u64(st, 3, time_ns, true);
    store_finish(s, st);
}

void store_add_readings(struct store *s, const struct reading *r, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (s->reading_count == STORE_BATCH)
            (void)store_flush(s, NULL);
        if (s->failed)
            return;
        if (isnan(r[i].value))
            continue; /* SQLite would take it for nothing */
        s->readings[s->reading_count++] = r[i];
    }
}

void store_add_reading(struct store *s, const struct reading *r)
{
    store_add_readings(s, r, 1);
}

static size_t count_readings(const struct store *s)
{
    return s->reading_count;
}

static void reading_cell(sqlite3_context *to, const struct store *s, size_t at,
        int column)
{
    const struct reading *r = &s->readings[at];

    switch (column) {
    case 0: bulk_insert_u64(to, (uint64_t)s->run, true); break;
    case 1: bulk_insert_u64(to, s->readings_taken + at + 1, true); break;
    case 2: bulk_insert_u64(to, r->time_ns, true); break;
    case 3: bulk_insert_u64(to, r->subject, true); break;
    case 4: bulk_insert_u64(to, (uint64_t)s->metrics[r->metric], true); break;
    case 5: sqlite3_result_double(to, r->value); break;
    case 6: bulk_insert_u64(to, r->method, true); break;
    default: break;
    }
}

const struct bulk_insert feed_readings = { "waiting_readings", 7,
    count_readings, reading_cell };

void store_write_readings(struct store *s)
{
    for (size_t i = 0; i < s->reading_count; i++)
        (void)metric_number(s, s->readings[i].metric);
    if (s->reading_count)
        store_run_kept(s, &s->add_readings,
                "INSERT OR FAIL INTO readings SELECT * FROM waiting_readings");
    s->readings_taken += s->reading_count;
    s->reading_count = 0;
}

void store_add_rollup(struct store *s, const struct rollup *r)
{
    store_begin(s);

    sqlite3_stmt *st = store_kept(s, &s->add_rollup,
            "INSERT OR REPLACE INTO rollups (run, metric, subject, second,"
            " count, min, mean, max) VALUES (?1,?2,?3,?4,?5,?6,?7,?8)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    (void)sqlite3_bind_int64(st, 2, metric_number(s, r->metric));
    store_bind_u64(st, 3, r->subject, true);
    store_bind_u64(st, 4, r->second, true);
    store_bind_u64(st, 5, r->count, true);
    (void)sqlite3_bind_double(st, 6, r->min);
    (void)sqlite3_bind_double(st, 7, r->mean);
    (void)sqlite3_bind_double(st, 8, r->max);
    store_step_kept(s, st);
}

void store_add_absence(struct store *s, const struct absence_note *a)
{
    store_begin(s);

    int64_t metric = metric_number(s, (uint16_t)a->metric);
    sqlite3_stmt *st = store_once(s,
            "INSERT OR REPLACE INTO absences (run, subject, metric, reason)"
            " VALUES (?1,?2,?3,?4)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, a->subject, true);
    (void)sqlite3_bind_int64(st, 3, metric);
    store_bind_text(st, 4, a->reason);
    store_finish(s, st);
}

void store_add_alert(struct store *s, const struct alert *a)
{
    store_begin(s);

    int64_t metric = metric_number(s, (uint16_t)a->metric);
    sqlite3_stmt *st = store_once(s,
            "INSERT OR REPLACE INTO alerts (run, number, time_ns, rule,"
            " subject, metric, value, threshold)"
            " VALUES (?1,?2,?3,?4,?5,?6,?7,?8)");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, a->number, true);
    store_bind_u64(st, 3, a->time_ns, true);
    store_bind_text(st, 4, a->rule);
    store_bind_u64(st, 5, a->subject, true);
    (void)sqlite3_bind_int64(st, 6, metric);
    (void)sqlite3_bind_double(st, 7, a->value);
    (void)sqlite3_bind_double(st, 8, a->threshold);
    store_finish(s, st);
}

void store_end_alert(struct store *s, uint32_t number, uint64_t time_ns)
{
    store_begin(s);

    sqlite3_stmt *st = store_once(s,
            "UPDATE alerts SET end_ns = ?3 WHERE run = ?1 AND number = ?2");

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    store_bind_u64(st, 2, number, true);
    store_bind_u64(st, 3, time_ns, true);
    store_finish(s, st);
}

void store_set_figures(struct store *s, int64_t row, const struct run_figure *f,
        size_t count)
{
    store_begin(s);
    for (size_t i = 0; i < count; i++) {
        int64_t metric = metric_number(s, (uint16_t)f[i].metric);
        sqlite3_stmt *st = store_once(s,
                "INSERT OR REPLACE INTO run_figures (run, metric, value)"
                " VALUES (?1,?2,?3)");

        if (!st)
            return;
        (void)sqlite3_bind_int64(st, 1, row);
        (void)sqlite3_bind_int64(st, 2, metric);
        (void)sqlite3_bind_double(st, 3, f[i].value);
        store_finish(s, st);
    }

    sqlite3_stmt *st =
            store_once(s, "UPDATE profiling_runs SET summed = 1 WHERE id = ?1");

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, row);
    store_finish(s, st);
}

/* --- reading -------------------------------------------------------------- */

/* From the file's numbers to ours, for those metrics that we know. */
static void metric_row(sqlite3_stmt *st, void *to)
{
    const struct metric *m = metric_find(str_of(row_text(st, 1)));

    if (m)
        map_put(to, row_u64(st, 0), (uint64_t)(m - metric_table));
}

static int read_metrics(struct map *out, struct store *s, struct error *e)
{
    return row_query(s, "SELECT id, name FROM metrics WHERE ?1", 1, metric_row,
            out, e);
}

/* A row that has a metric. */
struct each_figure {
    struct map metrics;
    union {
        void (*reading)(void *, const struct reading *);
        void (*rollup)(void *, const struct rollup *);
        void (*absence)(void *, const struct absence_note *);
        void (*alert)(void *, const struct alert *);
    } call;
    void *context;
};

static int query_figures(struct store *s, const char *sql, int64_t run,
        void (*row)(sqlite3_stmt *st, void *each), struct each_figure *each,
        struct error *e)
{
    int rc = read_metrics(&each->metrics, s, e);

    if (!rc)
        rc = row_query(s, sql, run, row, each, e);
    map_release(&each->metrics);
    return rc;
}

static void subject_row(sqlite3_stmt *st, void *to)
{
    struct each_subject_entry {
        void (*call)(void *, const struct subject_entry *);
        void *context;
    } *each = to;
    struct subject_entry x = {
        .id = row_u32(st, 0),
        .end_ns = row_u64(st, 5),
        .subject = { .parent = row_u32(st, 2),
                .number = row_u64(st, 3),
                .start_ns = row_u64(st, 4),
                .name = row_text(st, 6),
                .detail = row_text(st, 7),
                .source = row_text(st, 8) },
    };
    struct str kind = str_of(row_text(st, 1));

    for (int i = 0; i < SUBJECT_KINDS; i++)
        if (str_is(kind, subject_kind_name((enum subject_kind)i))) {
            x.subject.kind = (enum subject_kind)i;
            each->call(each->context, &x);
        }
}

ROW_EACH(subject_entry);
ROW_READ(subject, subject_entry, subject_row,
        "SELECT id, kind, parent, number, start_ns, end_ns, name, detail,"
        " source FROM subjects WHERE run = ?1 ORDER BY id")

static void reading_row(const struct row_values *v, void *to)
{
    struct each_figure *each = to;
    const uint64_t *metric = map_find(&each->metrics, value_u64(v, 2));

    if (metric)
        each->call.reading(each->context,
                &(struct reading){
                        .time_ns = value_u64(v, 0),
                        .subject = value_u32(v, 1),
                        .metric = (uint16_t)*metric,
                        .value = sqlite3_value_double(v->value[3]),
                        .method = (uint8_t)value_u32(v, 4),
                });
}

STORE_EACH(reading, reading)
{
    struct each_figure to = { .call.reading = each, .context = context };
    int rc = read_metrics(&to.metrics, s, e);

    if (!rc)
        rc = row_stream(s,
                "SELECT take(?2, time_ns, subject, metric, value, method)"
                " FROM readings WHERE run = ?1 ORDER BY number",
                run, reading_row, &to, e);
    map_release(&to.metrics);
    return rc;
}

static void reading_since_row(sqlite3_stmt *st, void *to)
{
    sqlite3_value *values[5];
    struct row_values v = { .value = values };

    row_values_read(&v, st, 5);
    reading_row(&v, to);
}

STORE_EACH_SINCE(reading, reading)
{
    struct each_figure to = { .call.reading = each, .context = context };
    int rc = read_metrics(&to.metrics, s, e);

    if (!rc)
        rc = row_query_since(s,
                "SELECT time_ns, subject, metric, value, method, number"
                " FROM readings WHERE run = ?1 AND number > ?2"
                " ORDER BY number LIMIT ?3",
                run, after, limit, reading_since_row, &to, e);
    map_release(&to.metrics);
    return rc;
}

static void rollup_row(sqlite3_stmt *st, void *to)
{
    struct each_figure *each = to;
    const uint64_t *metric = map_find(&each->metrics, row_u64(st, 2));

    if (metric)
        each->call.rollup(each->context,
                &(struct rollup){
                        .second = row_u64(st, 0),
                        .subject = row_u32(st, 1),
                        .metric = (uint16_t)*metric,
                        .count = row_u64(st, 3),
                        .min = sqlite3_column_double(st, 4),
                        .mean = sqlite3_column_double(st, 5),
                        .max = sqlite3_column_double(st, 6),
                });
}

STORE_EACH(rollup, rollup)
{
    return query_figures(s,
            "SELECT second, subject, metric, count, min, mean, max"
            " FROM rollups WHERE run = ?1 ORDER BY metric, subject, second",
            run, rollup_row,
            &(struct each_figure){ .call.rollup = each, .context = context },
            e);
}

int store_each_rollup_of(struct store *s, int64_t run,
        const struct metric *metric,
        void (*each)(void *context, const struct rollup *x), void *context,
        struct error *e)
{
    struct buf sql = { 0 };

    buf_printf(&sql,
            "SELECT second, subject, metric, count, min, mean, max"
            " FROM rollups WHERE run = ?1 AND metric ="
            " (SELECT id FROM metrics WHERE name = '%s')"
            " ORDER BY subject, second",
            metric->name);

    int rc = query_figures(s, buf_cstr(&sql), run, rollup_row,
            &(struct each_figure){ .call.rollup = each, .context = context },
            e);

    buf_release(&sql);
    return rc;
}

static void absence_row(sqlite3_stmt *st, void *to)
{
    struct each_figure *each = to;
    const uint64_t *metric = map_find(&each->metrics, row_u64(st, 1));

    if (metric)
        each->call.absence(each->context,
                &(struct absence_note){
                        .subject = row_u32(st, 0),
                        .metric = (enum metric_id) * metric,
                        .reason = row_text(st, 2),
                });
}

STORE_EACH(absence, absence_note)
{
    return query_figures(s,
            "SELECT subject, metric, reason FROM absences WHERE run = ?1"
            " ORDER BY subject, metric",
            run, absence_row,
            &(struct each_figure){ .call.absence = each, .context = context },
            e);
}

static void alert_row(sqlite3_stmt *st, void *to)
{
    struct each_figure *each = to;
    const uint64_t *metric = map_find(&each->metrics, row_u64(st, 5));

    each->call.alert(each->context,
            &(struct alert){
                    .number = row_u32(st, 0),
                    .time_ns = row_u64(st, 1),
                    .end_ns = row_u64(st, 2),
                    .rule = row_text(st, 3),
                    .subject = row_u32(st, 4),
                    .metric = metric ? (enum metric_id) * metric : METRIC_IDS,
                    .value = sqlite3_column_double(st, 6),
                    .threshold = sqlite3_column_double(st, 7),
            });
}

STORE_EACH(alert, alert)
{
    return query_figures(s,
            "SELECT number, time_ns, end_ns, rule, subject, metric, value,"
            " threshold FROM alerts WHERE run = ?1 ORDER BY number",
            run, alert_row,
            &(struct each_figure){ .call.alert = each, .context = context }, e);
}
