#include "store/foreign.h"

#include "base/buf.h"
#include "os/path.h"
#include "store/schema/schema.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

/* --- what is not done ----------------------------------------------------- */

#define STEPS_AT_ONCE 1000000 /* of SQLite's own machine, between two looks */
#define STEPS_LEAST   INT64_C(200000000)
#define STEPS_A_BYTE  200 /* reading a row takes fewer a byte */
#define SIZE_EVERY    256 /* statements, the size of the file is asked for */

static int count_steps(void *store)
{
    struct store *s = store;

    s->steps_left -= STEPS_AT_ONCE;
    return s->steps_left < 0;
}

/* A statement begins. */
static int begin_steps(unsigned what, void *store, void *statement, void *sql)
{
    struct store *s = store;
    uint64_t bytes = 0;

    (void)what;
    (void)statement;
    (void)sql;
    if (s->statements++ % SIZE_EVERY == 0)
        s->file_bytes = path_bytes(&bytes, s->path) ? 0 : (int64_t)bytes;
    s->steps_left = STEPS_LEAST + STEPS_A_BYTE * s->file_bytes;
    return 0;
}

/* Nothing that we write comes near to these. */
static void limit(sqlite3 *db)
{
    (void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 256 << 20);
    (void)sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
    (void)sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 128);
    (void)sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 128);
    (void)sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 32);
    (void)sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 8);
    (void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 1); /* VACUUM's own */
}

int foreign_confine(struct store *s, struct error *e)
{
    sqlite3 *db = s->db;

    limit(db);
    sqlite3_progress_handler(db, STEPS_AT_ONCE, count_steps, s);
    if (sqlite3_trace_v2(db, SQLITE_TRACE_STMT, begin_steps, s) ||
            sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) ||
            sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) ||
            sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) ||
            sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL) ||
            sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL))
        return store_failed(s, "open the database", e);
    return 0;
}

/* --- what may be there ---------------------------------------------------- */

/* What ANALYZE leaves, which is SQLite's own, changes no result. */
static const char objects_sql[] =
        "SELECT type, name, tbl_name, sql FROM sqlite_master"
        " WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'"
        " ORDER BY type, name";

/* Versions of SQLite differ in blanks and quotation marks. */
static void add_plain(struct buf *out, const char *sql)
{
    for (; sql && *sql; sql++)
        if (!strchr(" \t\n\r\"'`[]", *sql))
            buf_char(out, *sql);
}

static void add_object(struct buf *out, sqlite3_stmt *st)
{
    buf_clear(out);
    for (int i = 0; i < 4; i++) {
        add_plain(out, (const char *)sqlite3_column_text(st, i));
        buf_char(out, '\n');
    }
}

/* Whether the two have the same object next; an end, too, is one. */
static bool same(sqlite3_stmt *theirs, int there, sqlite3_stmt *ours, int here)
{
    struct buf a = { 0 }, b = { 0 };

    if (there != here || here != SQLITE_ROW)
        return there == here;
    add_object(&a, theirs);
    add_object(&b, ours);

    bool equal = strcmp(buf_cstr(&a), buf_cstr(&b)) == 0;

    buf_release(&a);
    buf_release(&b);
    return equal;
}

static int refuse(struct store *s, sqlite3_stmt *st, int there, struct error *e)
{
    const char *type, *name;

    if (there != SQLITE_ROW && there != SQLITE_DONE)
        return store_failed(s, "read the database", e);
    if (there == SQLITE_DONE)
        return fail(e, -EBADMSG,
                "%s is not as ortmeter made it: a table is missing", s->path);
    type = (const char *)sqlite3_column_text(st, 0);
    name = (const char *)sqlite3_column_text(st, 1);
    return fail(e, -EBADMSG,
            "%s is not as ortmeter made it: the %.20s %.60s is not one of its "
            "own",
            s->path, type ? type : "object", name ? name : "without a name");
}

static int compare(struct store *s, sqlite3 *made, struct error *e)
{
    sqlite3_stmt *theirs = NULL, *ours = NULL;
    int there, here, rc = 0;

    if (sqlite3_prepare_v2(s->db, objects_sql, -1, &theirs, NULL) ||
            sqlite3_prepare_v2(made, objects_sql, -1, &ours, NULL)) {
        rc = store_failed(s, "read the database", e);
    } else {
        do {
            there = sqlite3_step(theirs);
            here = sqlite3_step(ours);
            if (!same(theirs, there, ours, here))
                rc = refuse(s, theirs, there, e);
        } while (!rc && here == SQLITE_ROW);
    }
    (void)sqlite3_finalize(theirs);
    (void)sqlite3_finalize(ours);
    return rc;
}

void foreign_digest(char out[FOREIGN_DIGEST + 1], const struct store *s)
{
    struct buf object = { 0 };
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    sqlite3_stmt *st = NULL;
    uint8_t bytes[EVP_MAX_MD_SIZE] = { 0 };
    bool good = sum && EVP_DigestInit_ex(sum, EVP_sha256(), NULL) == 1;

    (void)sqlite3_prepare_v2(s->db, objects_sql, -1, &st, NULL);
    while (good && sqlite3_step(st) == SQLITE_ROW) {
        add_object(&object, st);
        good = EVP_DigestUpdate(sum, object.p, object.len) == 1;
    }
    good = good && EVP_DigestFinal_ex(sum, bytes, NULL) == 1;
    for (size_t i = 0; i < FOREIGN_DIGEST / 2; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    if (!good)
        *out = 0;
    EVP_MD_CTX_free(sum);
    (void)sqlite3_finalize(st);
    buf_release(&object);
}

/* Making the tables anew to compare them takes longer than all else of opening
 * a file: those of this version are known by their digest. */
static bool is_todays(const struct store *s, int64_t version)
{
    char digest[FOREIGN_DIGEST + 1];

    if (version != (int64_t)schema_version)
        return false;
    foreign_digest(digest, s);
    return strcmp(digest, schema_digest) == 0;
}

int foreign_schema(struct store *s, int64_t version, struct error *e)
{
    sqlite3 *made = NULL;

    if (is_todays(s, version))
        return 0;

    int rc = sqlite3_open_v2(":memory:", &made,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

    for (size_t i = 0; i < (size_t)version && !rc; i++)
        rc = schema_take_step(made, i);
    rc = rc ? fail(e, -ENOMEM, "there is no memory for the tables")
            : compare(s, made, e);
    (void)sqlite3_close(made);
    return rc;
}
