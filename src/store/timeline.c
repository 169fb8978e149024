/* timeline.c -- all that took time, as one stream.  SQLite sorts it, on disk
 * when there is much: neither of us holds it in memory. */
#include "store/sqlite.h"

/* kind, process, thread, start_ns, duration_ns, inference, id, depth, phase,
 * flags, text: as struct span.  Of an operator that no inference is known for,
 * the session tells the process. */
static const char sql[] =
        "SELECT * FROM ("

        "SELECT 0 AS kind, process, thread, start_ns, duration_ns, 0, id,"
        " 0 AS depth, 0, 0, NULL"
        " FROM sessions WHERE run = ?1 AND duration_ns NOT NULL"

        " UNION ALL SELECT 1, process, thread, start_ns, duration_ns, 0, 0, 0,"
        " phase, 0, (SELECT text FROM texts WHERE id = section_name)"
        " FROM pipeline_sections WHERE run = ?1"

        " UNION ALL SELECT 2, process, thread, start_ns, duration_ns, number,"
        " session, 0, phase, flags, (SELECT text FROM texts WHERE id = error)"
        " FROM inferences WHERE run = ?1"

        " UNION ALL SELECT 3, ifnull(i.process, (SELECT s.process"
        "  FROM operators p JOIN sessions s ON s.run = p.run"
        "  AND s.id = p.session WHERE p.run = o.run AND p.id = o.operator)),"
        " o.thread, max(o.start_ns, ifnull(i.start_ns, 0)),"
        " max(0, o.start_ns + ifnull(o.kernel_ns, o.raw_ns) -"
        "  max(o.start_ns, ifnull(i.start_ns, 0))),"
        " o.inference, o.operator, o.depth, 0, 0, NULL"
        " FROM operator_runs o LEFT JOIN inferences i"
        " ON i.run = o.run AND i.number = o.inference"
        " WHERE o.run = ?1 AND ifnull(o.kernel_ns, o.raw_ns) NOT NULL)"

        " ORDER BY start_ns, kind = 3, duration_ns DESC, kind, depth";

int store_each_span(struct store *s, int64_t run,
        void (*each)(void *context, const struct span *x), void *context,
        struct error *e)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);

    if (rc == SQLITE_OK)
        (void)sqlite3_bind_int64(st, 1, run);
    while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        each(context,
                &(struct span){
                        .kind = (enum span_kind)sqlite3_column_int(st, 0),
                        .process = (uint32_t)sqlite3_column_int64(st, 1),
                        .thread = (uint32_t)sqlite3_column_int64(st, 2),
                        .start_ns = (uint64_t)sqlite3_column_int64(st, 3),
                        .duration_ns = (uint64_t)sqlite3_column_int64(st, 4),
                        .inference = (uint64_t)sqlite3_column_int64(st, 5),
                        .id = (uint32_t)sqlite3_column_int64(st, 6),
                        .depth = (uint32_t)sqlite3_column_int64(st, 7),
                        .phase = (uint8_t)sqlite3_column_int(st, 8),
                        .flags = (uint16_t)sqlite3_column_int(st, 9),
                        .text = (const char *)sqlite3_column_text(st, 10),
                });
        rc = SQLITE_OK;
    }
    rc = rc == SQLITE_DONE ? 0 : store_failed(s, "read the timeline", e);
    (void)sqlite3_finalize(st);
    return rc;
}
