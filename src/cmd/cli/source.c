#include "cmd/cli/source.h"

#include "fleet/fetch.h"

#include <errno.h>
#include <stdlib.h>

int source_address(struct address *out, const char *flag, struct error *e)
{
    const char *text = flag ? flag : getenv("ORTMETER_STORE");

    *out = (struct address){ 0 };
    if (!text || !*text)
        return 0;

    int rc = address_parse(out, str_of(text), getenv("ORTMETER_STORE_PASSWORD"),
            e);

    return rc ? rc : 1;
}

int source_is_fleet(struct address *out, const struct source *s,
        struct error *e)
{
    bool file = options_given(&s->database.path);

    *out = (struct address){ 0 };
    if (file && options_given(&s->store))
        return fail(e, -EINVAL,
                "--db and --store are two places to read from: give one");
    return file ? 0 : source_address(out, s->store, e);
}

/* Connects to the store of many machines; `out` stays NULL when the local
 * database is meant. */
static int connect_to(struct clickhouse **out, const struct source *s,
        struct error *e)
{
    struct address a;
    int rc = source_is_fleet(&a, s, e);

    if (rc > 0)
        rc = clickhouse_open(out, &a, e);
    address_release(&a);
    return rc;
}

int source_open_run(struct store **out, int64_t *row, const struct source *s,
        const char *name, struct error *e)
{
    struct clickhouse *c = NULL;
    struct store *store = NULL;
    int rc = connect_to(&c, s, e);

    if (!rc && c)
        rc = fetch_run(&store, row, c, name, e);
    if (!rc && !c)
        rc = database_open_as(&store, &s->database, STORE_READ, e);
    if (!rc && !c)
        rc = store_find_run(store, name, row, e);
    clickhouse_close(c);
    if (rc)
        store_close(store);
    else
        *out = store;
    return rc;
}

int source_open_named(struct store **out, const struct source *s,
        const char *name, void (*each)(void *context, int64_t row),
        void *context, struct error *e)
{
    struct clickhouse *c = NULL;
    struct store *store = NULL;
    int64_t row = 0;
    int rc = connect_to(&c, s, e);

    if (!rc && c) {
        rc = fetch_run(&store, &row, c, name, e);
        if (!rc)
            each(context, row);
    } else if (!rc) {
        rc = database_open_as(&store, &s->database, STORE_READ, e);
        if (!rc)
            rc = store_each_named(store, name, each, context, e);
    }
    clickhouse_close(c);
    if (rc)
        store_close(store);
    else
        *out = store;
    return rc;
}

int source_open_list(struct store **out, bool *local, const struct source *s,
        const struct run_filter *f, struct error *e)
{
    struct clickhouse *c = NULL;
    int rc = connect_to(&c, s, e);

    *local = !c;
    if (!rc)
        rc = c ? fetch_runs(out, c, f, e)
               : database_open_as(out, &s->database, STORE_READ, e);
    clickhouse_close(c);
    return rc;
}

int source_open_shared(struct clickhouse **out, const struct source *s,
        struct error *e)
{
    *out = NULL;
    return options_given(&s->store) ? connect_to(out, s, e) : 0;
}
