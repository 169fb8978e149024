/* test_store_foreign.c -- databases that somebody else made: nothing in them
 * runs, no row of theirs gets past its limits, and every column has some. */
#include "store/foreign.h"

#include "base/compiler.h"
#include "model/limits.h"
#include "store/schema/schema.h"
#include "store/table.h"
#include "stored.h"

#include <errno.h>
#include <string.h>

/* A run with a row in the tables that readers index by. */
static int64_t fill(const struct tree *t)
{
    struct store *s = stored_open(t, STORE_WRITE);
    struct run r = stored_run(s, 1000);

    store_add_process(s, &(struct process){ .id = 1, .pid = 7 });
    store_add_session(s, &(struct session){ .id = 1, .process = 1 });
    (void)store_add_inference(s, &(struct inference){ .session = 1 });
    store_add_operator(s, &(struct operator){ .id = 1,
                                  .session = 1,
                                  .name = "conv",
                                  .node_index = UINT32_MAX });
    store_add_operator_run(s,
            &(struct operator_run){ .inference = 1, .operator_id = 1 });
    store_add_section(s, &(struct section){ .process = 1, .name = "load" });
    store_add_rollup(s, &(struct rollup){ .metric = 1, .count = 1 });
    stored_flush(s);
    r.status = RUN_COMPLETE;
    CHECK_INT(store_end_run(s, &r, NULL), 0);
    store_close(s);
    return r.row;
}

/* --- the schema ----------------------------------------------------------- */

/* What somebody adds or changes, and what is said of it. */
static const struct {
    const char *sql, *says;
} changes[] = {
    { "CREATE VIEW v AS SELECT 1", "view v" },
    { "CREATE TRIGGER g AFTER INSERT ON texts BEGIN SELECT 1; END",
            "trigger g" },
    { "CREATE TABLE more (x)", "table more" },
    { "CREATE INDEX i ON sessions (abs(model_bytes))", "index i" },
    { "ALTER TABLE sessions ADD COLUMN x AS (zeroblob(9)) VIRTUAL",
            "table sessions" },
    { "DROP TABLE alerts", "" },
    { "DROP TABLE sessions; CREATE VIEW sessions AS WITH RECURSIVE c (id) AS"
      " (SELECT 1 UNION ALL SELECT id + 1 FROM c) SELECT 1 AS run, id FROM c",
            "" },
};

static void changed_schema(size_t i)
{
    struct tree t = tree_open();
    struct store *s = NULL;
    struct error e = { 0 };

    (void)fill(&t);
    stored_change(&t, changes[i].sql);
    CHECK_INT(store_open(&s, stored_path(&t), STORE_READ, &e), -EBADMSG);
    CHECK(strstr(e.text, "is not as ortmeter made it"));
    CHECK(strstr(e.text, changes[i].says));
    store_close(s);
    s = NULL;
    CHECK_INT(store_open(&s, stored_path(&t), STORE_WRITE, NULL), -EBADMSG);
    store_close(s);
    tree_close(&t);
}

/* ANALYZE is everybody's right; a view in the temporary schema is none of the
 * file's. */
static void harmless(void)
{
    struct tree t = tree_open();

    (void)fill(&t);
    stored_change(&t, "ANALYZE");
    store_close(stored_open(&t, STORE_READ));
    tree_close(&t);
}

static void digest(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    char is[FOREIGN_DIGEST + 1];

    foreign_digest(is, s);
    CHECK(strcmp(is, schema_digest) == 0);
    if (strcmp(is, schema_digest) != 0)
        (void)fprintf(stderr, "schema_digest in schema.c should be %s\n", is);
    store_close(s);
    tree_close(&t);
}

static int64_t setting(const struct store *s, const char *sql)
{
    sqlite3_stmt *st = NULL;
    int64_t is = -1;

    CHECK_INT(sqlite3_prepare_v2(s->db, sql, -1, &st, NULL), SQLITE_OK);
    if (sqlite3_step(st) == SQLITE_ROW)
        is = sqlite3_column_int64(st, 0);
    (void)sqlite3_finalize(st);
    return is;
}

/* Where the comparison should ever miss something, it still does not run. */
static void confined(void)
{
    static const struct {
        int what, is;
    } settings[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },
        { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
        { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
    };
    struct tree t = tree_open();

    (void)fill(&t);
    for (enum store_mode mode = STORE_READ; mode <= STORE_WRITE; mode++) {
        struct store *s = stored_open(&t, mode);

        for (size_t i = 0; i < LEN(settings); i++) {
            int is = -1;

            CHECK_INT(sqlite3_db_config(s->db, settings[i].what, -1, &is),
                    SQLITE_OK);
            CHECK_INT(is, settings[i].is);
        }
        CHECK_INT(setting(s, "PRAGMA cell_size_check"), 1);
        CHECK(sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, -1) <= 256 << 20);
        CHECK(sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, -1) <= 1);
        store_close(s);
    }
    tree_close(&t);
}

/* --- queries -------------------------------------------------------------- */

static void endless(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct error e = { 0 };

    CHECK_INT(sqlite3_exec(s->db,
                      "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL"
                      " SELECT x + 1 FROM c) SELECT count(*) FROM c",
                      NULL, NULL, NULL),
            SQLITE_INTERRUPT);
    CHECK_INT(store_failed(s, "count", &e), -EIO);
    CHECK(strstr(e.text, "keeps us busy"));
    /* The next one has its own steps. */
    CHECK_INT(sqlite3_exec(s->db, "SELECT 1", NULL, NULL, NULL), SQLITE_OK);
    store_close(s);
    tree_close(&t);
}

/* --- rows ----------------------------------------------------------------- */

static const struct {
    const char *set, *says;
} rows[] = {
    { "inferences SET start_ns = -1", "start_ns is -1" },
    { "inferences SET start_ns = 9223372036854775807", "start_ns is" },
    { "inferences SET session = 2147483647", "session is 2147483647" },
    { "inferences SET duration_ns = 'long'", "duration_ns is a text" },
    { "inferences SET thread = x'00'", "thread is neither" },
    { "operators SET id = 0", "id is 0" },
    { "operators SET id = 2000000000", "id is 2000000000" },
    { "operator_runs SET operator = 4294967295", "operator is" },
    { "sessions SET id = -5", "id is -5" },
    { "rollups SET second = 16777215", "second is" },
    { "pipeline_sections SET process = 70000", "process is 70000" },
    { "profiling_runs SET status = 9", "status is 9" },
    { "profiling_runs SET total_energy_mj = 9e999", "total_energy_mj is" },
};

static void pass(void *context, const void *x)
{
    (void)context;
    (void)x;
}

#define EACH(kind, type)           \
    if (!rc)                       \
    rc = store_each_##kind(s, run, \
            (void (*)(void *, const struct type *))pass, NULL, e)

static int read_all(struct store *s, int64_t run, struct error *e)
{
    int rc = store_read_run(s, run, (void (*)(void *, const struct run *))pass,
            NULL, e);

    EACH(process, process);
    EACH(session, session);
    EACH(inference, inference);
    EACH(operator, operator);
    EACH(operator_run, operator_run);
    EACH(section, section);
    EACH(rollup, rollup);
    return rc;
}

/* Those who read a run as it comes, and those who list runs. */
static int read_new(struct store *s, int64_t run, struct error *e)
{
    uint64_t after[2] = { 0 };
    int rc = store_each_inference_since(s, run, &after[0], 9,
            (void (*)(void *, const struct inference *))pass, NULL, e);

    if (!rc)
        rc = store_each_section_since(s, run, &after[1], 9,
                (void (*)(void *, const struct section *))pass, NULL, e);
    if (!rc)
        rc = store_each_newest_inference(s, run,
                (void (*)(void *, const struct inference *))pass, NULL, e);
    if (!rc)
        rc = store_list_runs(s, &(struct run_filter){ .limit = 9 },
                (void (*)(void *, const struct run_line *))pass, NULL, e);
    return rc;
}

/* Which of the rows above they read. */
static bool is_new(const char *set)
{
    return strncmp(set, "inferences", 10) == 0 ||
           strncmp(set, "pipeline_sections", 17) == 0 ||
           strncmp(set, "profiling_runs", 14) == 0;
}

static void changed_row(size_t i)
{
    struct tree t = tree_open();
    int64_t run = fill(&t);
    struct error e = { 0 };
    char sql[200];

    (void)snprintf(sql, sizeof(sql), "UPDATE %s", rows[i].set);
    stored_change(&t, sql);

    struct store *s = stored_open(&t, STORE_READ);

    CHECK_INT(read_all(s, run, &e), -EBADMSG);
    CHECK(strstr(e.text, rows[i].says));
    if (!strstr(e.text, rows[i].says))
        (void)fprintf(stderr, "%s: %s\n", rows[i].set, e.text);
    CHECK_INT(store_check_run(s, run, NULL), -EBADMSG);
    if (is_new(rows[i].set))
        CHECK_INT(read_new(s, run, NULL), -EBADMSG);
    store_close(s);
    tree_close(&t);
}

static void good_rows(void)
{
    struct tree t = tree_open();
    int64_t run = fill(&t);
    struct store *s = stored_open(&t, STORE_READ);
    struct error e = { 0 };

    CHECK_INT(read_all(s, run, &e), 0);
    CHECK_INT(read_new(s, run, &e), 0);
    CHECK_INT(store_check_run(s, run, &e), 0);
    CHECK_INT(store_read_run(s, run + 1,
                      (void (*)(void *, const struct run *))pass, NULL, &e),
            -ENOENT);
    store_close(s);
    tree_close(&t);
}

/* A new column needs a line in model/limits.c. */
static void every_column(void)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct stored_tables all;

    CHECK_INT(store_tables(&all, s, NULL), 0);
    for (size_t i = 0; i < all.count; i++)
        for (size_t j = 0; j < all.items[i].count; j++) {
            const struct stored_column *c = &all.items[i].columns[j];

            CHECK(c->kind == COLUMN_NAME ||
                    limit_find(all.items[i].name, c->name));
            if (!limit_find(all.items[i].name, c->name))
                (void)fprintf(stderr, "%s.%s\n", all.items[i].name, c->name);
        }
    tables_release(&all);
    store_close(s);
    tree_close(&t);
}

int main(void)
{
    for (size_t i = 0; i < LEN(changes); i++)
        changed_schema(i);
    harmless();
    digest();
    confined();
    endless();
    for (size_t i = 0; i < LEN(rows); i++)
        changed_row(i);
    good_rows();
    every_column();
    return test_result();
}
