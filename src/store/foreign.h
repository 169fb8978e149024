/* foreign.h -- a database that somebody else may have made: nothing in it is
 * run, and no query of ours goes on for ever.  Not for others than the store.
 */
#pragma once

#include "store/sqlite.h"

/* Before anything is read: views, triggers and functions in the schema are
 * switched off, pages are looked at before they are used, and a statement ends
 * after as many steps as reading the whole file many times would take. */
int foreign_confine(struct store *s, struct error *e);

/* Whether the tables and indexes are those that this ortmeter makes at that
 * version of the schema, and nothing else is there.  -EBADMSG names what is
 * not. */
int foreign_schema(struct store *s, int64_t version, struct error *e);

/* What schema_digest has to be, if the tables are those of this version: a
 * SHA-256 in hexadecimal.  Empty: there is no memory. */
#define FOREIGN_DIGEST 64
void foreign_digest(char out[FOREIGN_DIGEST + 1], const struct store *s);
