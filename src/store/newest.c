/* newest.c -- what happened last in a run: for those who look at it while it
 * is being recorded. */
#include "store/row.h"

ROW_EACH(inference);

static void newest_row(sqlite3_stmt *st, void *to)
{
    struct each_inference *each = to;

    each->call(each->context,
            &(struct inference){
                    .session = row_u32(st, 0),
                    .process = row_u32(st, 1),
                    .thread = row_u32(st, 2),
                    .start_ns = row_u64(st, 3),
                    .duration_ns = row_u64(st, 4),
                    .phase = (uint8_t)sqlite3_column_int(st, 5),
                    .flags = (uint16_t)sqlite3_column_int(st, 6),
            });
}

ROW_READ(newest_inference, inference, newest_row,
        "SELECT session, process, thread, start_ns, duration_ns, phase, flags"
        " FROM inferences WHERE run = ?1 ORDER BY number DESC LIMIT 2000")
