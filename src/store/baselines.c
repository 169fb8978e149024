/* baselines.c -- names that stand for several runs: baselines, which people
 * choose to compare with, and tags.
 *
 * A baseline is a label of its own kind (labels.c), so that it may be on many
 * runs.  The table `baselines`, which has room for one run a name, is read by
 * nobody but pruning. */
#include "store/row.h"

#include <errno.h>
#include <string.h>

#define KIND "baseline"

struct each_name {
    void (*call)(void *, const char *, const struct run *);
    void *context;
};

static void baseline_row(sqlite3_stmt *st, void *to)
{
    struct each_name *each = to;
    struct run r = row_run(st);

    each->call(each->context, row_text(st, ROW_RUN_COUNT), &r);
}

int store_each_baseline(struct store *s,
        void (*each)(void *context, const char *name, const struct run *r),
        void *context, struct error *e)
{
    return row_query(s,
            "SELECT " ROW_RUN_COLUMNS ", l.name FROM labels l"
            " JOIN run_labels x ON x.label = l.id"
            " JOIN profiling_runs r ON r.id = x.run"
            " WHERE l.kind = '" KIND "' AND ?1 ORDER BY l.name, r.id",
            1, baseline_row, &(struct each_name){ each, context }, e);
}

/* How many runs have a label; each of them is told, the oldest first. */
static int each_labelled(struct store *s, const char *kind, const char *name,
        void (*each)(void *context, int64_t row), void *context,
        struct error *e)
{
    sqlite3_stmt *st = NULL;
    int count = 0;

    if (sqlite3_prepare_v2(s->db,
                "SELECT r.run FROM run_labels r JOIN labels l ON l.id = r.label"
                " WHERE l.kind = ?1 AND l.name = ?2 ORDER BY r.run",
                -1, &st, NULL) != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    (void)sqlite3_bind_text(st, 1, kind, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(st, 2, name, -1, SQLITE_STATIC);
    for (; sqlite3_step(st) == SQLITE_ROW; count++)
        if (each)
            each(context, sqlite3_column_int64(st, 0));
    return sqlite3_finalize(st) == SQLITE_OK
                   ? count
                   : store_failed(s, "read the runs", e);
}

int store_each_named(struct store *s, const char *name,
        void (*each)(void *context, int64_t row), void *context,
        struct error *e)
{
    int64_t row = 0;
    bool last = strncmp(name, "last", 4) == 0 && (!name[4] || name[4] == '~');
    int count = 0;

    if (!last && store_find_run_id(s, name, &row, NULL) != 0) {
        count = each_labelled(s, KIND, name, each, context, e);
        if (!count)
            count = each_labelled(s, "tag", name, each, context, e);
    }
    if (count)
        return count < 0 ? count : 0;

    int rc = store_find_run(s, name, &row, e);

    if (!rc)
        each(context, row);
    return rc;
}

static void forget(struct store *s, const char *name)
{
    static const char *const steps[] = {
        "DELETE FROM run_labels WHERE label IN (SELECT id FROM labels"
        " WHERE kind = '" KIND "' AND name = ?1)",
        "DELETE FROM labels WHERE kind = '" KIND "' AND name = ?1",
    };

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        sqlite3_stmt *st = store_once(s, steps[i]);

        if (!st)
            return;
        store_bind_text(st, 1, name);
        store_finish(s, st);
    }
}

int store_set_baseline(struct store *s, const char *name, const int64_t *rows,
        size_t count, struct error *e)
{
    store_begin(s);
    forget(s, name);
    for (size_t i = 0; i < count; i++)
        store_label(s, rows[i], KIND, str_of(name));
    return store_flush(s, e);
}

int store_delete_baseline(struct store *s, const char *name, struct error *e)
{
    int count = each_labelled(s, KIND, name, NULL, NULL, e);

    if (count < 0)
        return count;
    if (!count)
        return fail(e, -ENOENT,
                "there is no baseline '%.100s' in %s: see 'ortmeter baseline "
                "list'",
                name, s->path);
    store_begin(s);
    forget(s, name);
    return store_flush(s, e);
}
