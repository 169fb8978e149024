/* timeline.c -- all that took time, as one stream.  SQLite sorts it, on disk
 * when there is much: neither of us holds it in memory. */
#include "store/row.h"

/* Kind, process, thread, start, duration, inference, id, depth, phase,
 * flags, text: as struct span.  Of an operator that no inference is known for,
 * the session tells the process. */
static const char sql[] =
        "SELECT * FROM ("

        "SELECT 0 AS span_kind, process, thread, start_ns AS span_start,"
        " duration_ns AS span_duration, 0 AS inference, id AS span_id,"
        " 0 AS depth, 0 AS phase, 0 AS flags, NULL AS text"
        " FROM sessions WHERE run = ?1 AND duration_ns NOT NULL"

        " UNION ALL SELECT 1, process, thread, start_ns, duration_ns, 0, 0, 0,"
        " phase, 0, (SELECT text FROM texts WHERE id = section_name)"
        " FROM pipeline_sections WHERE run = ?1 AND derived IS NULL"

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

        " ORDER BY span_start, span_kind = 3, span_duration DESC, span_kind,"
        " depth";

ROW_EACH(span);

static void span_row(sqlite3_stmt *st, void *to)
{
    struct each_span *each = to;

    each->call(each->context,
            &(struct span){
                    .kind = (enum span_kind)sqlite3_column_int(st, 0),
                    .process = row_u32(st, 1),
                    .thread = row_u32(st, 2),
                    .start_ns = row_u64(st, 3),
                    .duration_ns = row_u64(st, 4),
                    .inference = row_u64(st, 5),
                    .id = row_u32(st, 6),
                    .depth = row_u32(st, 7),
                    .phase = (uint8_t)row_u32(st, 8),
                    .flags = (uint16_t)row_u32(st, 9),
                    .text = row_text(st, 10),
            });
}

ROW_READ(span, span, span_row, sql)
