#include "fleet/ship.h"

#include "fleet/row_binary.h"
#include "os/clock.h"

#include <errno.h>

/* Few and large: a server keeps every insert as a part of its own, at first. */
#define BATCH_ROWS  50000
#define BATCH_BYTES (8 << 20)

/* While a run goes on, a table that is sent as a whole waits for its end when
 * it has more rows. */
#define SMALL_ROWS 5000

#define DAY_NS 86400000000000u

struct batch {
    struct clickhouse *clickhouse;
    const struct stored_table *table;
    const struct shipment *shipment;
    uint64_t version;
    struct buf rows;
    uint64_t count;
    int64_t last; /* number */
    uint64_t digest;
    bool send; /* when full; else only the digest is wanted */
    struct ship_tally *tally;
    int rc;
    struct error *e;
};

static void insert(struct batch *b)
{
    struct buf sql = { 0 };

    if (b->rc || !b->count)
        return;
    buf_printf(&sql, "INSERT INTO `%s` (`run_id`, `run_day`, `row_version`",
            b->table->name);
    for (size_t i = 0; i < b->table->count; i++)
        buf_printf(&sql, ", `%s`", b->table->columns[i].name);
    buf_text(&sql, ") FORMAT RowBinary");
    b->rc = clickhouse_insert(b->clickhouse, buf_cstr(&sql), buf_str(&b->rows),
            b->e);
    buf_release(&sql);
    if (!b->rc)
        b->tally->rows += b->count;
    buf_clear(&b->rows);
    b->count = 0;
}

/* FNV-1a; 0 is kept for "nothing was sent". */
static void digest(struct batch *b, size_t from)
{
    for (size_t i = from; i < b->rows.len; i++)
        b->digest = (b->digest ^ (unsigned char)b->rows.p[i]) * 1099511628211u;
}

static void add_row(void *to, const struct stored_cell *cells)
{
    struct batch *b = to;

    buf_add(&b->rows, b->shipment->id, RUN_ID_LEN);
    row_binary_u16(&b->rows, (uint16_t)(b->shipment->started_wall_ns / DAY_NS));
    row_binary_u64(&b->rows, b->version);

    size_t from = b->rows.len;

    row_binary_cells(&b->rows, b->table, cells);
    b->count++;
    b->last = cells[0].integer;
    if (!b->table->numbered)
        digest(b, from);
    if (!b->send) {
        buf_clear(&b->rows);
        b->count = 0;
    } else if (b->rows.len >= BATCH_BYTES && !b->table->numbered) {
        insert(b);
    }
}

static struct batch batch_of(struct clickhouse *c, const struct stored_table *t,
        const struct shipment *x, struct ship_tally *tally, struct error *e)
{
    return (struct batch){
        .clickhouse = c,
        .table = t,
        .shipment = x,
        .version = wall_ns(),
        .digest = 14695981039346656037u,
        .tally = tally,
        .e = e,
    };
}

/* --- a table -------------------------------------------------------------- */

/* What was added since, by and by. */
static int ship_numbered(struct store *s, struct batch *b, const char *to)
{
    int64_t run = b->shipment->run;
    struct shipment_mark mark;
    int rc = store_read_mark(s, run, to, b->table->name, &mark, b->e);

    b->send = true;
    for (uint64_t count = BATCH_ROWS; !rc && count == BATCH_ROWS;) {
        rc = store_each_row(s, b->table, run, mark.number, BATCH_ROWS, add_row,
                b, b->e);
        count = b->count;
        if (rc || !count)
            break;
        insert(b);
        rc = b->rc;
        mark.number = b->last;
        if (!rc)
            rc = store_put_mark(s, run, to, b->table->name, &mark, b->e);
    }
    return rc;
}

/* All of it, when something in it has changed. */
static int ship_whole(struct store *s, struct batch *b, const char *to)
{
    const struct shipment *x = b->shipment;
    struct batch again = *b;
    struct shipment_mark mark;
    uint64_t count = 0;
    int rc = store_count_rows(s, b->table, x->run, &count, b->e);

    if (rc || !count || (x->running && count > SMALL_ROWS))
        return rc;
    rc = store_read_mark(s, x->run, to, b->table->name, &mark, b->e);
    if (!rc)
        rc = store_each_row(s, b->table, x->run, 0, UINT64_MAX, add_row, b,
                b->e);
    if (rc || mark.digest == (int64_t)(b->digest | 1))
        return rc;
    again.send = true;
    rc = store_each_row(s, b->table, x->run, 0, UINT64_MAX, add_row, &again,
            b->e);
    insert(&again);
    buf_release(&again.rows);
    mark.digest = (int64_t)(b->digest | 1);
    rc = rc ? rc : again.rc;
    return rc ? rc : store_put_mark(s, x->run, to, b->table->name, &mark, b->e);
}

static int ship_table(struct clickhouse *c, struct store *s,
        const struct stored_table *t, const struct shipment *x,
        struct ship_tally *tally, struct error *e)
{
    struct batch b = batch_of(c, t, x, tally, e);
    const char *to = clickhouse_address(c)->name;
    int rc = t->numbered ? ship_numbered(s, &b, to) : ship_whole(s, &b, to);

    buf_release(&b.rows);
    return rc;
}

/* --- a run ---------------------------------------------------------------- */

static int count_there(struct clickhouse *c, const struct stored_table *t,
        const struct shipment *x, uint64_t *count, struct error *e)
{
    struct buf sql = { 0 }, answer = { 0 };

    buf_printf(&sql, "SELECT count() FROM `%s` FINAL WHERE `run_id` = '%s'",
            t->name, x->id);

    int rc = clickhouse_run(c, buf_cstr(&sql), &answer, e);

    if (!rc && str_u64(count, str_trim(buf_str(&answer))))
        rc = fail(e, -EPROTO, "the ClickHouse server at %s:%u cannot count",
                clickhouse_address(c)->host, clickhouse_address(c)->port);
    buf_release(&sql);
    buf_release(&answer);
    return rc;
}

/* A server that died may have lost what it had confirmed: then all of the
 * table is sent once more. */
static int check_table(struct clickhouse *c, struct store *s,
        const struct stored_table *t, const struct shipment *x,
        struct ship_tally *tally, struct error *e)
{
    const char *to = clickhouse_address(c)->name;
    uint64_t here = 0, there = 0;
    int rc = store_count_rows(s, t, x->run, &here, e);

    if (rc || !here)
        return rc;
    rc = count_there(c, t, x, &there, e);
    if (rc || there >= here)
        return rc;
    rc = store_put_mark(s, x->run, to, t->name, &(struct shipment_mark){ 0 },
            e);
    if (!rc)
        rc = ship_table(c, s, t, x, tally, e);
    if (!rc)
        rc = count_there(c, t, x, &there, e);
    if (!rc && there < here)
        rc = fail(e, -EPROTO,
                "of %llu rows of %s of the run %.8s, %s has only %llu",
                (unsigned long long)here, t->name, x->id, to,
                (unsigned long long)there);
    return rc;
}

/* The run itself goes last: one that is there is there with all that belongs
 * to it. */
static int ship_run(struct clickhouse *c, struct store *s,
        const struct stored_tables *t, const struct shipment *x,
        struct ship_tally *tally, struct error *e)
{
    int rc = 0;

    for (size_t i = 0; !rc && i < t->count; i++) {
        rc = ship_table(c, s, &t->items[i], x, tally, e);
        if (!rc && !x->running)
            rc = check_table(c, s, &t->items[i], x, tally, e);
    }
    if (!rc && !x->running) {
        rc = store_end_shipment(s, x->run, clickhouse_address(c)->name, e);
        tally->runs += !rc;
    }
    return rc;
}

int ship_all(struct clickhouse *c, struct store *s,
        const struct stored_tables *t, bool recording, struct ship_tally *tally,
        struct error *e)
{
    const char *to = clickhouse_address(c)->name;
    struct shipment x = { 0 };
    int rc = store_next_shipment(s, to, 0, &x, e);

    while (!rc && x.run) {
        x.running = x.own && recording;
        rc = ship_run(c, s, t, &x, tally, e);
        if (!rc)
            rc = store_next_shipment(s, to, x.run, &x, e);
    }
    return rc;
}
