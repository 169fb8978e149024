#include "serve/answer/fleet_runs.h"

#include "fleet/fetch.h"
#include "serve/state.h"
#include "store/table.h"

#include <errno.h>
#include <string.h>

/* The runs that a request names; returns how many. */
static size_t names_of(const struct call *c, const char *names[2])
{
    const struct route *r = c->route;

    names[0] = "last"; /* what the page shows */
    if (r->flags & ROUTE_PAGE)
        return 1;
    if (!(r->flags & (ROUTE_ONE_RUN | ROUTE_COMPARES)))
        return 0;
    if (r->flags & ROUTE_COMPARES) {
        names[0] = query_text(c, "a");
        names[1] = query_text(c, "b");
        return 2;
    }
    if (strchr(r->path, '{'))
        names[0] = c->id;
    else if (query_text(c, "run"))
        names[0] = query_text(c, "run");
    return 1;
}

static void take_status(void *to, const struct run *r)
{
    *(enum run_status *)to = r->status;
}

/* Whether the store has them, and they will not change.  Others may have begun
 * the same, and "last" may be another one by now: only whole ids will do. */
static bool has_all(struct store *s, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum run_status status = RUN_RUNNING;
        int64_t row;

        if (strlen(names[i]) != RUN_ID_LEN ||
                store_find_run_id(s, names[i], &row, NULL) ||
                store_read_run(s, row, take_status, &status, NULL) ||
                status == RUN_RUNNING)
            return false;
    }
    return true;
}

static int open_empty(struct store **out, struct error *e)
{
    int rc = store_open_copy(out, e);

    return rc ? rc : store_end_copy(*out, e);
}

int fleet_open(struct call *c, struct store **store, struct answer *a)
{
    struct clickhouse *there = NULL;
    const char *names[2];
    size_t count = names_of(c, names);
    struct error e = { 0 };
    int rc;

    if (c->route->flags & ROUTE_CHANGES) {
        answer_problem(a, 501, "not_built", NULL,
                "runs of many machines are changed by the commands: see "
                "'ortmeter delete' and 'ortmeter tag' with --store");
        return -ENOSYS;
    }
    if (!(c->route->flags & ROUTE_STORE) ||
            (*store && has_all(*store, names, count)))
        return 0;
    store_close(*store);
    *store = NULL;
    rc = clickhouse_open(&there, c->server->plan.fleet, &e);
    if (!rc)
        rc = count ? fetch_these(store, there, names, count, &e)
                   : open_empty(store, &e);
    clickhouse_close(there);
    if (rc == -ENOENT)
        rc = open_empty(store, &e);
    if (rc == -ENOTUNIQ)
        answer_problem(a, 409, "ambiguous", NULL,
                "several runs begin with that: give more of the id");
    else if (rc)
        answer_problem(a, 503, "unavailable", NULL,
                "the store of many machines cannot be reached now");
    return rc;
}

int fleet_list(struct call *c, const struct run_filter *f, struct store **out,
        uint64_t *total, struct error *e)
{
    struct clickhouse *there = NULL;
    int rc = clickhouse_open(&there, c->server->plan.fleet, e);

    *out = NULL;
    if (!rc)
        rc = fetch_runs(out, there, f, e);
    if (!rc)
        rc = fetch_count_runs(total, there, *out, f, e);
    if (rc == -ENOENT) { /* nobody has sent anything yet */
        *total = 0;
        rc = *out ? 0 : open_empty(out, e);
    }
    clickhouse_close(there);
    return rc;
}
