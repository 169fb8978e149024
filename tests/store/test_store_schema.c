/* test_store_schema.c -- files of earlier versions become files of today's,
 * and nothing of them is lost. */
#include "store/schema/schema.h"

#include "stored_same.h"

/* What the first ortmeter wrote, in its own tables. */
static const char old_rows[] =
        "INSERT INTO texts VALUES (1, 'Conv'), (2, 'bad shape'), (3, 'Hi'),"
        " (4, 'left over');"
        "INSERT INTO profiling_runs (id, run_id, timestamp, status,"
        " start_mono_ns, duration_ns, meter_pid, version, command, host, tags,"
        " prompt) VALUES"
        " (1, 'aaaaaaaa-0000-4000-8000-000000000001', 100, 1, 5, 2000000, 1,"
        "  '0.1.0', 'prog', '{\"cpu\":\"toy\"}', 'x, y,,x', 'Tell me a tale'),"
        " (2, 'aaaaaaaa-0000-4000-8000-000000000002', 200, 1, 5, NULL, 1,"
        "  '0.1.0', 'prog', '{\"cpu\":\"toy\"}', NULL, NULL),"
        " (3, 'aaaaaaaa-0000-4000-8000-000000000003', 300, 1, 5, 7, 1,"
        "  '0.1.0', 'prog', NULL, 'y', NULL);"
        "INSERT INTO sessions (run, id, process, model, start_ns)"
        " VALUES (1, 1, 1, '/m/a.onnx', 0), (1, 2, 1, '/m/a.onnx', 0),"
        " (2, 1, 1, NULL, 0), (3, 1, 1, '/m/b.onnx', 0);"
        "INSERT INTO inferences VALUES"
        " (1,1,1,1,1,10,20,0,1,1,1,1,1,1,1,1,1,2),"
        " (1,2,1,1,1,30,20,0,0,1,1,1,1,1,1,1,1,NULL);"
        "INSERT INTO operators VALUES"
        " (1,1,1,NULL,1,NULL,NULL,NULL,0,NULL,NULL,NULL);"
        "INSERT INTO pipeline_sections VALUES (1,1,1,1,1,1,1000000,3000000);"
        "INSERT INTO tokens VALUES (1,1,1,1,0,17,3,9);"
        "PRAGMA user_version = 1";

static void make_version_1(const struct tree *t)
{
    for (const char *const *sql = schema_1; *sql; sql++)
        stored_change(t, *sql);
    stored_change(t, old_rows);
}

static size_t seen;

static void take_run(void *context, const struct run *r)
{
    (void)context;
    seen++;
    CHECK(same_text(r->host, r->row == 3 ? NULL : "{\"cpu\":\"toy\"}"));
    CHECK(same_text(r->command, "prog"));
}

static void take_section(void *to, const struct section *x)
{
    *(struct section *)to = *x;
}

static void from_version_1(void)
{
    static const struct {
        const char *sql;
        int64_t want;
    } cases[] = {
        { "SELECT count(*) FROM profiling_runs", 3 },
        { "SELECT count(*) FROM hosts", 1 },
        { "SELECT inferences * 10 + failed FROM profiling_runs WHERE id = 1",
                21 },
        { "SELECT total_duration_ms = 2.0 FROM profiling_runs WHERE id = 1",
                1 },
        { "SELECT total_duration_ms IS NULL FROM profiling_runs WHERE id = 2",
                1 },
        { "SELECT group_concat(kind || name || run) ="
          " 'model/m/a.onnx1,model/m/b.onnx3,tagx1,tagy1,tagy3' FROM"
          " (SELECT * FROM run_labels JOIN labels ON labels.id = label"
          " ORDER BY kind, name, run)",
                1 },
        { "SELECT rowid FROM prompts WHERE prompts MATCH '\"tal\"'", 1 },
        { "SELECT group_concat(text) = '1,2,3' FROM"
          " (SELECT text FROM text_uses WHERE run = 1 ORDER BY text)",
                1 },
        { "SELECT start_time_ms = 1.0 AND end_time_ms = 4.0 AND"
          " duration_ms = 3.0 AND avg_power_mw IS NULL FROM pipeline_sections",
                1 },
        { "SELECT count(*) FROM pragma_foreign_key_check", 0 },
    };
    struct tree t = tree_open();

    make_version_1(&t);
    store_close(stored_open(&t, STORE_WRITE));
    CHECK_INT(stored_number(&t, "PRAGMA user_version"),
            (int64_t)schema_version);
    for (size_t i = 0; i < LEN(cases); i++) {
        CHECK_INT(stored_number(&t, cases[i].sql), cases[i].want);
        if (stored_number(&t, cases[i].sql) != cases[i].want)
            (void)fprintf(stderr, "%s\n", cases[i].sql);
    }

    struct store *s = stored_open(&t, STORE_READ);

    for (int64_t i = 1; i <= 3; i++)
        CHECK_INT(store_read_run(s, i, take_run, NULL, NULL), 0);
    CHECK_INT(seen, 3);
    store_close(s);
    CHECK_INT(stored_is_whole(&t), 1);
    tree_close(&t);
}

static void make_version(const struct tree *t, size_t version)
{
    sqlite3 *db = NULL;

    CHECK_INT(sqlite3_open(stored_path(t), &db), SQLITE_OK);
    for (size_t i = 0; i < version; i++)
        CHECK_INT(schema_take_step(db, i), SQLITE_OK);
    (void)sqlite3_close(db);
}

/* Every version on the way ends with the same tables as a new file. */
static void same_tables(void)
{
    struct tree fresh = tree_open();

    store_close(stored_open(&fresh, STORE_WRITE));

    int64_t tables =
            stored_number(&fresh, "SELECT count(*) FROM sqlite_master");

    CHECK(tables > 40);
    for (size_t from = 1; from < schema_version; from++) {
        struct tree t = tree_open();
        char bump[48];

        make_version(&t, from);
        (void)snprintf(bump, sizeof(bump), "PRAGMA user_version = %zu", from);
        stored_change(&t, bump);
        store_close(stored_open(&t, STORE_WRITE));
        CHECK_INT(stored_number(&t, "SELECT count(*) FROM sqlite_master"),
                tables);
        tree_close(&t);
    }
    tree_close(&fresh);
}

/* The version before this one: a run in it, as it was then, and a new one
 * beside it. */
static void from_version_before(void)
{
    struct tree t = tree_open();
    char bump[48];

    make_version(&t, schema_version - 1);
    (void)snprintf(bump, sizeof(bump), "PRAGMA user_version = %zu",
            schema_version - 1);
    stored_change(&t, bump);
    CHECK_INT(stored_number(&t, "SELECT count(*) FROM"
                                " pragma_table_info('deep_operation_metrics')"
                                " WHERE name = 'graph'"),
            0);
    stored_change(&t,
            "INSERT INTO hosts VALUES (1, '{\"cpu\":\"toy\"}');"
            "INSERT INTO profiling_runs (id, run_id, timestamp, status,"
            " start_mono_ns, duration_ns, meter_pid, version, command, host_id)"
            " VALUES (3, 'aaaaaaaa-0000-4000-8000-000000000003', 300, 1, 5, 7,"
            " 1, '0.8.0', 'prog', NULL);"
            "INSERT INTO sessions (run, id, process, model, start_ns)"
            " VALUES (3, 1, 1, '/m/b.onnx', 0);"
            "INSERT INTO pipeline_sections (run, number, process, thread,"
            " phase, start_ns, duration_ns) VALUES (3, 1, 1, 1, 2, 5, 7)");

    struct store *s = stored_open(&t, STORE_WRITE);
    struct section last = { 0 };

    seen = 0;
    CHECK_INT(store_read_run(s, 3, take_run, NULL, NULL), 0);
    CHECK_INT(seen, 1);
    CHECK_INT(store_each_section(s, 3, take_section, &last, NULL), 0);
    CHECK_INT(last.duration_ns, 7);
    CHECK(!last.parent && !last.derived);

    struct run r = stored_run(s, 400);

    store_add_section(s, &(struct section){ .duration_ns = 9,
                                 .parent = 3,
                                 .derived = true });
    stored_flush(s);
    CHECK_INT(store_each_section(s, r.row, take_section, &last, NULL), 0);
    CHECK(last.parent == 3 && last.derived && last.duration_ns == 9);
    store_close(s);
    CHECK_INT(stored_number(&t, "PRAGMA user_version"),
            (int64_t)schema_version);
    CHECK_INT(stored_is_whole(&t), 1);
    tree_close(&t);
}

/* Who only reads an old file brings it up to date, too. */
static void read_old(void)
{
    struct tree t = tree_open();

    make_version_1(&t);

    struct store *s = stored_open(&t, STORE_READ);

    seen = 0;
    CHECK_INT(store_read_run(s, 3, take_run, NULL, NULL), 0);
    CHECK_INT(seen, 1);
    store_close(s);
    tree_close(&t);
}

int main(void)
{
    from_version_1();
    same_tables();
    from_version_before();
    read_old();
    return test_result();
}
