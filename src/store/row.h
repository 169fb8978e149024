/* row.h -- reading rows.  Not for others than the store. */
#pragma once

#include "store/sqlite.h"

static inline uint64_t row_u64(sqlite3_stmt *st, int at)
{
    return (uint64_t)sqlite3_column_int64(st, at);
}

static inline uint32_t row_u32(sqlite3_stmt *st, int at)
{
    return (uint32_t)sqlite3_column_int64(st, at);
}

static inline const char *row_text(sqlite3_stmt *st, int at)
{
    return (const char *)sqlite3_column_text(st, at);
}

static inline bool row_has(sqlite3_stmt *st, int at)
{
    return sqlite3_column_type(st, at) != SQLITE_NULL;
}

/* Runs a query whose ?1 is a number, mostly a run's; `row` is called for each
 * row. */
int row_query(struct store *s, const char *sql, int64_t number,
        void (*row)(sqlite3_stmt *st, void *each), void *each, struct error *e);

/* Whom to call, with what. */
#define ROW_EACH(type)                             \
    struct each_##type {                           \
        void (*call)(void *, const struct type *); \
        void *context;                             \
    }

/* Defines store_each_NAME() by its query. */
#define ROW_READ(name, type, row, sql)                      \
    STORE_EACH(name, type)                                  \
    {                                                       \
        return row_query(s, sql, run, row,                  \
                &(struct each_##type){ each, context }, e); \
    }

/* A column that holds the number of a text. */
#define ROW_TEXT(column) " (SELECT text FROM texts WHERE id = " column ")"
