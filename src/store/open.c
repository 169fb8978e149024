/* open.c -- opens the file, and brings an older one up to date. */
#include "base/alloc.h"
#include "base/buf.h"
#include "os/clock.h"
#include "os/path.h"
#include "os/process/pause.h"
#include "os/process/self.h"
#include "store/bulk_insert.h"
#include "store/crypt/page_crypto.h"
#include "store/foreign.h"
#include "store/row.h"
#include "store/schema/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Others may be writing: each for milliseconds, so this is patience enough. */
#define BUSY_MS 20000
#define BUSY_US 500 /* until the next try, or up to twice as long */

/* So long may the log grow before what is in it goes to the file, for which the
 * disk is waited for twice: 16 MB. */
#define LOG_PAGES "4000"

/* A file that the key does not open, or that has none. */
static int locked(struct store *s, const char *doing, struct error *e)
{
    switch (encrypted_vfs_trouble(s->vault)) {
    case ENCRYPTED_VFS_WRONG_KEY:
        return fail(e, -EACCES,
                "cannot %s: the key does not open %s, or it is no database",
                doing, s->path);
    case ENCRYPTED_VFS_NOT_SEALED:
        return fail(e, -EINVAL,
                "cannot %s: %s is not encrypted: leave the key out", doing,
                s->path);
    case ENCRYPTED_VFS_DAMAGED:
        return fail(e, -EIO,
                "cannot %s: a part of %s is damaged or was changed: the key "
                "does not open it",
                doing, s->path);
    case ENCRYPTED_VFS_NO_TROUBLE: break;
    }
    return fail(e, -EIO,
            "cannot %s: %s: file is not a database, or it is encrypted: then "
            "give its key with --key-file",
            doing, s->path);
}

int store_failed(struct store *s, const char *doing, struct error *e)
{
    int code = sqlite3_errcode(s->db);

    if (code == SQLITE_FULL)
        return fail(e, -ENOSPC, "cannot %s: the disk of %s is full", doing,
                s->path);
    if (code == SQLITE_READONLY)
        return fail(e, -EROFS, "cannot %s: %s may only be read", doing,
                s->path);
    if (code == SQLITE_CANTOPEN && path_readable("%s", s->path) == -EACCES)
        return fail(e, -EACCES, "cannot %s: %s: permission denied", doing,
                s->path);
    if (code == SQLITE_NOTADB || encrypted_vfs_trouble(s->vault))
        return locked(s, doing, e);
    if (code == SQLITE_CORRUPT)
        return fail(e, -EIO, "cannot %s: %s is damaged", doing, s->path);
    if (code == SQLITE_NOMEM || code == SQLITE_TOOBIG)
        return fail(e, -EIO,
                "cannot %s: %s is damaged, or there is too little memory for "
                "it",
                doing, s->path);
    if (code == SQLITE_INTERRUPT)
        return fail(e, -EIO,
                "cannot %s: %s keeps us busy for longer than its size would "
                "explain",
                doing, s->path);
    return fail(e, -EIO, "cannot %s: %s: %s", doing, s->path,
            sqlite3_errmsg(s->db));
}

void store_bind_text(sqlite3_stmt *st, int at, const char *text)
{
    (void)(text ? sqlite3_bind_text(st, at, text, -1, SQLITE_TRANSIENT)
                : sqlite3_bind_null(st, at));
}

void store_bind_u64(sqlite3_stmt *st, int at, uint64_t value, bool known)
{
    (void)(known ? sqlite3_bind_int64(st, at, (sqlite3_int64)value)
                 : sqlite3_bind_null(st, at));
}

void store_bind_real(sqlite3_stmt *st, int at, double value, bool known)
{
    (void)(known ? sqlite3_bind_double(st, at, value)
                 : sqlite3_bind_null(st, at));
}

int store_step(sqlite3_stmt *st)
{
    (void)sqlite3_step(st);
    return sqlite3_reset(st); /* tells what step met */
}

static int read_version(struct store *s, int64_t *version, struct error *e)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(s->db, "PRAGMA user_version", -1, &st, NULL);

    if (rc == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        *version = sqlite3_column_int64(st, 0);
    else
        rc = store_failed(s, "read the database", e);
    (void)sqlite3_finalize(st);
    return rc;
}

/* A file of some other program's is not ours to fill. */
static int is_ours(struct store *s, int64_t version, struct error *e)
{
    sqlite3_stmt *st = NULL;
    int rc = 0;

    if (version < 0 || version > (int64_t)schema_version)
        return fail(e, -EPROTO,
                "%s was written by a newer ortmeter (schema %d, this one knows "
                "%zu): use that one, or another file with --db",
                s->path, (int)version, schema_version);
    (void)sqlite3_prepare_v2(s->db,
            version ? "SELECT 1 FROM sqlite_master WHERE name ="
                      " 'profiling_runs'"
                    : "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM sqlite_master)",
            -1, &st, NULL);
    if (sqlite3_step(st) != SQLITE_ROW)
        rc = fail(e, -EIO, "%s is a database of another program", s->path);
    (void)sqlite3_finalize(st);
    return rc || version <= 0 ? rc : foreign_schema(s, version, e);
}

static int take_step(struct store *s, int64_t version)
{
    char bump[48];
    int rc = schema_take_step(s->db, (size_t)version);

    (void)snprintf(bump, sizeof(bump), "PRAGMA user_version = %d",
            (int)version + 1);
    return rc ? rc : sqlite3_exec(s->db, bump, NULL, NULL, NULL);
}

static int step_up(struct store *s, int64_t version, struct error *e)
{
    for (; (size_t)version < schema_version; version++)
        if (take_step(s, version))
            return store_failed(s, "make the tables", e);
    return 0;
}

/* Looks at the file and, if `change`, brings it up to date, all in one
 * transaction: another process may be making the same file. */
static int look(struct store *s, bool change, int64_t *version, struct error *e)
{
    if (sqlite3_exec(s->db, change ? "BEGIN IMMEDIATE" : "BEGIN", NULL, NULL,
                NULL))
        return store_failed(s, "open the database", e);

    int rc = read_version(s, version, e);

    if (!rc)
        rc = is_ours(s, *version, e);
    if (!rc && change)
        rc = step_up(s, *version, e);
    if (!rc && sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL))
        rc = store_failed(s, "open the database", e);
    if (rc)
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

/* Needs the file for itself for a moment, and does not wait for it as other
 * statements do. */
static int use_write_ahead_log(struct store *s, struct error *e)
{
    for (int i = 0; i < BUSY_MS; i++) {
        int rc = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL,
                NULL);

        if (rc == SQLITE_OK)
            return 0;
        if (rc != SQLITE_BUSY)
            break;
        (void)sqlite3_sleep(1);
    }
    return store_failed(s, "write to the database", e);
}

/* Before anything is read: what is sealed has its own end of every page, and
 * leaves nothing in other files. */
static int use_key(struct store *s, struct error *e)
{
    int reserved = PAGE_CRYPTO_BYTES;

    if (!encrypted_vfs_has_key(s->vault))
        return 0;
    if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_RESERVE_BYTES,
                &reserved) ||
            sqlite3_exec(s->db,
                    "PRAGMA temp_store = MEMORY;"
                    "PRAGMA page_size = 4096;",
                    NULL, NULL, NULL))
        return store_failed(s, "open the database", e);
    return 0;
}

/* The file is looked at before it is changed in any way: it may be somebody
 * else's.  Who only reads brings an older one up to date, too. */
static int check(struct store *s, enum store_mode mode, struct error *e)
{
    int64_t version = 0;
    int rc = look(s, false, &version, e);

    if (!rc && mode != STORE_WRITE && !version)
        rc = fail(e, -EIO, "%s holds no runs: it is an empty database",
                s->path);
    if (!rc && mode != STORE_READ)
        rc = use_write_ahead_log(s, e);
    if (!rc && (mode != STORE_READ || (size_t)version < schema_version))
        rc = look(s, true, &version, e);
    return rc;
}

/* SQLite's own patience looks but ten times a second, and may find somebody
 * else writing each time.  We look at moments that nobody shares. */
static int wait_for_others(void *store, int tries)
{
    struct store *s = store;
    uint64_t now_ns = mono_ns();

    if (!tries)
        s->busy_since_ns = now_ns;
    if (now_ns - s->busy_since_ns > BUSY_MS * UINT64_C(1000000))
        return 0;
    (void)sleep_until(now_ns + 1000 * (BUSY_US + now_ns / 1000 % BUSY_US));
    return 1;
}

static int prepare(struct store *s, enum store_mode mode, struct error *e)
{
    (void)sqlite3_busy_handler(s->db, wait_for_others, s);

    int rc = use_key(s, e);

    if (!rc)
        rc = foreign_confine(s, e);
    if (!rc && row_streams_open(s))
        rc = store_failed(s, "open the database", e);
    if (!rc)
        rc = check(s, mode, e);
    if (rc || mode == STORE_READ)
        return rc;
    if (sqlite3_exec(s->db,
                "PRAGMA synchronous = NORMAL;"
                "PRAGMA wal_autocheckpoint = " LOG_PAGES ";"
                "PRAGMA secure_delete = ON;",
                NULL, NULL, NULL) ||
            bulk_insert_open(s->db, &feed_inferences, s) ||
            bulk_insert_open(s->db, &feed_operator_runs, s) ||
            bulk_insert_open(s->db, &feed_readings, s))
        rc = store_failed(s, "write to the database", e);
    s->waiting = alloc_zero(STORE_BATCH, sizeof(*s->waiting));
    s->errors = alloc_zero(STORE_BATCH, sizeof(*s->errors));
    s->error_numbers = alloc_zero(STORE_BATCH, sizeof(*s->error_numbers));
    s->operator_runs = alloc_zero(STORE_BATCH, sizeof(*s->operator_runs));
    s->readings = alloc_zero(STORE_BATCH, sizeof(*s->readings));
    return rc;
}

/* Whether somebody is writing to the file, or died while at it. */
static bool has_log(const struct store *s)
{
    struct buf name = { 0 };

    buf_printf(&name, "%s-wal", s->path);

    bool there = path_kind(buf_cstr(&name)) != PATH_NOTHING;

    buf_release(&name);
    return there;
}

/* A file that we may only read, in a folder where we may make no other beside
 * it, as SQLite would like to.  While nobody writes, it can be read as it
 * stands. */
static int open_still(struct store *s, struct error *e)
{
    struct buf name = { 0 };

    buf_text(&name, "file:");
    for (const char *c = s->path; *c; c++) {
        if (strchr("?#%", *c))
            buf_printf(&name, "%%%02x", (unsigned)*c);
        else
            buf_char(&name, *c);
    }
    buf_text(&name, "?immutable=1");
    (void)sqlite3_close(s->db);
    s->db = NULL;

    int rc = sqlite3_open_v2(buf_cstr(&name), &s->db,
            SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
            encrypted_vfs_name(s->vault));

    buf_release(&name);
    return rc == SQLITE_OK ? prepare(s, STORE_READ, e)
                           : store_failed(s, "open the database", e);
}

/* Writes every page of a file anew that the version before sealed.  Not while
 * others are at it: then the next one who opens it does so. */
static void seal_anew(const char *path, const struct store_key *key)
{
    struct store s = { .path = (char *)path, .vault = encrypted_vfs_new(key) };

    encrypted_vfs_seal_anew(s.vault);
    if (!sqlite3_open_v2(path, &s.db,
                SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                encrypted_vfs_name(s.vault)) &&
            !sqlite3_exec(s.db, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL,
                    NULL) &&
            !use_key(&s, NULL) && !foreign_confine(&s, NULL) &&
            !sqlite3_exec(s.db, "VACUUM", NULL, NULL, NULL))
        (void)sqlite3_exec(s.db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL,
                NULL);
    (void)sqlite3_close(s.db);
    encrypted_vfs_free(s.vault);
}

static int open_file(struct store *s, enum store_mode mode,
        const struct store_key *key, struct error *e)
{
    /* A store is for one thread at a time, so SQLite need not lock. */
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                (mode == STORE_WRITE ? SQLITE_OPEN_CREATE : 0);

    s->vault = encrypted_vfs_new(key);
    if (sqlite3_open_v2(s->path, &s->db, flags, encrypted_vfs_name(s->vault)) !=
            SQLITE_OK)
        return store_failed(s, "open the database", e);
    return prepare(s, mode, e);
}

int store_open(struct store **out, const char *path, enum store_mode mode,
        struct error *e)
{
    return store_open_locked(out, path, mode, NULL, e);
}

int store_open_locked(struct store **out, const char *path,
        enum store_mode mode, const struct store_key *key, struct error *e)
{
    if (mode != STORE_WRITE && path_kind(path) == PATH_NOTHING)
        return fail(e, -ENOENT,
                "there is no database %s yet: run something "
                "first, as in 'ortmeter run -- PROGRAM'",
                path);

    struct store *s = alloc_zero(1, sizeof(*s));
    /* What it holds is its owner's business. */
    bool before = self_private_files(true);
    int rc;

    s->path = alloc_text(path);
    rc = open_file(s, mode, key, e);
    if (!rc && mode != STORE_READ && encrypted_vfs_is_old(s->vault)) {
        store_close(s);
        seal_anew(path, key);
        s = alloc_zero(1, sizeof(*s));
        s->path = alloc_text(path);
        rc = open_file(s, mode, key, e);
    }
    if (rc == -EROFS && mode == STORE_READ && !has_log(s))
        rc = open_still(s, e);
    (void)self_private_files(before);
    if (rc) {
        store_close(s);
        return rc;
    }
    *out = s;
    return 0;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->waiting_count; i++)
        free(s->errors[i]);
    (void)sqlite3_finalize(s->add_inferences);
    (void)sqlite3_finalize(s->add_operator_runs);
    for (size_t i = 0; i < DESCRIBED_MAX; i++)
        (void)sqlite3_finalize(s->put[i]);
    (void)sqlite3_finalize(s->add_readings);
    (void)sqlite3_finalize(s->add_rollup);
    (void)sqlite3_finalize(s->add_power);
    (void)sqlite3_finalize(s->add_layer);
    (void)sqlite3_finalize(s->add_component);
    (void)sqlite3_finalize(s->add_deep_operation);
    (void)sqlite3_finalize(s->add_section);
    (void)sqlite3_finalize(s->add_token);
    (void)sqlite3_finalize(s->add_event);
    (void)sqlite3_finalize(s->add_text);
    (void)sqlite3_finalize(s->find_text);
    (void)sqlite3_finalize(s->use_text);
    (void)sqlite3_close(s->db);
    encrypted_vfs_free(s->vault);
    store_drop_inferences(s);
    free(s->waiting);
    map_release(&s->text_uses);
    store_forget_texts(s);
    free(s->operator_runs);
    free(s->readings);
    free(s->errors);
    free(s->error_numbers);
    free(s->path);
    free(s);
}
