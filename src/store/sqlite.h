/* sqlite.h -- what the files of the store share.  Not for others. */
#pragma once

#include "store/store.h"

#include <sqlite3.h>
#include <stdbool.h>

#define STORE_BATCH 4096

struct store {
    sqlite3 *db;
    char *path;
    int64_t run;
    int failed; /* a negative errno value: nothing more is written */
    struct error why;

    struct inference *waiting; /* STORE_BATCH, when writing */
    char **errors;             /* their texts, owned */
    size_t waiting_count;

    uint64_t inferences, sections, tokens, events; /* so far, in this run */

    sqlite3_stmt *add_inference;
    sqlite3_stmt *add_section;
    sqlite3_stmt *add_token;
    sqlite3_stmt *add_event;
    sqlite3_stmt *add_text;
    sqlite3_stmt *find_text;
};

/* The database's own words for what went wrong, as ours. */
int store_failed(struct store *s, const char *doing, struct error *e);

/* Binds a text, or NULL. */
void store_bind_text(sqlite3_stmt *st, int at, const char *text);
/* Binds a number if it is known, else NULL. */
void store_bind_u64(sqlite3_stmt *st, int at, uint64_t value, bool known);

/* Runs the statement to its end and makes it ready for the next time. */
int store_step(sqlite3_stmt *st);
