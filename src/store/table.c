#include "store/table.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "store/row_check.h"

#include <stdlib.h>
#include <string.h>

#define RUNS "profiling_runs"

/* --- what tables there are ------------------------------------------------ */

/* Tables of runs; not what only concerns this database, or is made from the
 * others. */
static const char tables_sql[] =
        "SELECT m.name FROM sqlite_master m WHERE m.type = 'table'"
        " AND m.name NOT IN ('baselines', 'run_labels', 'shipments',"
        "  'shipment_marks', 'text_uses')"
        " AND (m.name = '" RUNS "' OR EXISTS (SELECT 1"
        "  FROM pragma_foreign_key_list(m.name) f"
        "  WHERE f.\"table\" = '" RUNS "' AND f.\"from\" = 'run'))"
        " ORDER BY m.name = '" RUNS "', m.name";

/* The last two are of a column that holds the number of a name: where names
 * are kept, beside their numbers. */
static const char columns_sql[] =
        "SELECT c.name, c.type, c.\"notnull\" OR c.pk, c.pk, f.\"table\","
        " (SELECT name FROM pragma_table_info(f.\"table\") WHERE cid = 1)"
        " FROM pragma_table_info(?1) c LEFT JOIN pragma_foreign_key_list(?1) f"
        " ON f.\"from\" = c.name ORDER BY c.cid";

/* What comes by the million, and is never looked at again by its writer. */
static const char *const numbered[] = { "inferences", "operator_runs",
    "power_samples", "readings" };

static bool is_numbered(const char *name)
{
    for (size_t i = 0; i < sizeof(numbered) / sizeof(*numbered); i++)
        if (strcmp(numbered[i], name) == 0)
            return true;
    return false;
}

static bool is_own_number(const struct stored_table *t, const char *name)
{
    if (t->is_runs)
        return strcmp(name, "id") == 0 || strcmp(name, "run_id") == 0;
    return strcmp(name, "run") == 0;
}

static enum column_kind kind_of(const char *type)
{
    if (sqlite3_stricmp(type, "INTEGER") == 0)
        return COLUMN_INTEGER;
    return sqlite3_stricmp(type, "REAL") == 0 ? COLUMN_REAL : COLUMN_TEXT;
}

static const char *text_of(sqlite3_stmt *st, int at)
{
    return (const char *)sqlite3_column_text(st, at);
}

static void add_column(struct stored_table *t, sqlite3_stmt *st)
{
    struct stored_column c = {
        .name = alloc_text(text_of(st, 0)),
        .kind = kind_of(text_of(st, 1)),
        .nullable = !sqlite3_column_int(st, 2),
        .key = sqlite3_column_int(st, 3) > 0,
    };

    if (text_of(st, 4) && text_of(st, 5)) {
        c.kind = COLUMN_NAME;
        c.kept_in = alloc_text(text_of(st, 4));
        c.kept_as = alloc_text(text_of(st, 5));
    }
    t->columns = alloc_resize(t->columns, (t->count + 1) * sizeof(c));
    t->columns[t->count++] = c;
}

static int read_columns(struct store *s, struct stored_table *t,
        struct error *e)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(s->db, columns_sql, -1, &st, NULL);

    if (rc == SQLITE_OK)
        (void)sqlite3_bind_text(st, 1, t->name, -1, SQLITE_STATIC);
    while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        if (!is_own_number(t, text_of(st, 0)))
            add_column(t, st);
        rc = SQLITE_OK;
    }
    rc = rc == SQLITE_DONE ? 0 : store_failed(s, "read the tables", e);
    (void)sqlite3_finalize(st);
    return rc;
}

int store_tables(struct stored_tables *out, struct store *s, struct error *e)
{
    struct stored_tables tables = { 0 };
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(s->db, tables_sql, -1, &st, NULL);
    int step = SQLITE_DONE;

    if (rc != SQLITE_OK)
        return store_failed(s, "read the tables", e);
    while (!rc && (step = sqlite3_step(st)) == SQLITE_ROW) {
        tables.items = alloc_resize(tables.items,
                (tables.count + 1) * sizeof(*tables.items));

        struct stored_table *t = &tables.items[tables.count++];
        const char *name = (const char *)sqlite3_column_text(st, 0);

        *t = (struct stored_table){
            .name = alloc_text(name),
            .is_runs = strcmp(name, RUNS) == 0,
            .numbered = is_numbered(name),
        };
        rc = read_columns(s, t, e);
    }
    if (!rc && step != SQLITE_DONE)
        rc = store_failed(s, "read the tables", e);
    (void)sqlite3_finalize(st);
    if (rc)
        tables_release(&tables);
    else
        *out = tables;
    return rc;
}

void tables_release(struct stored_tables *t)
{
    for (size_t i = 0; i < t->count; i++) {
        struct stored_table *x = &t->items[i];

        for (size_t j = 0; j < x->count; j++) {
            free(x->columns[j].name);
            free(x->columns[j].kept_in);
            free(x->columns[j].kept_as);
        }
        free(x->columns);
        free(x->name);
    }
    free(t->items);
    *t = (struct stored_tables){ 0 };
}

/* --- reading -------------------------------------------------------------- */

static void column_sql(struct buf *out, const struct stored_column *c)
{
    if (c->kind == COLUMN_NAME)
        buf_printf(out, "(SELECT \"%s\" FROM \"%s\" WHERE id = t.\"%s\")",
                c->kept_as, c->kept_in, c->name);
    else
        buf_printf(out, "t.\"%s\"", c->name);
}

static void select_sql(struct buf *out, const struct stored_table *t)
{
    const char *between = " ORDER BY";

    for (size_t i = 0; i < t->count; i++) {
        buf_text(out, i ? ", " : "SELECT ");
        column_sql(out, &t->columns[i]);
    }
    buf_printf(out, " FROM \"%s\" t WHERE t.%s = ?1", t->name,
            t->is_runs ? "id" : "run");
    if (t->numbered && t->count)
        buf_printf(out, " AND t.\"%s\" > ?2", t->columns[0].name);
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].key) {
            buf_printf(out, "%s t.\"%s\"", between, t->columns[i].name);
            between = ",";
        }
    buf_text(out, " LIMIT ?3");
}

static void read_cell(struct stored_cell *out, sqlite3_stmt *st, int at,
        enum column_kind kind)
{
    *out = (struct stored_cell){
        .there = sqlite3_column_type(st, at) != SQLITE_NULL,
    };
    if (!out->there)
        return;
    if (kind == COLUMN_INTEGER)
        out->integer = sqlite3_column_int64(st, at);
    else if (kind == COLUMN_REAL)
        out->real = sqlite3_column_double(st, at);
    else {
        out->text.p = (const char *)sqlite3_column_text(st, at);
        out->text.len = (size_t)sqlite3_column_bytes(st, at);
    }
}

/* A name is told in full. */
static void check_columns(struct row_check *c, struct store *s,
        const struct stored_table *t, int64_t run)
{
    row_check_table(c, s, t->name);
    for (size_t i = 0; i < t->count; i++)
        row_check_column(c,
                t->columns[i].kind == COLUMN_NAME ? "text" : t->columns[i].name,
                run);
}

int store_each_row(struct store *s, const struct stored_table *t, int64_t run,
        int64_t after, uint64_t limit,
        void (*each)(void *context, const struct stored_cell *cells),
        void *context, struct error *e)
{
    struct stored_cell *cells = alloc_zero(t->count, sizeof(*cells));
    struct row_check check;
    struct buf sql = { 0 };
    sqlite3_stmt *st = NULL;

    check_columns(&check, s, t, run);
    select_sql(&sql, t);

    int rc = sqlite3_prepare_v2(s->db, buf_cstr(&sql), -1, &st, NULL);

    if (rc == SQLITE_OK) {
        (void)sqlite3_bind_int64(st, 1, run);
        if (t->numbered)
            (void)sqlite3_bind_int64(st, 2, after);
        (void)sqlite3_bind_int64(st, 3,
                limit > INT64_MAX ? INT64_MAX : (int64_t)limit);
    }
    while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW &&
            row_check_row(&check, st)) {
        for (size_t i = 0; i < t->count; i++)
            read_cell(&cells[i], st, (int)i, t->columns[i].kind);
        each(context, cells);
        rc = SQLITE_OK;
    }
    if (rc == SQLITE_ROW)
        rc = row_check_end(&check, e);
    else
        rc = rc == SQLITE_DONE ? 0 : store_failed(s, "read the run's rows", e);
    (void)sqlite3_finalize(st);
    buf_release(&sql);
    free(cells);
    return rc;
}

static void pass(void *context, const struct stored_cell *cells)
{
    (void)context;
    (void)cells;
}

int store_check_run(struct store *s, int64_t run, struct error *e)
{
    struct stored_tables all = { 0 };
    int rc = store_tables(&all, s, e);

    for (size_t i = 0; !rc && i < all.count; i++)
        rc = store_each_row(s, &all.items[i], run, INT64_MIN, UINT64_MAX, pass,
                NULL, e);
    tables_release(&all);
    return rc;
}

int store_count_rows(struct store *s, const struct stored_table *t, int64_t run,
        uint64_t *count, struct error *e)
{
    struct buf sql = { 0 };
    sqlite3_stmt *st = NULL;

    buf_printf(&sql, "SELECT count(*) FROM \"%s\" WHERE %s = ?1", t->name,
            t->is_runs ? "id" : "run");

    int rc = sqlite3_prepare_v2(s->db, buf_cstr(&sql), -1, &st, NULL);

    if (rc == SQLITE_OK)
        (void)sqlite3_bind_int64(st, 1, run);
    if (rc == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        *count = (uint64_t)sqlite3_column_int64(st, 0);
    else
        rc = store_failed(s, "count the run's rows", e);
    (void)sqlite3_finalize(st);
    buf_release(&sql);
    return rc;
}
