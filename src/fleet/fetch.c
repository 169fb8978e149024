/* fetch.c -- one run. */
#include "fleet/fetch.h"

#include "fleet/fetch_copy.h"

#include <errno.h>
#include <string.h>

/* As an id begins; anything else would be a piece of somebody's SQL. */
static bool may_be_id(const char *name)
{
    return *name && strspn(name, "0123456789abcdefABCDEF-") == strlen(name) &&
           strlen(name) <= RUN_ID_LEN;
}

static int find(struct buf *id, struct clickhouse *c, const char *name,
        struct error *e)
{
    const char *at = clickhouse_address(c)->name;
    bool last = strcmp(name, "last") == 0;
    struct buf sql = { 0 }, found = { 0 };
    int rc = 0;

    buf_text(&sql, "SELECT `run_id` FROM `profiling_runs` FINAL ");
    if (last)
        buf_text(&sql, "ORDER BY `timestamp` DESC, `run_id` DESC LIMIT 1");
    else if (may_be_id(name))
        buf_printf(&sql, "WHERE startsWith(`run_id`, lower('%s')) LIMIT 2",
                name);
    else
        rc = -ENOENT;
    if (!rc && (rc = clickhouse_run(c, buf_cstr(&sql), &found, e)) == 0) {
        struct str rest = buf_str(&found), line = { "", 0 };

        (void)str_line(&line, &rest);
        if (rest.len)
            rc = fail(e, -ENOTUNIQ,
                    "several runs begin with '%s': give more of the id", name);
        else if (line.len == RUN_ID_LEN)
            buf_add(id, line.p, line.len);
        else
            rc = last ? fail(e, -ENOENT, "%s holds no runs yet", at) : -ENOENT;
    }
    if (rc == -ENOENT && !last)
        rc = fail(e, rc, "there is no run '%s' in %s: see 'ortmeter list'",
                name, at);
    buf_release(&sql);
    buf_release(&found);
    return rc;
}

static int fetch(struct store **out, int64_t *row, struct clickhouse *c,
        const char *name, bool alone, struct error *e)
{
    struct fetch_copy x = { 0 };
    struct buf id = { 0 };
    int rc = fetch_copy_open(&x, c, e);

    if (!rc)
        rc = find(&id, c, name, e);
    if (!rc) {
        buf_printf(&x.where, " WHERE `run_id` = '%s'", buf_cstr(&id));
        rc = fetch_copy_runs(&x, "", e);
    }
    if (!rc && !alone)
        rc = fetch_copy_others(&x, NULL, e);
    if (!rc)
        rc = store_end_copy(x.store, e);
    if (!rc)
        rc = store_find_run(x.store, buf_cstr(&id), row, e);
    fetch_copy_end(&x, rc, out);
    buf_release(&id);
    return rc;
}

int fetch_these(struct store **out, struct clickhouse *c,
        const char *const *names, size_t count, struct error *e)
{
    struct fetch_copy x = { 0 };
    int rc = fetch_copy_open(&x, c, e);

    for (size_t i = 0; i < count && !rc; i++) {
        struct buf id = { 0 };

        rc = find(&id, c, names[i], e);
        buf_printf(&x.where, "%s'%s'", i ? ", " : " WHERE `run_id` IN (",
                buf_cstr(&id));
        buf_release(&id);
    }
    buf_char(&x.where, ')');
    if (!rc) /* so that the newest is the last */
        rc = fetch_copy_runs(&x, " ORDER BY `timestamp`, `run_id`", e);
    if (!rc)
        rc = fetch_copy_others(&x, NULL, e);
    if (!rc)
        rc = store_end_copy(x.store, e);
    fetch_copy_end(&x, rc, out);
    return rc;
}

int fetch_run(struct store **out, int64_t *row, struct clickhouse *c,
        const char *name, struct error *e)
{
    return fetch(out, row, c, name, false, e);
}

int fetch_run_alone(struct store **out, int64_t *row, struct clickhouse *c,
        const char *name, struct error *e)
{
    return fetch(out, row, c, name, true, e);
}
