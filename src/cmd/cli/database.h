/* database.h -- opens the database that is in force. */
#pragma once

#include "cmd/cli/options.h"
#include "store/store.h"

/* As the options have it; both may be NULL. */
struct database {
    const char *path;     /* --db */
    const char *key_file; /* --key-file */
};

/* Rows of a verb's table of options, for a member that is a struct database. */
#define DATABASE_OPTIONS(settings, member)                                \
    OPTION_TEXT("db", 0, settings, member.path, "FILE", "the database",   \
            .variable = "ORTMETER_DB"),                                   \
            OPTION_TEXT("key-file", 0, settings, member.key_file, "FILE", \
                    "the key of a database that is encrypted",            \
                    .variable = "ORTMETER_KEY_FILE", .rare = true)

/* Where a key comes from when no option says so: a variable's name, or "none,
 * the database is not encrypted". */
const char *database_key_origin(void);

/* The folders of the usual place are made when writing; those of a place that
 * somebody named are not.  Who opens it for writing also sums up the runs whose
 * meter died. */
int database_open_as(struct store **out, const struct database *d,
        enum store_mode mode, struct error *e);

/* The same without --key-file: `flag` is the value of --db, or NULL. */
int database_open(struct store **out, const char *flag, enum store_mode mode,
        struct error *e);
