#include "cmd/cli/source.h"

#include "base/buf.h"
#include "cmd/cli/import_file.h"
#include "fleet/fetch.h"
#include "os/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* --- all that a list of names means --------------------------------------- */

/* Whom to tell of a run, and where the runs are. */
struct telling {
    struct store *store;
    void (*each)(void *context, int64_t row);
    void *context;
};

static int each_stored(struct telling *t, const char *name, struct error *e)
{
    return store_each_named(t->store, name, t->each, t->context, e);
}

static int each_imported(struct telling *t, const char *name, struct error *e)
{
    struct imported x;
    int rc = import_open(&x, name, e);

    if (!rc)
        rc = import_into(&x, t->store, NULL, e);
    if (!rc)
        t->each(t->context, x.run.row);
    import_close(&x);
    return rc;
}

/* For each of the names, which have commas between them. */
static int each_name(const char *names, struct telling *t,
        int (*each)(struct telling *t, const char *name, struct error *e),
        struct error *e)
{
    struct str rest = str_of(names);
    int rc;

    do {
        struct str one = str_before(rest, ',');
        struct buf name = { 0 };

        rest = str_after(rest, ',');
        buf_add(&name, one.p, one.len);
        rc = each(t, buf_cstr(&name), e);
        buf_release(&name);
    } while (rest.len && !rc);
    return rc;
}

/* A file has a folder or an ending, so that one that happens to be called as a
 * tag is does not take its place. */
static bool are_files(const char *names)
{
    struct str first = str_before(str_of(names), ',');
    struct buf name = { 0 };

    buf_add(&name, first.p, first.len);

    bool file = strpbrk(buf_cstr(&name), "/.") &&
                path_kind(buf_cstr(&name)) == PATH_FILE;

    buf_release(&name);
    return file;
}

int source_open_named(struct store **out, const struct source *s,
        const char *name, void (*each)(void *context, int64_t row),
        void *context, struct error *e)
{
    struct clickhouse *c = NULL;
    struct telling t = { NULL, each, context };
    bool files = are_files(name);
    int64_t row = 0;
    int rc = files ? 0 : connect_to(&c, s, e);

    if (!rc && files) {
        rc = store_open(&t.store, ":memory:", STORE_WRITE, e);
        if (!rc)
            rc = each_name(name, &t, each_imported, e);
    } else if (!rc && c) {
        rc = fetch_run(&t.store, &row, c, name, e);
        if (!rc)
            each(context, row);
    } else if (!rc) {
        rc = database_open_as(&t.store, &s->database, STORE_READ, e);
        if (!rc)
            rc = each_name(name, &t, each_stored, e);
    }
    clickhouse_close(c);
    if (rc)
        store_close(t.store);
    else
        *out = t.store;
    return rc;
}

/* --- lists ---------------------------------------------------------------- */

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
