/* stored.h -- for tests: a database in a folder that is thrown away, and a run
 * in it. */
#pragma once

#include "os/process/child.h"
#include "store/store.h"
#include "tree.h"

#include <sqlite3.h>

/* The path of the database; belongs to the tree. */
static inline const char *stored_path(const struct tree *t)
{
    return tree_path(t, "runs.db");
}

static inline struct store *stored_open(const struct tree *t,
        enum store_mode mode)
{
    struct store *s = NULL;
    struct error e = { 0 };

    CHECK_INT(store_open(&s, stored_path(t), mode, &e), 0);
    if (!s) {
        (void)fprintf(stderr, "%s\n", e.text);
        abort();
    }
    return s;
}

/* A run of this process, begun at that time. */
static inline struct run stored_run(struct store *s, uint64_t wall_ns)
{
    struct run r = {
        .started_wall_ns = wall_ns,
        .start_mono_ns = 77,
        .meter_pid = own_pid(),
        .command = "prog --flag",
        .version = "0.0.1",
    };
    struct error e = { 0 };

    CHECK_INT(store_begin_run(s, &r, &e), 0);
    if (*e.text)
        (void)fprintf(stderr, "%s\n", e.text);
    return r;
}

static inline void stored_flush(struct store *s)
{
    struct error e = { 0 };

    CHECK_INT(store_flush(s, &e), 0);
    if (*e.text)
        (void)fprintf(stderr, "%s\n", e.text);
}

/* One number out of the file itself, behind the store's back. */
static inline int64_t stored_number(const struct tree *t, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    int64_t number = INT64_MIN;

    CHECK_INT(sqlite3_open(stored_path(t), &db), SQLITE_OK);
    CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    if (sqlite3_step(st) == SQLITE_ROW)
        number = sqlite3_column_int64(st, 0);
    (void)sqlite3_finalize(st);
    (void)sqlite3_close(db);
    return number;
}

static inline void stored_change(const struct tree *t, const char *sql)
{
    sqlite3 *db = NULL;

    CHECK_INT(sqlite3_open(stored_path(t), &db), SQLITE_OK);
    CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
}

/* A column that may not be NULL is one to SQLite only as long as the schema
 * says so: who makes a file by hand need not care.  Between the two anything
 * may be written. */
static inline void stored_loosen(sqlite3 *db)
{
    CHECK_INT(sqlite3_exec(db,
                      "PRAGMA synchronous = OFF;"
                      "CREATE TEMP TABLE kept AS SELECT name, sql FROM"
                      " sqlite_master WHERE type = 'table';"
                      "PRAGMA writable_schema = ON;"
                      "UPDATE sqlite_master SET sql ="
                      " replace(sql, ' NOT NULL', '') WHERE type = 'table';"
                      "PRAGMA writable_schema = RESET",
                      NULL, NULL, NULL),
            SQLITE_OK);
}

static inline void stored_tighten(sqlite3 *db)
{
    CHECK_INT(sqlite3_exec(db,
                      "PRAGMA writable_schema = ON;"
                      "UPDATE sqlite_master SET sql = (SELECT kept.sql FROM"
                      " kept WHERE kept.name = sqlite_master.name)"
                      " WHERE type = 'table';"
                      "DROP TABLE kept;"
                      "PRAGMA writable_schema = RESET",
                      NULL, NULL, NULL),
            SQLITE_OK);
}

/* 1: the file is whole. */
static inline int64_t stored_is_whole(const struct tree *t)
{
    return stored_number(t,
            "SELECT integrity_check = 'ok' FROM pragma_integrity_check");
}
