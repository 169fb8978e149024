/* ship.c -- sends recorded runs to the store of many machines. */
#include "fleet/ship.h"
#include "analyse/run_figures.h"
#include "base/buf.h"
#include "cmd/cli/options.h"
#include "cmd/cli/output.h"
#include "cmd/cli/source.h"
#include "cmd/cmd.h"
#include "fleet/layout.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

struct settings {
    bool all, again, setup;
    struct source source;
    uint64_t retention_days; /* 0: as it is */
};

struct shipping {
    const struct settings *settings;
    struct store *store;
    struct clickhouse *clickhouse;
    struct address address;
    struct stored_tables tables;
};

static int choose_runs(struct shipping *x, char *const *names, struct error *e)
{
    const char *to = x->address.name;
    int rc = x->settings->all ? store_add_all_shipments(x->store, to, e) : 0;

    for (; !rc && *names; names++) {
        int64_t row = 0;

        rc = store_find_run(x->store, *names, &row, e);
        if (!rc)
            rc = store_add_shipment(x->store, row, to, x->settings->again, e);
    }
    return rc;
}

static int set_retention(struct shipping *x, struct error *e)
{
    uint64_t days = x->settings->retention_days;
    bool once = false;
    int rc =
            days ? layout_retain(x->clickhouse, &x->tables, days, &once, e) : 0;

    if (!rc && once)
        (void)fprintf(stderr,
                "ortmeter ship: ClickHouse %s does not let rows go by itself: "
                "the months that are over were dropped now; do this again "
                "from time to time\n",
                clickhouse_traits(x->clickhouse)->version);
    return rc;
}

static int send_runs(struct shipping *x, char *const *names, struct error *e)
{
    struct ship_tally tally = { 0 };
    int rc = run_figures_complete(x->store, e); /* the figures go with them */

    if (!rc)
        rc = choose_runs(x, names, e);
    if (!rc)
        rc = ship_all(x->clickhouse, x->store, &x->tables, false, &tally, e);
    (void)fprintf(stderr, "%llu run%s arrived, %llu rows sent\n",
            (unsigned long long)tally.runs, tally.runs == 1 ? "" : "s",
            (unsigned long long)tally.rows);
    return rc;
}

static int ship(const struct settings *s, char *const *names, struct error *e)
{
    struct shipping x = { .settings = s };
    int rc = source_address(&x.address, s->source.store, e);

    if (rc < 0)
        return rc;
    rc = database_open_as(&x.store, &s->source.database, STORE_WRITE, e);
    if (!rc)
        rc = store_tables(&x.tables, x.store, e);
    if (!rc)
        rc = clickhouse_open(&x.clickhouse, &x.address, e);
    if (!rc)
        rc = layout_ensure(x.clickhouse, &x.tables, e);
    if (!rc)
        rc = set_retention(&x, e);
    if (!rc && !s->setup)
        rc = send_runs(&x, names, e);
    clickhouse_close(x.clickhouse);
    tables_release(&x.tables);
    store_close(x.store);
    address_release(&x.address);
    return rc;
}

static const struct option options[] = {
    OPTION_FLAG("all", 0, struct settings, all,
            "all runs that have not arrived"),
    OPTION_FLAG("again", 0, struct settings, again,
            "the named runs, also when they have arrived"),
    OPTION_FLAG("setup", 0, struct settings, setup,
            "only make the tables on that server"),
    OPTION_NUMBER("retention", 0, struct settings, retention_days, "DAYS",
            "keep runs there for so many days"),
    SOURCE_OPTIONS(struct settings, source),
    OPTION_END,
};

static int check(const struct cmd_call *c, struct error *e)
{
    const struct settings *s = c->settings;
    struct address a;
    int rc = source_address(&a, s->source.store, e);

    address_release(&a);
    if (rc == 0)
        return fail(e, -EINVAL,
                "there is no server to send to: give --store "
                "clickhouse://USER@HOST:8123/DATABASE or set ORTMETER_STORE");
    return rc < 0 ? rc : 0;
}

static int run(const struct cmd_call *c, struct error *e)
{
    return ship(c->settings, c->words, e);
}

const struct cmd cmd_ship = {
    .name = "ship",
    .about = "send recorded runs to a store of many machines",
    .usage = "[options] [RUN...]",
    .text = "Sends runs from the local database to a ClickHouse server, where "
            "the\n"
            "runs of many machines lie together.  Without RUN, it sends what "
            "is\n"
            "waiting: runs that were recorded with --store and have not "
            "arrived.\n"
            "A run that is sent twice is there once.\n",
    .options = options,
    .notes =
            "Exit code: 0 all has arrived, 1 not all, 2 wrong usage.\n"
            "\n"
            "Environment:\n"
            "  ORTMETER_STORE_PASSWORD  its password, which then stands in no\n"
            "                           list of processes\n",
    .examples = "ship --store clickhouse://meter@db.example:8123/meter\n"
                "ship --all\n"
                "ship --setup --retention 90\n",
    .words_max = CMD_WORDS_ANY,
    .settings_size = sizeof(struct settings),
    .check = check,
    .run = run,
};
