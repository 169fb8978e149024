/* source.h -- where runs are read from: the local database, or a store of many
 * machines. */
#pragma once

#include "cmd/cli/database.h"
#include "fleet/address.h"
#include "fleet/clickhouse.h"

/* As the options have it. */
struct source {
    struct database database;
    const char *store; /* --store, or NULL */
};

/* Rows of a verb's table of options, for a member that is a struct source. */
#define SOURCE_OPTIONS(settings, member)                                 \
    DATABASE_OPTIONS(settings, member.database),                         \
            OPTION_TEXT("store", 0, settings, member.store, "URL",       \
                    "instead, a server with the runs of many machines: " \
                    "clickhouse://USER@HOST:8123/DATABASE",              \
                    .variable = "ORTMETER_STORE", .rare = true)

/* The store of many machines: `flag` is the value of --store, or NULL; then
 * ORTMETER_STORE.  Its password may be in ORTMETER_STORE_PASSWORD.  1: there is
 * one.  0: none is wanted.  -EINVAL with a sentence. */
int source_address(struct address *out, const char *flag, struct error *e);

/* The same of a source: 0, where the command line has --db.  -EINVAL: it has
 * both. */
int source_is_fleet(struct address *out, const struct source *s,
        struct error *e);

/* Opens what holds the run `name`, and finds it there: the store of many
 * machines if one is in force, unless the command line has --db; else the local
 * database. */
int source_open_run(struct store **out, int64_t *row, const struct source *s,
        const char *name, struct error *e);

/* The same for every run that the names mean, with commas between them
 * (store_each_named()); of a store of many machines, the one of that name.  A
 * name that is a file's is a run that was exported, or that another tool
 * recorded: then the others are files, too, and lie in no database. */
int source_open_named(struct store **out, const struct source *s,
        const char *name, void (*each)(void *context, int64_t row),
        void *context, struct error *e);

/* The same, for store_list_runs() with that filter.  `local` says which it
 * is. */
int source_open_list(struct store **out, bool *local, const struct source *s,
        const struct run_filter *f, struct error *e);

/* For what changes runs: `out` is NULL when the local database is meant.  Runs
 * of others are changed only where --store stands on the command line;
 * ORTMETER_STORE does not do. */
int source_open_shared(struct clickhouse **out, const struct source *s,
        struct error *e);
