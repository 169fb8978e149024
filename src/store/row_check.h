/* row_check.h -- rows held against the limits of model/limits.h while they are
 * read.  Not for others than the store. */
#pragma once

#include "model/limits.h"
#include "store/sqlite.h"

#define ROW_CHECK_COLUMNS 64

/* The values of a row, and what they are as numbers: to ask SQLite is what
 * reading by the million costs, so it is done once. */
struct row_values {
    sqlite3_value **value;
    int64_t number[ROW_CHECK_COLUMNS]; /* 0: it is no whole one */
    bool has[ROW_CHECK_COLUMNS];       /* is not NULL */
};

struct row_check {
    struct store *store;
    char table[64]; /* "": of several */
    struct {
        char name[64];
        const struct limit *limit; /* NULL: only what it is at all */
        int64_t most;
    } columns[ROW_CHECK_COLUMNS];
    /* What is allowed without another look: numbers between these, or none. */
    struct {
        int64_t least, most;
        bool may_lack;
    } plain[ROW_CHECK_COLUMNS];
    int count;
    uint64_t rows; /* so far */
    bool broken;
    struct error why; /* then */
};

/* For the rows of a query, whose columns' names tell what they are; those of
 * "SELECT take(?2, a, b) FROM c" are a and b.  Those of more than
 * ROW_CHECK_COLUMNS are not looked at. */
void row_check_begin(struct row_check *c, struct store *s, const char *sql,
        sqlite3_stmt *st, int64_t run);

/* The same for the rows of a table, whose columns row_check_column() adds. */
void row_check_table(struct row_check *c, struct store *s, const char *table);
void row_check_column(struct row_check *c, const char *name, int64_t run);

/* False: the row is not to be used, nor any after it; the error is kept. */
bool row_check_row(struct row_check *c, sqlite3_stmt *st);

/* The same of v->value, of which the rest of `v` is found. */
bool row_check_values(struct row_check *c, struct row_values *v);

/* -EBADMSG and the kept error; or 0. */
int row_check_end(const struct row_check *c, struct error *e);
