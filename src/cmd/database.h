/* database.h -- opens the database that is in force. */
#pragma once

#include "cmd/options.h"
#include "store/store.h"

/* As the options have it; both may be NULL. */
struct database {
    const char *path;     /* --db */
    const char *key_file; /* --key-file */
};

/* Two lines for a command's table of options. */
#define DATABASE_OPTIONS(d)                       \
    { "db", 0, OPTION_TEXT, &(d).path },          \
    {                                             \
        "key-file", 0, OPTION_TEXT, &(d).key_file \
    }

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
