/* test_store_edges.c -- every column of every table, one after the other, gets
 * values that no run has: each is refused, but for the few columns named here.
 * What is right stands in this file, so a limit of model/limits.c that is
 * loosened or lost shows. */
#include "base/buf.h"
#include "base/compiler.h"
#include "full_run.h"
#include "store/sqlite.h"
#include "store/table.h"

#include <errno.h>
#include <string.h>

#define NUMBERS (1U << COLUMN_INTEGER)
#define REALS   (1U << COLUMN_REAL)
#define TEXTS   (1U << COLUMN_TEXT)

/* A column is named as "table.column", "column", or by its last part: "_ns". */
static const char any_number[] = "tokens.token_id";
static const char any_real[] = "squares mean_abs std_dev max_abs";
static const char sensed[] = "readings.value rollups.min rollups.mean "
                             "rollups.max run_figures.value alerts.value";
static const char times[] = "_ns timestamp tokens.token_id";
/* Counted from 1, without great gaps: these number the rows of arrays. */
static const char ids[] =
        "process library session operators_of operator from_operator "
        "to_operator operators.parent layer_metric_id component_metric_id "
        "processes.id libraries.id sessions.id operators.id layer_metrics.id "
        "component_metrics.id deep_operation_metrics.id";

static const struct {
    const char *value;
    unsigned kinds;     /* of the columns that get it */
    const char *only;   /* of them; NULL: all */
    const char *except; /* which may hold it */
} edges[] = {
    { "-1", NUMBERS, NULL, "tokens.token_id exit_code" },
    { "-9223372036854775807", NUMBERS, NULL, any_number },
    { "9223372036854775807", NUMBERS, NULL, any_number },
    { "9007199254740993", NUMBERS, NULL, times },
    { "36028797018963969", NUMBERS, NULL,
            "tokens.token_id profiling_runs.timestamp start_mono_ns" },
    { "100000", NUMBERS, ids, "" },
    { "2147483648", NUMBERS,
            "subject subjects.id parent node_index since_version position "
            "exit_code rollups.second width_s",
            "" },
    { "4294967296", NUMBERS,
            "pid meter_pid thread slots batch sequence past batch_size padding "
            "queue_depth token_index",
            "" },
    { "65536", NUMBERS, "flags output layer_index signal depth", "" },
    { "256", NUMBERS,
            "phase status method energy_method events.kind summed signal "
            "is_output traced is_constant element_type depth",
            "" },
    { "2", NUMBERS, "events.kind summed is_output traced is_constant", "" },
    { "0", NUMBERS,
            "events.number inferences.number processes.id sessions.id "
            "libraries.id operators.id width_s",
            "" },
    { "'x'", NUMBERS | REALS, NULL, "" },
    { "x'00'", NUMBERS | REALS | TEXTS, NULL, "" },
    { "0.5", NUMBERS, NULL, "" },
    { "1e19", REALS, NULL, any_real },
    { "-1e300", REALS, NULL, any_real },
    { "replace(hex(zeroblob(8388609)), '0', 'x')", TEXTS, NULL, "" },
    { "replace(hex(zeroblob(129)), '0', 'x')", TEXTS,
            "profiling_runs.version subjects.kind", "" },
};

/* Infinity is a value of its own: sensors give it. */
static const char *const infinite[] = { "9e999", "-9e999" };

static bool ends_with(const char *name, struct str end)
{
    size_t len = strlen(name);

    return *end.p == '_' && len > end.len &&
           strncmp(name + len - end.len, end.p, end.len) == 0;
}

static bool is_among(const char *names, const struct stored_table *t,
        const struct stored_column *c)
{
    struct str rest = str_of(names);
    char whole[160];

    (void)snprintf(whole, sizeof(whole), "%s.%s", t->name, c->name);
    for (; rest.len; rest = str_after(rest, ' ')) {
        struct str one = str_before(rest, ' ');

        if (str_is(one, whole) || str_is(one, c->name) ||
                ends_with(c->name, one))
            return true;
    }
    return false;
}

struct edges {
    struct store *store;
    int64_t run;
    unsigned tried;
};

static void pass(void *context, const struct stored_cell *cells)
{
    (void)context;
    (void)cells;
}

/* Changes the column of one row, within a transaction. */
static void change(const struct edges *x, const struct stored_table *t,
        const struct stored_column *c, const char *value)
{
    struct buf sql = { 0 }, keys = { 0 };

    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].key)
            buf_printf(&keys, "%s\"%s\"", keys.len ? "," : "",
                    t->columns[i].name);
    if (t->is_runs)
        buf_text(&keys, "id");
    buf_printf(&sql,
            "BEGIN; UPDATE \"%s\" SET \"%s\" = %s WHERE %s = %lld"
            " AND (%s) IN (SELECT %s FROM \"%s\" WHERE %s = %lld LIMIT 1)",
            t->name, c->name, value, t->is_runs ? "id" : "run",
            (long long)x->run, buf_cstr(&keys), buf_cstr(&keys), t->name,
            t->is_runs ? "id" : "run", (long long)x->run);
    CHECK_INT(sqlite3_exec(x->store->db, buf_cstr(&sql), NULL, NULL, NULL),
            SQLITE_OK);
    CHECK_INT(sqlite3_changes(x->store->db), 1);
    buf_release(&sql);
    buf_release(&keys);
}

static void try_value(struct edges *x, const struct stored_table *t,
        const struct stored_column *c, const char *value, bool allowed)
{
    struct error e = { 0 };

    change(x, t, c, value);

    int rc = store_each_row(x->store, t, x->run, INT64_MIN, UINT64_MAX, pass,
            NULL, &e);

    x->tried++;
    CHECK_INT(rc, allowed ? 0 : -EBADMSG);
    CHECK(!rc || strstr(e.text, c->name));
    if (rc != (allowed ? 0 : -EBADMSG))
        (void)fprintf(stderr, "%s.%s = %s: %s\n", t->name, c->name, value,
                rc ? e.text : "taken");
    CHECK_INT(sqlite3_exec(x->store->db, "ROLLBACK", NULL, NULL, NULL),
            SQLITE_OK);
}

static void column_edges(struct edges *x, const struct stored_table *t,
        const struct stored_column *c)
{
    for (size_t i = 0; i < LEN(edges); i++)
        if ((edges[i].kinds >> c->kind & 1) &&
                (!edges[i].only || is_among(edges[i].only, t, c)))
            try_value(x, t, c, edges[i].value, is_among(edges[i].except, t, c));
    for (size_t i = 0; c->kind == COLUMN_REAL && i < LEN(infinite); i++)
        try_value(x, t, c, infinite[i],
                is_among(any_real, t, c) || is_among(sensed, t, c));
}

/* A check of the whole run looks at every table, and at rows before the first,
 * too. */
static void whole_run(struct edges *x, const struct stored_table *t)
{
    const struct stored_column *c = &t->columns[t->numbered ? 0 : t->count - 1];

    change(x, t, c, t->numbered ? "-1" : "x'00'");
    if (c->kind != COLUMN_NAME)
        CHECK_INT(store_check_run(x->store, x->run, NULL), -EBADMSG);
    CHECK_INT(sqlite3_exec(x->store->db, "ROLLBACK", NULL, NULL, NULL),
            SQLITE_OK);
}

static void every_edge(const struct tree *t)
{
    struct edges x = { .store = stored_open(t, STORE_WRITE) };
    struct stored_tables all;

    x.run = full_run(x.store, 1700000000000000000);
    CHECK_INT(sqlite3_exec(x.store->db,
                      "INSERT INTO alerts VALUES (1, 1, 5, 6, 'r', 0, 1, 2, 3)",
                      NULL, NULL, NULL),
            SQLITE_OK);
    CHECK_INT(store_check_run(x.store, x.run, NULL), 0);
    CHECK_INT(store_tables(&all, x.store, NULL), 0);
    for (size_t i = 0; i < all.count; i++) {
        for (size_t j = 0; j < all.items[i].count; j++)
            column_edges(&x, &all.items[i], &all.items[i].columns[j]);
        whole_run(&x, &all.items[i]);
    }
    (void)printf("%u values\n", x.tried);
    tables_release(&all);
    store_close(x.store);
}

/* --- what must be there --------------------------------------------------- */

static const char *const needed[] = { "profiling_runs SET command",
    "profiling_runs SET version", "subjects SET kind", "absences SET reason",
    "alerts SET rule" };

/* Whatever the schema says of NULL. */
static void set_freely(const struct tree *t, const char *what,
        const char *value)
{
    sqlite3 *db = NULL;
    char sql[100];

    (void)snprintf(sql, sizeof(sql), "UPDATE %s = %s", what, value);
    CHECK_INT(sqlite3_open(stored_path(t), &db), SQLITE_OK);
    stored_loosen(db);
    CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    stored_tighten(db);
    (void)sqlite3_close(db);
}

static void missing(const struct tree *t, const char *what)
{
    struct error e = { 0 };
    struct store *s;

    set_freely(t, what, "NULL");
    s = stored_open(t, STORE_READ);
    CHECK_INT(store_check_run(s, 1, &e), -EBADMSG);
    CHECK(strstr(e.text, strrchr(what, ' ') + 1));
    CHECK(strstr(e.text, "is not there"));
    store_close(s);
    set_freely(t, what, "'x'");
    s = stored_open(t, STORE_READ);
    CHECK_INT(store_check_run(s, 1, NULL), 0);
    store_close(s);
}

int main(void)
{
    struct tree t = tree_open();

    every_edge(&t);
    for (size_t i = 0; i < LEN(needed); i++)
        missing(&t, needed[i]);
    tree_close(&t);
    return test_result();
}
