/* bulk_insert.c -- a virtual table that needs no CREATE: it is there by its
 * name and can be read from its first row to its last.  See
 * https://sqlite.org/vtab.html#eponymous_virtual_tables. */
#include "store/bulk_insert.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <stdlib.h>

struct feed_source {
    const struct bulk_insert *feed;
    const struct store *store;
};

struct feed_table {
    sqlite3_vtab base; /* first: SQLite hands us this */
    struct feed_source source;
};

struct feed_cursor {
    sqlite3_vtab_cursor base; /* first, too */
    struct feed_source source;
    size_t at, count;
};

static int feed_connect(sqlite3 *db, void *from, int argc,
        const char *const *argv, sqlite3_vtab **out, char **why)
{
    const struct feed_source *source = from;
    struct buf sql = { 0 };

    (void)argc;
    (void)argv;
    (void)why;
    buf_text(&sql, "CREATE TABLE x (");
    for (int i = 0; i < source->feed->columns; i++)
        buf_printf(&sql, "%sc%d", i ? ", " : "", i);
    buf_char(&sql, ')');

    int rc = sqlite3_declare_vtab(db, buf_cstr(&sql));

    buf_release(&sql);
    if (rc == SQLITE_OK) {
        struct feed_table *t = alloc_zero(1, sizeof(*t));

        t->source = *source;
        *out = &t->base;
    }
    return rc;
}

static int feed_disconnect(sqlite3_vtab *t)
{
    free(t);
    return SQLITE_OK;
}

/* There is one way to read it. */
static int feed_plan(sqlite3_vtab *t, sqlite3_index_info *plan)
{
    (void)t;
    plan->estimatedCost = 1;
    return SQLITE_OK;
}

static int feed_begin(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
    struct feed_cursor *c = alloc_zero(1, sizeof(*c));

    c->source = ((struct feed_table *)t)->source;
    *out = &c->base;
    return SQLITE_OK;
}

static int feed_end(sqlite3_vtab_cursor *c)
{
    free(c);
    return SQLITE_OK;
}

static int feed_rewind(sqlite3_vtab_cursor *cursor, int plan, const char *name,
        int argc, sqlite3_value **argv)
{
    struct feed_cursor *c = (struct feed_cursor *)cursor;

    (void)plan;
    (void)name;
    (void)argc;
    (void)argv;
    c->at = 0;
    c->count = c->source.feed->count(c->source.store);
    return SQLITE_OK;
}

static int feed_next(sqlite3_vtab_cursor *c)
{
    ((struct feed_cursor *)c)->at++;
    return SQLITE_OK;
}

static int feed_is_over(sqlite3_vtab_cursor *c)
{
    return ((struct feed_cursor *)c)->at >= ((struct feed_cursor *)c)->count;
}

static int feed_cell(sqlite3_vtab_cursor *cursor, sqlite3_context *to,
        int column)
{
    const struct feed_cursor *c = (const struct feed_cursor *)cursor;

    c->source.feed->cell(to, c->source.store, c->at, column);
    return SQLITE_OK;
}

static int feed_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((struct feed_cursor *)c)->at;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = feed_connect, /* and no xCreate */
    .xBestIndex = feed_plan,
    .xDisconnect = feed_disconnect,
    .xOpen = feed_begin,
    .xClose = feed_end,
    .xFilter = feed_rewind,
    .xNext = feed_next,
    .xEof = feed_is_over,
    .xColumn = feed_cell,
    .xRowid = feed_rowid,
};

int bulk_insert_open(sqlite3 *db, const struct bulk_insert *f,
        const struct store *s)
{
    struct feed_source *source = alloc_zero(1, sizeof(*source));

    *source = (struct feed_source){ f, s };
    return sqlite3_create_module_v2(db, f->name, &module, source, free);
}
