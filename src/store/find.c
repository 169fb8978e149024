/* find.c -- one run by its name. */
#include "store/row.h"

#include <errno.h>
#include <string.h>

int store_find_run(struct store *s, const char *name, int64_t *row,
        struct error *e)
{
    bool last = strcmp(name, "last") == 0;
    sqlite3_stmt *st = NULL;
    int64_t found = 0;
    int count = 0;
    int rc = sqlite3_prepare_v2(s->db,
            last ? "SELECT id FROM profiling_runs ORDER BY timestamp DESC,"
                   " id DESC LIMIT 1"
                 : "SELECT id FROM profiling_runs WHERE run_id >= lower(?1)"
                   " AND run_id < lower(?1) || char(1114111) LIMIT 2",
            -1, &st, NULL);

    if (rc != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    if (!last)
        (void)sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
    for (; sqlite3_step(st) == SQLITE_ROW; count++)
        found = sqlite3_column_int64(st, 0);
    if (sqlite3_finalize(st) != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    if (!count && last)
        return fail(e, -ENOENT, "%s holds no runs yet", s->path);
    if (!count || !*name)
        return fail(e, -ENOENT,
                "there is no run '%s' in %s: see 'ortmeter list'", name,
                s->path);
    if (count > 1)
        return fail(e, -ENOTUNIQ,
                "several runs begin with '%s': give more of the id", name);
    *row = found;
    return 0;
}
