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

/* --- a part of a run ------------------------------------------------------ */

/* Inferences are recorded as they end, each process's a little later than the
 * others'. */
#define SLACK_NS UINT64_C(2000000000)
#define AT_ONCE  4096

/* When the first of that number or a greater one ended.  False: there is none.
 */
static bool end_of(sqlite3_stmt *st, int64_t run, uint64_t number,
        uint64_t *end_ns)
{
    bool found;

    (void)sqlite3_bind_int64(st, 1, run);
    (void)sqlite3_bind_int64(st, 2, (int64_t)number);
    found = sqlite3_step(st) == SQLITE_ROW;
    if (found)
        *end_ns = row_u64(st, 0);
    (void)sqlite3_reset(st);
    return found;
}

/* The number of one that ended before, as late as may be; 0: there is none. */
static int number_before(struct store *s, int64_t run, uint64_t time_ns,
        uint64_t *number, struct error *e)
{
    uint64_t low = 0, high = 1, end_ns = 0;
    sqlite3_stmt *st = NULL;

    if (sqlite3_prepare_v2(s->db,
                "SELECT start_ns + duration_ns FROM inferences WHERE run = ?1"
                " AND number >= ?2 ORDER BY run, number LIMIT 1",
                -1, &st, NULL) != SQLITE_OK)
        return store_failed(s, "read the runs", e);
    while (high < UINT64_C(1) << 53 && end_of(st, run, high, &end_ns) &&
            end_ns < time_ns) {
        low = high;
        high *= 2;
    }
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;

        if (end_of(st, run, middle, &end_ns) && end_ns < time_ns)
            low = middle;
        else
            high = middle;
    }
    (void)sqlite3_finalize(st);
    *number = low;
    return 0;
}

struct part {
    void (*each)(void *context, const struct inference *x);
    void *context;
    uint64_t to_ns;
    bool over;
};

static void take_part(void *to, const struct inference *x)
{
    struct part *p = to;

    p->over |= x->start_ns + x->duration_ns > p->to_ns;
    p->each(p->context, x);
}

int store_each_inference_within(struct store *s, int64_t run, uint64_t from_ns,
        uint64_t to_ns, void (*each)(void *context, const struct inference *x),
        void *context, struct error *e)
{
    struct part part = { each, context, to_ns + SLACK_NS, false };
    uint64_t after = 0, before;
    int rc = from_ns > SLACK_NS
                     ? number_before(s, run, from_ns - SLACK_NS, &after, e)
                     : 0;

    do {
        before = after;
        if (!rc)
            rc = store_each_inference_since(s, run, &after, AT_ONCE, take_part,
                    &part, e);
    } while (!rc && !part.over && after != before);
    return rc;
}
