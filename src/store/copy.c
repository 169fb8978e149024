/* copy.c -- a database in which runs of other machines are laid out for
 * reading. */
#include "base/alloc.h"
#include "base/buf.h"
#include "model/limits.h"
#include "store/row.h"
#include "store/schema/schema.h"
#include "store/table.h"

#include <errno.h>
#include <stdlib.h>

int store_open_copy(struct store **out, struct error *e)
{
    struct store *s = alloc_zero(1, sizeof(*s));
    /* No name: SQLite keeps it in memory while it is small, else in a file
     * that has no name, either. */
    int rc = sqlite3_open_v2("", &s->db,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
            NULL);

    s->path = alloc_text("the copy of the runs");
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(s->db,
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL,
                NULL, NULL);
    if (rc == SQLITE_OK)
        rc = row_streams_open(s);
    store_begin(s);
    for (size_t i = 0; i < schema_version && rc == SQLITE_OK; i++)
        rc = schema_take_step(s->db, i);
    if (rc != SQLITE_OK) {
        rc = store_failed(s, "lay out the runs", e);
        store_close(s);
        return rc;
    }
    *out = s;
    return 0;
}

/* --- what runs are found by ----------------------------------------------- */

static struct str column_str(sqlite3_stmt *st, int at)
{
    const char *text = (const char *)sqlite3_column_text(st, at);

    return str_of(text ? text : "");
}

static void label(struct store *s, sqlite3_stmt *st)
{
    const char *kind = (const char *)sqlite3_column_text(st, 1);
    struct str name = column_str(st, 2);

    if (str_is(column_str(st, 1), "tag"))
        store_label_tags(s, sqlite3_column_int64(st, 0), name.p);
    else
        store_label(s, sqlite3_column_int64(st, 0), kind, name);
}

int store_end_copy(struct store *s, struct error *e)
{
    sqlite3_stmt *st = store_once(s,
            "SELECT id, 'tag', tags FROM profiling_runs WHERE tags NOT NULL"
            " UNION ALL SELECT id, 'experiment', experiment_name"
            " FROM profiling_runs WHERE experiment_name NOT NULL"
            " UNION ALL SELECT DISTINCT run, 'model', model FROM sessions"
            " WHERE model NOT NULL");

    while (st && sqlite3_step(st) == SQLITE_ROW)
        label(s, st);
    (void)sqlite3_finalize(st);
    st = store_once(s, "INSERT INTO prompts (rowid, prompt) SELECT id, prompt"
                       " FROM profiling_runs WHERE prompt NOT NULL");
    if (st)
        store_finish(s, st);
    return store_flush(s, e);
}

int store_count_copied(struct store *s, struct str id, uint64_t inferences,
        uint64_t failed, struct error *e)
{
    sqlite3_stmt *st = store_once(s,
            "UPDATE profiling_runs SET inferences = ?2, failed = ?3"
            " WHERE run_id = ?1 AND inferences IS NULL");

    if (st) {
        (void)sqlite3_bind_text(st, 1, id.p, (int)id.len, SQLITE_STATIC);
        store_bind_u64(st, 2, inferences, true);
        store_bind_u64(st, 3, failed, true);
        store_finish(s, st);
    }
    return s->failed ? fail(e, s->failed, "%s", s->why.text) : 0;
}

/* --- rows ----------------------------------------------------------------- */

/* A column's names: to find one's number, and to give it one. */
struct names {
    sqlite3_stmt *find, *add;
};

struct row_writer {
    struct store *store;
    const struct stored_table *table;
    sqlite3_stmt *insert, *find_run;
    struct names *names; /* one a column; most are empty */
};

static void insert_sql(struct buf *out, const struct stored_table *t)
{
    buf_printf(out, "INSERT INTO \"%s\" (%s", t->name,
            t->is_runs ? "run_id" : "run");
    for (size_t i = 0; i < t->count; i++)
        buf_printf(out, ", \"%s\"", t->columns[i].name);
    buf_text(out, ") VALUES (?1");
    for (size_t i = 0; i < t->count; i++)
        buf_printf(out, ", ?%zu", i + 2);
    buf_char(out, ')');
}

static int prepare(struct row_writer *w, sqlite3_stmt **out, struct buf *sql)
{
    int rc = sqlite3_prepare_v2(w->store->db, buf_cstr(sql), -1, out, NULL);

    buf_release(sql);
    return rc;
}

static int prepare_names(struct row_writer *w, const struct stored_column *c,
        struct names *out)
{
    struct buf sql = { 0 };

    buf_printf(&sql, "SELECT id FROM \"%s\" WHERE \"%s\" = ?1", c->kept_in,
            c->kept_as);

    int rc = prepare(w, &out->find, &sql);

    buf_printf(&sql, "INSERT INTO \"%s\" (\"%s\") VALUES (?1)", c->kept_in,
            c->kept_as);
    return rc == SQLITE_OK ? prepare(w, &out->add, &sql)
                           : (buf_release(&sql), rc);
}

int row_writer_open(struct row_writer **out, struct store *s,
        const struct stored_table *t, struct error *e)
{
    struct row_writer *w = alloc_zero(1, sizeof(*w));
    struct buf sql = { 0 };

    w->store = s;
    w->table = t;
    w->names = alloc_zero(t->count, sizeof(*w->names));
    insert_sql(&sql, t);

    int rc = prepare(w, &w->insert, &sql);

    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(s->db,
                "SELECT id FROM profiling_runs WHERE run_id = ?1", -1,
                &w->find_run, NULL);
    for (size_t i = 0; rc == SQLITE_OK && i < t->count; i++)
        if (t->columns[i].kind == COLUMN_NAME)
            rc = prepare_names(w, &t->columns[i], &w->names[i]);
    if (rc != SQLITE_OK) {
        rc = store_failed(s, "lay out the runs", e);
        row_writer_close(w);
        return rc;
    }
    *out = w;
    return 0;
}

void row_writer_close(struct row_writer *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->table->count; i++) {
        (void)sqlite3_finalize(w->names[i].find);
        (void)sqlite3_finalize(w->names[i].add);
    }
    (void)sqlite3_finalize(w->insert);
    (void)sqlite3_finalize(w->find_run);
    free(w->names);
    free(w);
}

static void bind_text(sqlite3_stmt *st, int at, struct str text)
{
    (void)sqlite3_bind_text(st, at, text.len ? text.p : "", (int)text.len,
            SQLITE_TRANSIENT);
}

/* The number that a statement finds for a text; 0: none. */
static int64_t find(sqlite3_stmt *st, struct str text)
{
    int64_t number = 0;

    bind_text(st, 1, text);
    if (sqlite3_step(st) == SQLITE_ROW)
        number = sqlite3_column_int64(st, 0);
    (void)sqlite3_reset(st);
    return number;
}

static int64_t name_number(const struct names *n, struct str text)
{
    int64_t number = find(n->find, text);

    if (number)
        return number;
    bind_text(n->add, 1, text);
    (void)store_step(n->add);
    return find(n->find, text);
}

static void bind(struct row_writer *w, size_t column,
        const struct stored_cell *c)
{
    int at = (int)column + 2;

    if (!c->there) {
        (void)sqlite3_bind_null(w->insert, at);
        return;
    }
    switch (w->table->columns[column].kind) {
    case COLUMN_INTEGER:
        (void)sqlite3_bind_int64(w->insert, at, c->integer);
        break;
    case COLUMN_REAL: (void)sqlite3_bind_double(w->insert, at, c->real); break;
    case COLUMN_TEXT: bind_text(w->insert, at, c->text); break;
    case COLUMN_NAME:
        (void)sqlite3_bind_int64(w->insert, at,
                name_number(&w->names[column], c->text));
        break;
    }
}

/* What ids refer to is looked at when the rows are read: they may come in any
 * order. */
static bool allows(const struct stored_table *t, const struct stored_column *c,
        const struct stored_cell *x)
{
    const struct limit *l =
            limit_find(t->name, c->kind == COLUMN_NAME ? "text" : c->name);

    if (!l)
        return true;
    if (!x->there)
        return !l->needed;
    switch (c->kind) {
    case COLUMN_INTEGER: return limit_allows_number(l, x->integer);
    case COLUMN_REAL: return limit_allows_real(l, x->real);
    default: return limit_allows_text(l, x->text);
    }
}

int row_writer_put(struct row_writer *w, struct str id,
        const struct stored_cell *cells, struct error *e)
{
    const struct stored_table *t = w->table;

    if (t->is_runs) {
        bind_text(w->insert, 1, id);
    } else {
        int64_t run = find(w->find_run, id);

        if (!run)
            return fail(e, -ENOENT, "a row of %s belongs to no run", t->name);
        (void)sqlite3_bind_int64(w->insert, 1, run);
    }
    for (size_t i = 0; i < t->count; i++) {
        if (!allows(t, &t->columns[i], &cells[i]))
            return fail(e, -EBADMSG,
                    "a row of %s holds what no ortmeter writes: %s", t->name,
                    t->columns[i].name);
        bind(w, i, &cells[i]);
    }
    if (store_step(w->insert) != SQLITE_OK)
        return store_failed(w->store, "lay out the runs", e);
    return 0;
}
