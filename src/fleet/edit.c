#include "fleet/edit.h"

#include "fleet/fetch_copy.h"
#include "fleet/layout.h"
#include "os/clock.h"
#include "os/process/pause.h"

#include <errno.h>

#define PATIENCE_NS UINT64_C(60000000000)
#define LOOK_NS     50000000

static void add_value(struct buf *sql, const char *text)
{
    if (text)
        clickhouse_quote(sql, str_of(text));
    else
        buf_text(sql, "NULL");
}

/* Whether a change of the run is still under way. */
static int under_way(struct clickhouse *c, const char *id, bool *out,
        struct error *e)
{
    struct buf sql = { 0 }, answer = { 0 };

    buf_printf(&sql,
            "SELECT count() FROM system.mutations WHERE database = '%s' AND "
            "is_done = 0 AND position(command, '%s') > 0",
            clickhouse_address(c)->database, id);

    int rc = clickhouse_run(c, buf_cstr(&sql), &answer, e);

    *out = !str_is(str_trim(buf_str(&answer)), "0");
    buf_release(&sql);
    buf_release(&answer);
    return rc;
}

static int wait(struct clickhouse *c, const char *id, struct error *e)
{
    uint64_t end_ns = mono_ns() + PATIENCE_NS;
    bool busy = true;
    int rc = under_way(c, id, &busy, e);

    while (!rc && busy && mono_ns() < end_ns) {
        (void)sleep_until(mono_ns() + LOOK_NS);
        rc = under_way(c, id, &busy, e);
    }
    if (!rc && busy)
        rc = fail(e, -EAGAIN,
                "%s has not done it within a minute, and goes on: look again "
                "later",
                clickhouse_address(c)->name);
    return rc;
}

/* How many runs the whole cluster has that the condition holds for. */
static int count_runs(struct clickhouse *c, const char *where, uint64_t *count,
        struct error *e)
{
    struct buf sql = { 0 }, answer = { 0 };

    buf_printf(&sql, "SELECT count() FROM `profiling_runs` FINAL WHERE %s",
            where);

    int rc = clickhouse_run(c, buf_cstr(&sql), &answer, e);

    if (!rc && str_u64(count, str_trim(buf_str(&answer))))
        rc = fail(e, -EPROTO, "%s cannot count", clickhouse_address(c)->name);
    buf_release(&sql);
    buf_release(&answer);
    return rc;
}

/* Nothing may be left for which `where` holds. */
static int check(struct clickhouse *c, const char *id, const char *where,
        struct error *e)
{
    uint64_t left = 0;
    int rc = count_runs(c, where, &left, e);

    if (!rc && left)
        rc = fail(e, -EXDEV,
                "the run %.8s lies on another server of the cluster: ask that "
                "one, as each server changes its own runs only",
                id);
    return rc;
}

static int mutate(struct clickhouse *c, const char *table, const char *what,
        const char *id, struct error *e)
{
    struct buf sql = { 0 };
    char name[LAYOUT_NAME_MAX];

    layout_local_name(name, table, clickhouse_address(c));
    buf_printf(&sql, "ALTER TABLE `%s` %s WHERE `run_id` = '%s'", name, what,
            id);

    int rc = clickhouse_run(c, buf_cstr(&sql), NULL, e);

    buf_release(&sql);
    return rc;
}

/* The run itself goes last: until then it can be asked for again. */
int edit_delete(struct clickhouse *c, const char *id, struct error *e)
{
    struct fetch_copy x = { 0 };
    struct buf where = { 0 };
    int rc = fetch_copy_open(&x, c, e);

    for (size_t i = 0; !rc && i < x.tables.count; i++) {
        const struct stored_table *t = &x.tables.items[i];
        char name[LAYOUT_NAME_MAX];

        layout_local_name(name, t->name, clickhouse_address(c));
        if (!layout_has(buf_str(&x.there), name, NULL))
            continue;
        if (t->is_runs)
            rc = wait(c, id, e);
        if (!rc)
            rc = mutate(c, t->name, "DELETE", id, e);
    }
    if (!rc)
        rc = wait(c, id, e);
    buf_printf(&where, "`run_id` = '%s'", id);
    if (!rc)
        rc = check(c, id, buf_cstr(&where), e);
    buf_release(&where);
    fetch_copy_end(&x, -ECANCELED, NULL);
    return rc;
}

int edit_labels(struct clickhouse *c, const char *id, const char *tags,
        const char *experiment, struct error *e)
{
    struct buf what = { 0 }, where = { 0 };
    int rc;

    buf_text(&what, "UPDATE `tags` = ");
    add_value(&what, tags);
    buf_text(&what, ", `experiment_name` = ");
    add_value(&what, experiment);
    rc = mutate(c, "profiling_runs", buf_cstr(&what), id, e);
    if (!rc)
        rc = wait(c, id, e);
    buf_printf(&where, "`run_id` = '%s' AND NOT (ifNull(`tags`, '') = ", id);
    add_value(&where, tags ? tags : "");
    buf_text(&where, " AND ifNull(`experiment_name`, '') = ");
    add_value(&where, experiment ? experiment : "");
    buf_char(&where, ')');
    if (!rc)
        rc = check(c, id, buf_cstr(&where), e);
    buf_release(&what);
    buf_release(&where);
    return rc;
}
