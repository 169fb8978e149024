/* list.c -- runs among a million, by what is asked of them.
 *
 * First the ids of one page are found, from indexes alone: where few runs
 * fulfil one of the conditions, these are looked at and sorted; else all runs,
 * or all of one label, are gone through in the order asked for, until the page
 * is full.  Then the rows of the page are read. */
#include "base/alloc.h"
#include "base/buf.h"
#include "store/row.h"
#include "store/row_check.h"
#include "store/search.h"

#include <stdlib.h>

/* The index that has the runs in that order, and the order's terms. */
static const struct {
    const char *index;
    const char *keys[3];
} orders[] = {
    [RUN_BY_DATE] = { "profiling_runs_timestamp",
            { "r.timestamp", "r.id", NULL } },
    [RUN_BY_DURATION] = { "profiling_runs_duration",
            { "r.duration_ns", "r.timestamp", "r.id" } },
    [RUN_BY_ENERGY] = { "profiling_runs_energy",
            { "r.total_energy_mj", "r.timestamp", "r.id" } },
};

static void order_by(struct buf *sql, const struct run_filter *f)
{
    for (size_t i = 0; i < 3 && orders[f->order].keys[i]; i++)
        buf_printf(sql, "%s %s%s", i ? "," : " ORDER BY",
                orders[f->order].keys[i], f->ascending ? "" : " DESC");
}

/* The ids of the page. */
static void page_sql(struct buf *sql, const struct search *x)
{
    const struct condition *few = search_fewest(x);

    buf_text(sql, "SELECT r.id AS id FROM ");
    if (few)
        buf_printf(sql, "(%s%s%s%s) r",
                few->repeats ? "SELECT DISTINCT * FROM (" : "", few->keys,
                buf_cstr(&few->from), few->repeats ? ")" : "");
    else if (x->label && x->filter->order == RUN_BY_DATE)
        buf_printf(sql,
                "(SELECT run AS id, timestamp FROM run_labels"
                " INDEXED BY run_labels_date WHERE label = %lld) r",
                (long long)x->label);
    else
        buf_printf(sql, "profiling_runs r INDEXED BY %s",
                orders[x->filter->order].index);
    buf_text(sql, " WHERE 1");
    for (size_t i = 0; i < x->count; i++)
        if (&x->condition[i] != few || few->rough)
            buf_printf(sql, " AND %s", buf_cstr(&x->condition[i].check));
    order_by(sql, x->filter);
    buf_text(sql, " LIMIT ?3 OFFSET ?4");
}

static void rows_sql(struct buf *sql, const struct search *x)
{
    buf_text(sql, "SELECT " ROW_RUN_COLUMNS ","
                  " ifnull(r.inferences, (SELECT count(*) FROM inferences"
                  "  WHERE run = r.id)),"
                  " ifnull(r.failed, (SELECT count(*) FROM inferences"
                  "  WHERE run = r.id AND flags & 1)),"
                  " (SELECT group_concat(name, char(10)) FROM (SELECT name"
                  "  FROM run_labels JOIN labels ON labels.id = label"
                  "  WHERE run = r.id AND kind = 'model' ORDER BY label)),"
                  " (SELECT value FROM run_figures WHERE run = r.id"
                  "  AND metric = (SELECT id FROM metrics WHERE name = ?5))"
                  " FROM (");
    page_sql(sql, x);
    buf_text(sql, ") p CROSS JOIN profiling_runs r ON r.id = p.id");
    order_by(sql, x->filter);
}

struct each_line {
    void (*call)(void *, const struct run_line *);
    void *context;
};

static void line_row(sqlite3_stmt *st, const struct each_line *each)
{
    struct run r = row_run(st);
    const char *models = row_text(st, ROW_RUN_COUNT + 2);

    each->call(each->context,
            &(struct run_line){
                    .run = &r,
                    .inferences = row_u64(st, ROW_RUN_COUNT),
                    .failed = row_u64(st, ROW_RUN_COUNT + 1),
                    .models = models ? models : "",
                    .has_value = row_has(st, ROW_RUN_COUNT + 3),
                    .value = sqlite3_column_double(st, ROW_RUN_COUNT + 3),
            });
}

static int read_page(struct search *x, const struct each_line *each)
{
    struct row_check check;
    struct buf sql = { 0 };
    sqlite3_stmt *st = NULL;

    rows_sql(&sql, x);

    int rc = search_prepare(x, &st, buf_cstr(&sql));

    if (!rc)
        row_check_begin(&check, x->store, buf_cstr(&sql), st, 0);
    while (!rc && sqlite3_step(st) == SQLITE_ROW) {
        if (row_check_row(&check, st))
            line_row(st, each);
        rc = row_check_end(&check, x->error);
    }
    if (sqlite3_finalize(st) != SQLITE_OK && !rc)
        rc = store_failed(x->store, "read the runs", x->error);
    buf_release(&sql);
    return rc;
}

int store_count_runs(struct store *s, const struct run_filter *f,
        uint64_t *count, struct error *e)
{
    struct run_filter all = *f;
    struct search *x = alloc_zero(1, sizeof(*x));
    struct buf sql = { 0 };
    sqlite3_stmt *st = NULL;

    all.limit = UINT64_MAX;
    all.offset = 0;
    *count = 0;
    x->store = s;
    x->filter = &all;
    x->error = e;

    int rc = search_ask(x);

    if (!rc && !x->nothing) {
        buf_text(&sql, "SELECT count(*) FROM (");
        page_sql(&sql, x);
        buf_char(&sql, ')');
        rc = search_prepare(x, &st, buf_cstr(&sql));
        if (!rc && sqlite3_step(st) == SQLITE_ROW)
            *count = row_u64(st, 0);
        if (sqlite3_finalize(st) != SQLITE_OK && !rc)
            rc = store_failed(s, "read the runs", e);
    }
    buf_release(&sql);
    search_release(x);
    free(x);
    return rc;
}

int store_list_runs(struct store *s, const struct run_filter *f,
        void (*each)(void *context, const struct run_line *l), void *context,
        struct error *e)
{
    struct search *x = alloc_zero(1, sizeof(*x));
    int rc;

    x->store = s;
    x->filter = f;
    x->error = e;
    rc = search_ask(x);
    if (!rc && !x->nothing)
        rc = read_page(x, &(struct each_line){ each, context });
    search_release(x);
    free(x);
    return rc;
}
