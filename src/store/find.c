/* find.c -- one run by its name. */
#include "store/row.h"

#include "base/alloc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void run_rows_add(void *rows, int64_t row)
{
    struct run_rows *r = rows;

    r->row = alloc_resize(r->row, (r->count + 1) * sizeof(*r->row));
    r->row[r->count++] = row;
}

/* "last", and "last~2", which is the second before it.  What counts is the
 * order of recording: clocks are set back. */
static bool is_last(const char *name, int64_t *back)
{
    char *end = NULL;

    *back = 0;
    if (strncmp(name, "last", 4) != 0)
        return false;
    if (!name[4])
        return true;
    if (name[4] != '~' || !isdigit((unsigned char)name[5]) ||
            strlen(name) > 4 + 10)
        return false;
    *back = strtoll(name + 5, &end, 10);
    return !*end;
}

/* How many there are, two at most; `row` is the first. */
static int look(struct store *s, const char *sql, const char *name,
        int64_t back, int64_t *row, struct error *e)
{
    sqlite3_stmt *st = NULL;
    int count = 0;

    if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    (void)sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(st, 2, back);
    for (; sqlite3_step(st) == SQLITE_ROW; count++)
        if (!count)
            *row = sqlite3_column_int64(st, 0);
    return sqlite3_finalize(st) == SQLITE_OK
                   ? count
                   : store_failed(s, "read the runs", e);
}

static int find_last(struct store *s, const char *name, int64_t back,
        int64_t *row, struct error *e)
{
    int count = look(s,
            "SELECT id FROM profiling_runs WHERE ?1 NOT NULL"
            " ORDER BY id DESC LIMIT 1 OFFSET ?2",
            name, back, row, e);

    if (count < 0)
        return count;
    if (!count && back)
        return fail(e, -ENOENT, "there is no '%s': %s holds fewer runs", name,
                s->path);
    return count ? 0 : fail(e, -ENOENT, "%s holds no runs yet", s->path);
}

int store_find_run_id(struct store *s, const char *name, int64_t *row,
        struct error *e)
{
    int64_t back, found = 0;

    if (is_last(name, &back) && !back)
        return find_last(s, name, 0, row, e);

    int count = look(s,
            "SELECT id FROM profiling_runs WHERE run_id >= lower(?1)"
            " AND run_id < lower(?1) || char(1114111) AND ?2 = 0 LIMIT 2",
            name, 0, &found, e);

    if (count < 0)
        return count;
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

int store_find_run(struct store *s, const char *name, int64_t *row,
        struct error *e)
{
    struct error why;
    int64_t back;

    if (is_last(name, &back))
        return find_last(s, name, back, row, e);

    int rc = store_find_run_id(s, name, row, &why);

    if (!rc || (rc != -ENOENT && rc != -ENOTUNIQ))
        return rc ? fail(e, rc, "%s", why.text) : 0;

    int count = *name ? look(s,
                                "SELECT r.run FROM run_labels r JOIN labels l"
                                " ON l.id = r.label WHERE l.kind = 'tag' AND"
                                " l.name = ?1 AND ?2 = 0 ORDER BY r.run DESC"
                                " LIMIT 1",
                                name, 0, row, e)
                      : 0;

    if (count < 0)
        return count;
    return count ? 0 : fail(e, rc, "%s", why.text);
}
