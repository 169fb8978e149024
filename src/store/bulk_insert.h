/* bulk_insert.h -- rows that wait in memory, as a table that a statement reads.
 *
 * So a batch is one INSERT ... SELECT, in which SQLite keeps its place in the
 * table that it adds to: half the price of an INSERT for each row.  Not for
 * others than the store. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

struct bulk_insert {
    const char *name; /* of the table */
    int columns;
    size_t (*count)(const struct store *s); /* how many rows wait */
    /* Gives the value of a column of the row `at`, from 0; given nothing, it
     * is NULL. */
    void (*cell)(sqlite3_context *to, const struct store *s, size_t at,
            int column);
};

/* Makes it a table of this connection.  A SQLite code. */
int bulk_insert_open(sqlite3 *db, const struct bulk_insert *f,
        const struct store *s);

/* Gives a number if it is known. */
static inline void bulk_insert_u64(sqlite3_context *to, uint64_t value,
        bool known)
{
    if (known)
        sqlite3_result_int64(to, (sqlite3_int64)value);
}
