/* remove.c -- runs that go, with all that was theirs.
 *
 * Foreign keys are not enforced while we write, which would cost time for each
 * row.  So we do here what they would do, by their own list. */
#include "base/buf.h"
#include "os/path.h"
#include "os/process/child.h"
#include "store/row.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Runs a statement whose ?1 is the run. */
static void change(struct store *s, const char *sql, int64_t run)
{
    sqlite3_stmt *st = store_once(s, sql);

    if (!st)
        return;
    (void)sqlite3_bind_int64(st, 1, run);
    store_finish(s, st);
}

/* One statement for each table whose rows are a run's. */
static void cascade_row(sqlite3_stmt *st, void *to)
{
    buf_printf(to, "%s\n", row_text(st, 0));
}

static int delete_rows(struct store *s, int64_t run, struct error *e)
{
    struct buf all = { 0 };
    struct str line, rest;
    int rc = row_query(s,
            "SELECT format('DELETE FROM \"%w\" WHERE \"%w\" = ?1', m.name,"
            " f.\"from\") FROM sqlite_master m, pragma_foreign_key_list(m.name)"
            " f WHERE m.type = 'table' AND f.\"table\" = 'profiling_runs'"
            " AND f.on_delete = 'CASCADE' AND ?1",
            1, cascade_row, &all, e);

    rest = buf_str(&all);
    while (!rc && str_line(&line, &rest)) {
        char sql[256];

        (void)snprintf(sql, sizeof(sql), "%.*s", (int)line.len, line.p);
        change(s, sql, run);
    }
    buf_release(&all);
    return rc;
}

static const char forget_prompt[] =
        "INSERT INTO prompts (prompts, rowid, prompt) SELECT 'delete', id,"
        " prompt FROM profiling_runs WHERE id = ?1 AND prompt NOT NULL";
static const char forget_texts[] =
        "DELETE FROM texts WHERE id IN (SELECT id FROM gone_texts) AND NOT"
        " EXISTS (SELECT 1 FROM text_uses WHERE text = texts.id)";
static const char forget_labels[] =
        "DELETE FROM labels WHERE id IN (SELECT id FROM gone_labels) AND NOT"
        " EXISTS (SELECT 1 FROM run_labels WHERE label = labels.id)";

/* What only this run used; the first two lists are made before it goes. */
static const char *const before[] = {
    "CREATE TEMP TABLE IF NOT EXISTS gone_texts (id INTEGER PRIMARY KEY)",
    "CREATE TEMP TABLE IF NOT EXISTS gone_labels (id INTEGER PRIMARY KEY)",
    "DELETE FROM gone_texts",
    "DELETE FROM gone_labels",
    "INSERT INTO gone_texts SELECT text FROM text_uses WHERE run = ?1",
    "INSERT INTO gone_labels SELECT label FROM run_labels WHERE run = ?1",
    forget_prompt,
    NULL,
};
static const char *const after[] = {
    "DELETE FROM profiling_runs WHERE id = ?1",
    forget_texts,
    forget_labels,
    "DELETE FROM gone_texts",
    "DELETE FROM gone_labels",
    NULL,
};

struct found {
    bool there, recording;
};

static void take_run(void *to, const struct run *r)
{
    *(struct found *)to = (struct found){
        .there = true,
        .recording = r->status == RUN_RUNNING && r->meter_pid != own_pid(),
    };
}

int store_delete_run(struct store *s, int64_t row, struct error *e)
{
    struct found found = { 0 };
    int rc = store_flush(s, e);

    if (!rc)
        rc = store_read_run(s, row, take_run, &found, e);
    if (rc)
        return rc;
    if (!found.there)
        return fail(e, -ENOENT, "there is no such run in %s", s->path);
    if (found.recording)
        return fail(e, -EBUSY, "the run is still being recorded");
    store_begin(s);
    for (const char *const *sql = before; *sql; sql++)
        change(s, *sql, row);
    rc = delete_rows(s, row, e);
    for (const char *const *sql = after; *sql; sql++)
        change(s, *sql, row);

    int ended = store_flush(s, rc ? NULL : e);

    return rc ? rc : ended;
}

/* --- afterwards ----------------------------------------------------------- */

static int run_all(struct store *s, const char *sql, struct error *e)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL)
                   ? store_failed(s, "clean the database", e)
                   : 0;
}

int store_forget(struct store *s, struct error *e)
{
    return run_all(s,
            "INSERT INTO prompts (prompts) VALUES ('optimize');"
            "PRAGMA wal_checkpoint(TRUNCATE)",
            e);
}

/* Texts whose last user died with a meter before it was noted, and machines
 * that no run is of. */
static const char unused[] =
        "DELETE FROM texts WHERE NOT EXISTS"
        " (SELECT 1 FROM text_uses WHERE text = texts.id);"
        "DELETE FROM labels WHERE NOT EXISTS"
        " (SELECT 1 FROM run_labels WHERE label = labels.id);"
        "DELETE FROM hosts WHERE id NOT IN"
        " (SELECT host_id FROM profiling_runs WHERE host_id NOT NULL)";

int store_vacuum(struct store *s, struct error *e)
{
    int rc = store_flush(s, e);

    if (!rc)
        rc = run_all(s, "BEGIN IMMEDIATE", e);
    if (rc)
        return rc;
    rc = run_all(s, unused, e);
    if (rc)
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    else
        rc = run_all(s, "COMMIT", e);
    if (!rc)
        rc = run_all(s, "VACUUM", e);
    return rc ? rc : store_forget(s, e);
}

int store_check(struct store *s, struct error *e)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(s->db, "PRAGMA integrity_check(1)", -1, &st,
            NULL);

    if (!rc && sqlite3_step(st) == SQLITE_ROW) {
        const char *said = row_text(st, 0);

        if (said && strcmp(said, "ok") != 0)
            rc = fail(e, -EIO, "%s is damaged: %.128s", s->path, said);
        (void)sqlite3_finalize(st);
        return rc;
    }
    (void)sqlite3_finalize(st);
    return store_failed(s, "check the database", e);
}

uint64_t store_bytes(const struct store *s)
{
    struct buf log = { 0 };
    uint64_t bytes = 0, more = 0;

    buf_printf(&log, "%s-wal", s->path);
    if (path_bytes(&bytes, s->path))
        bytes = 0;
    if (path_bytes(&more, buf_cstr(&log)) == 0)
        bytes += more;
    buf_release(&log);
    return bytes;
}

struct each_row {
    void (*call)(void *, int64_t);
    void *context;
};

static void prunable_row(sqlite3_stmt *st, void *to)
{
    struct each_row *each = to;

    each->call(each->context, sqlite3_column_int64(st, 0));
}

int store_each_prunable(struct store *s, uint64_t before_wall_ns, uint64_t keep,
        void (*each)(void *context, int64_t row), void *context,
        struct error *e)
{
    char sql[512];

    (void)snprintf(sql, sizeof(sql),
            "SELECT id FROM (SELECT id, timestamp, status FROM profiling_runs"
            " ORDER BY timestamp DESC, id DESC LIMIT -1 OFFSET %llu)"
            " WHERE (?1 = 0 OR timestamp < ?1) AND status <> 0"
            " AND id NOT IN (SELECT run FROM baselines UNION"
            " SELECT run FROM run_labels x JOIN labels l"
            " ON l.id = x.label WHERE l.kind = 'baseline')",
            (unsigned long long)(keep > INT64_MAX ? INT64_MAX : keep));
    return row_query(s, sql, (int64_t)before_wall_ns, prunable_row,
            &(struct each_row){ each, context }, e);
}
