#include "fleet/layout.h"

#include <stdio.h>
#include <string.h>

#define LOCAL "_local"

int layout_read(struct clickhouse *c, struct buf *out, struct error *e)
{
    struct buf sql = { 0 };

    buf_printf(&sql,
            "SELECT table, name FROM system.columns WHERE database = '%s'",
            clickhouse_address(c)->database);

    int rc = clickhouse_run(c, buf_cstr(&sql), out, e);

    buf_release(&sql);
    return rc;
}

bool layout_has(struct str there, const char *table, const char *column)
{
    struct str line;

    while (str_line(&line, &there))
        if (str_is(str_before(line, '\t'), table) &&
                (!column || str_is(str_after(line, '\t'), column)))
            return true;
    return false;
}

/* --- statements ----------------------------------------------------------- */

/* Times and numbers grow evenly; other whole numbers need few of their bits. */
static const char *codec_of(const struct stored_column *c)
{
    static const char *const even[] = { "number", "start_ns", "time_ns",
        "timestamp", "second" };

    if (c->kind == COLUMN_REAL)
        return "Gorilla, ZSTD(1)";
    if (c->kind != COLUMN_INTEGER)
        return "ZSTD(1)";
    for (size_t i = 0; i < sizeof(even) / sizeof(*even); i++)
        if (strcmp(even[i], c->name) == 0)
            return "DoubleDelta, ZSTD(1)";
    return "T64, ZSTD(1)";
}

static void add_type(struct buf *out, const struct stored_column *c,
        const struct clickhouse_traits *traits)
{
    const char *type = c->kind == COLUMN_INTEGER ? "Int64"
                       : c->kind == COLUMN_REAL  ? "Float64"
                                                 : "String";
    bool low = c->kind == COLUMN_NAME && traits->low_cardinality;

    buf_printf(out, "`%s` %s%s%s%s%s", c->name, low ? "LowCardinality(" : "",
            c->nullable ? "Nullable(" : "", type, c->nullable ? ")" : "",
            low ? ")" : "");
    if (traits->codecs)
        buf_printf(out, " CODEC(%s)", codec_of(c));
}

static void add_columns(struct buf *out, const struct stored_table *t,
        const struct clickhouse_traits *traits, const char *name)
{
    buf_printf(out,
            "CREATE TABLE IF NOT EXISTS `%s` (`run_id` FixedString(36), "
            "`run_day` "
            "Date, `row_version` UInt64",
            name);
    for (size_t i = 0; i < t->count; i++) {
        buf_text(out, ", ");
        add_type(out, &t->columns[i], traits);
    }
    buf_text(out, ") ENGINE = ");
}

void layout_create(struct buf *out, const struct stored_table *t,
        const struct clickhouse_traits *traits, const char *name)
{
    add_columns(out, t, traits, name);
    buf_text(out, "ReplacingMergeTree(`row_version`) PARTITION BY "
                  "toYYYYMM(`run_day`) "
                  "ORDER BY (`run_id`");
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].key)
            buf_printf(out, ", `%s`", t->columns[i].name);
    buf_char(out, ')');
}

void layout_create_spread(struct buf *out, const struct stored_table *t,
        const struct clickhouse_traits *traits, const struct address *a)
{
    struct clickhouse_traits plain = *traits;

    plain.codecs = false; /* it keeps nothing itself */
    add_columns(out, t, &plain, t->name);
    buf_printf(out,
            "Distributed('%s', '%s', '%s" LOCAL "', cityHash64(`run_id`))",
            a->cluster, a->database, t->name);
}

/* --- making them ---------------------------------------------------------- */

void layout_local_name(char out[LAYOUT_NAME_MAX], const char *table,
        const struct address *a)
{
    (void)snprintf(out, LAYOUT_NAME_MAX, "%s%s", table,
            a->cluster ? LOCAL : "");
}

/* Of tables that an older ortmeter made. */
static int add_missing(struct clickhouse *c, const struct stored_table *t,
        const char *name, struct str there, struct error *e)
{
    struct buf sql = { 0 };
    int rc = 0;

    for (size_t i = 0; !rc && i < t->count; i++) {
        if (layout_has(there, name, t->columns[i].name))
            continue;
        buf_clear(&sql);
        buf_printf(&sql, "ALTER TABLE `%s` ADD COLUMN ", name);
        add_type(&sql, &t->columns[i], clickhouse_traits(c));
        rc = clickhouse_run(c, buf_cstr(&sql), NULL, e);
    }
    buf_release(&sql);
    return rc;
}

static int ensure(struct clickhouse *c, const struct stored_table *t,
        bool spread, struct str there, struct error *e)
{
    const struct address *a = clickhouse_address(c);
    struct buf sql = { 0 };
    char name[LAYOUT_NAME_MAX];
    int rc;

    layout_local_name(name, t->name, a);
    if (spread)
        (void)snprintf(name, sizeof(name), "%s", t->name);
    if (layout_has(there, name, NULL))
        return add_missing(c, t, name, there, e);
    if (spread)
        layout_create_spread(&sql, t, clickhouse_traits(c), a);
    else
        layout_create(&sql, t, clickhouse_traits(c), name);
    rc = clickhouse_run(c, buf_cstr(&sql), NULL, e);
    buf_release(&sql);
    return rc;
}

int layout_ensure(struct clickhouse *c, const struct stored_tables *t,
        struct error *e)
{
    const struct address *a = clickhouse_address(c);
    struct buf there = { 0 };
    int rc = layout_read(c, &there, e);

    for (size_t i = 0; !rc && i < t->count; i++) {
        rc = ensure(c, &t->items[i], false, buf_str(&there), e);
        if (!rc && a->cluster)
            rc = ensure(c, &t->items[i], true, buf_str(&there), e);
    }
    buf_release(&there);
    return rc;
}

/* --- what is too old ------------------------------------------------------ */

static int drop_old(struct clickhouse *c, const char *name, uint64_t days,
        struct error *e)
{
    struct buf sql = { 0 }, months = { 0 };
    struct str rest, month;

    buf_printf(&sql,
            "SELECT DISTINCT partition FROM system.parts WHERE active AND "
            "database = '%s' AND table = '%s' AND toUInt32OrZero(partition) < "
            "toYYYYMM(today() - %llu)",
            clickhouse_address(c)->database, name, (unsigned long long)days);

    int rc = clickhouse_run(c, buf_cstr(&sql), &months, e);

    rest = buf_str(&months);
    while (!rc && str_line(&month, &rest)) {
        uint64_t number = 0;

        if (str_u64(&number, month))
            continue;
        buf_clear(&sql);
        buf_printf(&sql, "ALTER TABLE `%s` DROP PARTITION %llu", name,
                (unsigned long long)number);
        rc = clickhouse_run(c, buf_cstr(&sql), NULL, e);
    }
    buf_release(&sql);
    buf_release(&months);
    return rc;
}

int layout_retain(struct clickhouse *c, const struct stored_tables *t,
        uint64_t days, bool *once, struct error *e)
{
    int rc = 0;

    *once = !clickhouse_traits(c)->ttl;
    for (size_t i = 0; !rc && i < t->count; i++) {
        struct buf sql = { 0 };
        char name[LAYOUT_NAME_MAX];

        layout_local_name(name, t->items[i].name, clickhouse_address(c));
        buf_printf(&sql,
                "ALTER TABLE `%s` MODIFY TTL `run_day` + INTERVAL %llu DAY",
                name, (unsigned long long)days);
        rc = *once ? drop_old(c, name, days, e)
                   : clickhouse_run(c, buf_cstr(&sql), NULL, e);
        buf_release(&sql);
    }
    return rc;
}
