/* database.h -- opens the database that is in force. */
#pragma once

#include "store/store.h"

/* `flag` is the value of --db, or NULL.  The folders of the usual place are
 * made when writing; those of a place that somebody named are not. */
int database_open(struct store **out, const char *flag, enum store_mode mode,
        struct error *e);
