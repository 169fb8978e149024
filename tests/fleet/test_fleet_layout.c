#include "fleet/layout.h"

#include "base/compiler.h"
#include "fake_clickhouse.h"

#include <errno.h>
#include <stdio.h>

static char names[][12] = { "t", "number", "start_ns", "flags", "energy_mj",
    "name", "note" };

static struct stored_column columns[] = {
    { .name = names[1], .kind = COLUMN_INTEGER, .key = true },
    { .name = names[2], .kind = COLUMN_INTEGER },
    { .name = names[3], .kind = COLUMN_INTEGER, .nullable = true },
    { .name = names[4], .kind = COLUMN_REAL, .nullable = true },
    { .name = names[5], .kind = COLUMN_NAME, .nullable = true },
    { .name = names[6], .kind = COLUMN_TEXT },
};

static struct stored_table table = {
    .name = names[0],
    .columns = columns,
    .count = LEN(columns),
};

#define HEAD "`run_id` FixedString(36), `run_day` Date, `row_version` UInt64, "
#define TAIL                                                   \
    "ENGINE = ReplacingMergeTree(`row_version`) PARTITION BY " \
    "toYYYYMM(`run_day`) ORDER BY (`run_id`, `number`)"

static void check(const struct buf *got, const char *want)
{
    CHECK(strcmp(buf_cstr(got), want) == 0);
    if (strcmp(buf_cstr(got), want) != 0)
        (void)fprintf(stderr, "%s\nnot\n%s\n", buf_cstr(got), want);
}

static void statements(void)
{
    const struct clickhouse_traits old = { .version = "18.16.1" };
    const struct clickhouse_traits new = {
        .version = "26.7.2",
        .low_cardinality = true,
        .codecs = true,
    };
    char host[] = "h", database[] = "d", cluster[] = "two";
    struct address a = {
        .host = host,
        .database = database,
        .cluster = cluster,
    };
    struct buf sql = { 0 };

    layout_create(&sql, &table, &old, "t");
    check(&sql, "CREATE TABLE IF NOT EXISTS `t` (" HEAD
                "`number` Int64, `start_ns` Int64, `flags` Nullable(Int64), "
                "`energy_mj` Nullable(Float64), `name` Nullable(String), "
                "`note` String) " TAIL);
    buf_clear(&sql);
    layout_create(&sql, &table, &new, "t_local");
    check(&sql, "CREATE TABLE IF NOT EXISTS `t_local` (" HEAD
                "`number` Int64 CODEC(DoubleDelta, ZSTD(1)), "
                "`start_ns` Int64 CODEC(DoubleDelta, ZSTD(1)), "
                "`flags` Nullable(Int64) CODEC(T64, ZSTD(1)), "
                "`energy_mj` Nullable(Float64) CODEC(Gorilla, ZSTD(1)), "
                "`name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)), "
                "`note` String CODEC(ZSTD(1))) " TAIL);
    buf_clear(&sql);
    layout_create_spread(&sql, &table, &new, &a);
    check(&sql,
            "CREATE TABLE IF NOT EXISTS `t` (" HEAD
            "`number` Int64, `start_ns` Int64, `flags` Nullable(Int64), "
            "`energy_mj` Nullable(Float64), "
            "`name` LowCardinality(Nullable(String)), `note` String) ENGINE = "
            "Distributed('two', 'd', 't_local', cityHash64(`run_id`))");
    buf_release(&sql);
}

static void looking(void)
{
    const struct str there = str_of("t\tnumber\nt\tnote\nother\tflags\n");

    CHECK(layout_has(there, "t", NULL) && layout_has(there, "t", "note"));
    CHECK(!layout_has(there, "t", "flags"));
    CHECK(!layout_has(there, "ot", NULL));
    CHECK(layout_has(there, "other", "flags"));
}

/* A table of an older ortmeter's gets what it lacks; rows go by themselves. */
static void changes(void)
{
    struct fake f;
    struct clickhouse *c = NULL;
    struct address a;
    struct stored_tables all = { &table, 1 };
    char text[64];
    bool once = true;

    fake_start(&f, (struct fake_answer[]){ FAKE(200, "26.7.2\n"),
                           FAKE(200, "t\tnumber\nt\tstart_ns\nt\tflags\n"
                                     "t\tname\nt\tnote\n"),
                           FAKE(200, ""), FAKE(200, ""), { 0 } });
    (void)snprintf(text, sizeof(text), "clickhouse://127.0.0.1:%u/d", f.port);
    CHECK_INT(address_parse(&a, str_of(text), NULL, NULL), 0);
    CHECK_INT(clickhouse_open(&c, &a, NULL), 0);
    CHECK_INT(layout_ensure(c, &all, NULL), 0);
    CHECK_INT(layout_retain(c, &all, 90, &once, NULL), 0);
    CHECK(!once);
    CHECK(strstr(f.asked.p,
                  "ALTER TABLE `t` ADD COLUMN `energy_mj` "
                  "Nullable(Float64) CODEC(Gorilla, ZSTD(1))") != NULL);
    CHECK(strstr(f.asked.p, "ALTER TABLE `t` MODIFY TTL `run_day` + INTERVAL "
                            "90 DAY") != NULL);
    CHECK(!strstr(f.asked.p, "CREATE TABLE"));
    clickhouse_close(c);
    address_release(&a);
    fake_stop(&f);
}

int main(void)
{
    (void)setenv("no_proxy", "127.0.0.1", 1);
    statements();
    looking();
    changes();
    return test_result();
}
