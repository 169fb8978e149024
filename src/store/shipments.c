#include "store/shipments.h"

#include "os/process/child.h"
#include "store/sqlite.h"

#include <stdio.h>

/* Runs one statement with a run (or 0) and a destination. */
static int change(struct store *s, const char *sql, int64_t run, const char *to,
        struct error *e)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);

    if (rc == SQLITE_OK) {
        (void)sqlite3_bind_int64(st, 1, run);
        (void)sqlite3_bind_text(st, 2, to, -1, SQLITE_STATIC);
        rc = store_step(st);
    }
    if (rc != SQLITE_OK)
        rc = store_failed(s, "keep what was sent", e);
    (void)sqlite3_finalize(st);
    return rc;
}

int store_add_shipment(struct store *s, int64_t run, const char *to, bool again,
        struct error *e)
{
    int rc = 0;

    if (again)
        rc = change(s,
                "DELETE FROM shipment_marks WHERE run = ?1"
                " AND destination = ?2",
                run, to, e);
    if (again && !rc)
        rc = change(s,
                "DELETE FROM shipments WHERE run = ?1 AND destination = ?2",
                run, to, e);
    return rc ? rc
              : change(s, "INSERT OR IGNORE INTO shipments VALUES (?1,?2,0)",
                        run, to, e);
}

int store_add_own_shipments(struct store *s, const char *to, uint64_t *count,
        struct error *e)
{
    int rc = change(s,
            "INSERT OR IGNORE INTO shipments SELECT id, ?2, 0"
            " FROM profiling_runs WHERE meter_pid = ?1 AND status = 0",
            own_pid(), to, e);

    if (!rc)
        *count = (uint64_t)sqlite3_changes(s->db);
    return rc;
}

int store_add_all_shipments(struct store *s, const char *to, struct error *e)
{
    return change(s,
            "INSERT OR IGNORE INTO shipments SELECT id, ?2, 0"
            " FROM profiling_runs WHERE id > ?1",
            0, to, e);
}

int store_end_shipment(struct store *s, int64_t run, const char *to,
        struct error *e)
{
    return change(s,
            "UPDATE shipments SET arrived = 1 WHERE run = ?1"
            " AND destination = ?2",
            run, to, e);
}

int store_next_shipment(struct store *s, const char *to, int64_t run,
        struct shipment *out, struct error *e)
{
    sqlite3_stmt *st = NULL;
    int64_t died = 0;
    int rc = sqlite3_prepare_v2(s->db,
            "SELECT id, run_id, timestamp, status, meter_pid FROM shipments"
            " JOIN profiling_runs ON id = run WHERE destination = ?1"
            " AND NOT arrived AND run > ?2 ORDER BY run",
            -1, &st, NULL);

    *out = (struct shipment){ 0 };
    if (rc == SQLITE_OK) {
        (void)sqlite3_bind_text(st, 1, to, -1, SQLITE_STATIC);
        (void)sqlite3_bind_int64(st, 2, run);
    }
    while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        uint32_t meter = (uint32_t)sqlite3_column_int64(st, 4);
        bool running = sqlite3_column_int(st, 3) == RUN_RUNNING;

        rc = SQLITE_OK;
        if (running && meter != own_pid() && process_is_there(meter))
            continue;
        if (running && meter != own_pid())
            died = sqlite3_column_int64(st, 0);
        out->run = sqlite3_column_int64(st, 0);
        out->started_wall_ns = (uint64_t)sqlite3_column_int64(st, 2);
        out->own = meter == own_pid();
        (void)snprintf(out->id, sizeof(out->id), "%s",
                (const char *)sqlite3_column_text(st, 1));
        break;
    }
    rc = rc == SQLITE_DONE || rc == SQLITE_OK
                 ? 0
                 : store_failed(s, "read what is to be sent", e);
    (void)sqlite3_finalize(st);
    /* Nobody else will: only here can be seen that its meter is no more. */
    return !rc && died ? store_mark_interrupted(s, died, e) : rc;
}

int store_read_mark(struct store *s, int64_t run, const char *to,
        const char *table, struct shipment_mark *out, struct error *e)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(s->db,
            "SELECT number, digest FROM shipment_marks WHERE run = ?1"
            " AND destination = ?2 AND table_name = ?3",
            -1, &st, NULL);

    *out = (struct shipment_mark){ 0 };
    if (rc == SQLITE_OK) {
        (void)sqlite3_bind_int64(st, 1, run);
        (void)sqlite3_bind_text(st, 2, to, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(st, 3, table, -1, SQLITE_STATIC);
        rc = sqlite3_step(st);
    }
    if (rc == SQLITE_ROW) {
        out->number = sqlite3_column_int64(st, 0);
        out->digest = sqlite3_column_int64(st, 1);
    }
    rc = rc == SQLITE_ROW || rc == SQLITE_DONE
                 ? 0
                 : store_failed(s, "read what was sent", e);
    (void)sqlite3_finalize(st);
    return rc;
}

int store_put_mark(struct store *s, int64_t run, const char *to,
        const char *table, const struct shipment_mark *mark, struct error *e)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(s->db,
            "INSERT OR REPLACE INTO shipment_marks VALUES (?1,?2,?3,?4,?5)", -1,
            &st, NULL);

    if (rc == SQLITE_OK) {
        (void)sqlite3_bind_int64(st, 1, run);
        (void)sqlite3_bind_text(st, 2, to, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(st, 3, table, -1, SQLITE_STATIC);
        (void)sqlite3_bind_int64(st, 4, mark->number);
        (void)sqlite3_bind_int64(st, 5, mark->digest);
        rc = store_step(st);
    }
    if (rc != SQLITE_OK)
        rc = store_failed(s, "keep what was sent", e);
    (void)sqlite3_finalize(st);
    return rc;
}
