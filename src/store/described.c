/* described.c -- tables, statements and rows of the types that are described
 * (model/rows.h). */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "model/rows.h"
#include "store/row.h"

#include <stdlib.h>
#include <string.h>

/* --- the tables ----------------------------------------------------------- */

static void add_type(struct buf *sql, const struct column *c)
{
    static const char *const names[] = {
        [COLUMN_INT] = "INTEGER",
        [COLUMN_REAL] = "REAL",
        [COLUMN_TEXT] = "TEXT",
    };

    buf_printf(sql, "\"%s\" %s%s", c->name,
            c->often ? "INTEGER REFERENCES texts" : names[column_plain_type(c)],
            c->key ? " NOT NULL" : "");
}

/* Whether the store has it in a column of its own. */
static bool is_stored(const struct column *c)
{
    return !column_is_derived(c);
}

/* Only keys are NOT NULL: a column that comes later cannot be. */
static void create_sql(struct buf *sql, const struct row_type *t)
{
    buf_printf(sql,
            "CREATE TABLE \"%s\" (run INTEGER NOT NULL"
            " REFERENCES profiling_runs ON DELETE CASCADE",
            t->name);
    for (size_t i = 0; i < t->count; i++)
        if (is_stored(&t->columns[i]) && !t->columns[i].since) {
            buf_text(sql, ", ");
            add_type(sql, &t->columns[i]);
        }
    buf_text(sql, ", PRIMARY KEY (run");
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].key)
            buf_printf(sql, ", \"%s\"", t->columns[i].name);
    buf_text(sql, ")) WITHOUT ROWID");
}

static int run_sql(sqlite3 *db, struct buf *sql)
{
    int rc = sqlite3_exec(db, buf_cstr(sql), NULL, NULL, NULL);

    buf_release(sql);
    return rc;
}

static int add_column(sqlite3 *db, const struct row_type *t,
        const struct column *c)
{
    struct buf sql = { 0 };

    buf_printf(&sql, "ALTER TABLE \"%s\" ADD COLUMN ", t->name);
    add_type(&sql, c);
    return run_sql(db, &sql);
}

int described_step(sqlite3 *db, size_t version)
{
    int rc = SQLITE_OK;

    for (const struct row_type *const *t = row_types; *t && !rc; t++) {
        struct buf sql = { 0 };

        if ((*t)->since == version) {
            create_sql(&sql, *t);
            rc = run_sql(db, &sql);
        }
        for (size_t i = 0; i < (*t)->count && !rc; i++)
            if ((*t)->columns[i].since == version)
                rc = add_column(db, *t, &(*t)->columns[i]);
    }
    return rc;
}

/* --- writing -------------------------------------------------------------- */

static void insert_sql(struct buf *sql, const struct row_type *t)
{
    int at = 1;

    buf_printf(sql, "INSERT OR REPLACE INTO \"%s\" (run", t->name);
    for (size_t i = 0; i < t->count; i++)
        if (is_stored(&t->columns[i]))
            buf_printf(sql, ", \"%s\"", t->columns[i].name);
    buf_text(sql, ") VALUES (?1");
    for (size_t i = 0; i < t->count; i++)
        if (is_stored(&t->columns[i]))
            buf_printf(sql, ", ?%d", ++at);
    buf_char(sql, ')');
}

static sqlite3_stmt *insertion(struct store *s, const struct row_type *t)
{
    size_t place = 0;
    struct buf sql = { 0 };

    while (row_types[place] != t)
        place++;
    if (!s->put[place])
        insert_sql(&sql, t);

    sqlite3_stmt *st = store_kept(s, &s->put[place], buf_cstr(&sql));

    buf_release(&sql);
    return st;
}

static void bind(struct store *s, sqlite3_stmt *st, int at,
        const struct column *c, const void *row)
{
    struct cell cell = column_get_plain(c, row, 0);

    if (!cell.known) {
        (void)sqlite3_bind_null(st, at);
        return;
    }
    switch (column_plain_type(c)) {
    case COLUMN_REAL: (void)sqlite3_bind_double(st, at, cell.real); break;
    case COLUMN_TEXT:
        if (c->often)
            store_bind_text_number(s, st, at, cell.text.p);
        else
            (void)sqlite3_bind_text(st, at, cell.text.p, (int)cell.text.len,
                    SQLITE_STATIC);
        break;
    default: (void)sqlite3_bind_int64(st, at, cell.number); break;
    }
}

void store_put(struct store *s, const struct row_type *type, const void *row)
{
    int at = 1;

    store_begin(s); /* there may be ten thousand of them */

    sqlite3_stmt *st = insertion(s, type);

    if (!st)
        return;
    store_bind_u64(st, 1, (uint64_t)s->run, true);
    for (size_t i = 0; i < type->count; i++)
        if (is_stored(&type->columns[i]))
            bind(s, st, ++at, &type->columns[i], row);
    store_step_kept(s, st);
}

/* --- reading -------------------------------------------------------------- */

/* With the names that row_check.h knows limits by; `more` is SQL behind the
 * condition, or "". */
static void select_sql(struct buf *sql, const struct row_type *t,
        const char *more)
{
    const char *between = " ";

    buf_text(sql, "SELECT");
    for (size_t i = 0; i < t->count; i++) {
        const struct column *c = &t->columns[i];

        if (!is_stored(c))
            continue;
        buf_printf(sql,
                c->often ? "%s(SELECT text FROM texts WHERE texts.id ="
                           " t.\"%s\") AS \"%s\""
                         : "%st.\"%s\" AS \"%s\"",
                between, c->name, c->name);
        between = ", ";
    }
    buf_printf(sql, " FROM %s t WHERE run = ?1%s ORDER BY run", t->name, more);
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].key)
            buf_printf(sql, ", t.\"%s\"", t->columns[i].name);
}

struct reading_rows {
    const struct row_type *type;
    void *row;
    void (*each)(void *context, const void *row);
    void *context;
};

static struct cell cell_of(sqlite3_stmt *st, int at, const struct column *c)
{
    struct cell cell = { .known = row_has(st, at) };

    if (!cell.known)
        return cell;
    switch (column_plain_type(c)) {
    case COLUMN_REAL: cell.real = sqlite3_column_double(st, at); break;
    case COLUMN_TEXT: cell.text = str_of(row_text(st, at)); break;
    default: cell.number = sqlite3_column_int64(st, at); break;
    }
    return cell;
}

/* A column that came after the row was written holds nothing. */
static void take_row(sqlite3_stmt *st, void *to)
{
    struct reading_rows *r = to;
    int at = 0;

    memset(r->row, 0, r->type->size);
    for (size_t i = 0; i < r->type->count; i++) {
        const struct column *c = &r->type->columns[i];

        if (!is_stored(c))
            continue;

        struct cell cell = cell_of(st, at++, c);

        (void)column_put_plain(c, r->row, &cell);
    }
    r->each(r->context, r->row);
}

static int each_of(struct store *s, int64_t run, const struct row_type *type,
        const char *more, void (*each)(void *context, const void *row),
        void *context, struct error *e)
{
    struct reading_rows r = { type, alloc_zero(1, type->size), each, context };
    struct buf sql = { 0 };

    select_sql(&sql, type, more);

    int rc = row_query(s, buf_cstr(&sql), run, take_row, &r, e);

    buf_release(&sql);
    free(r.row);
    return rc;
}

int store_each(struct store *s, int64_t run, const struct row_type *type,
        void (*each)(void *context, const void *row), void *context,
        struct error *e)
{
    return each_of(s, run, type, "", each, context, e);
}

/* --- one pair a type, for those who know which ---------------------------- */

#define DESCRIBED(name)                                          \
    void store_add_##name(struct store *s, const struct name *x) \
    {                                                            \
        store_put(s, &name##_rows, x);                           \
    }                                                            \
    ROW_EACH(name);                                              \
    static void take_##name(void *to, const void *row)           \
    {                                                            \
        const struct each_##name *each = to;                     \
                                                                 \
        each->call(each->context, row);                          \
    }                                                            \
    STORE_EACH(name, name)                                       \
    {                                                            \
        return store_each(s, run, &name##_rows, take_##name,     \
                &(struct each_##name){ each, context }, e);      \
    }

DESCRIBED(operator)
DESCRIBED(operator_edge)
DESCRIBED(operator_tensor)
DESCRIBED(operator_shape)
DESCRIBED(operator_sum)
DESCRIBED(traced_sum)
DESCRIBED(activation)
DESCRIBED(latency_sum)
DESCRIBED(setting)
DESCRIBED(sampler_rate)

int store_each_latency_within(struct store *s, int64_t run, uint32_t width_s,
        uint64_t from_ns, uint64_t to_ns,
        void (*each)(void *context, const struct latency_sum *x), void *context,
        struct error *e)
{
    uint64_t width_ns = width_s * UINT64_C(1000000000);
    struct buf more = { 0 };

    buf_printf(&more, " AND width_s = %u AND place >= %llu AND place < %llu",
            width_s, (unsigned long long)(from_ns / width_ns),
            (unsigned long long)((to_ns + width_ns - 1) / width_ns));

    int rc = each_of(s, run, &latency_sum_rows, buf_cstr(&more),
            take_latency_sum, &(struct each_latency_sum){ each, context }, e);

    buf_release(&more);
    return rc;
}
