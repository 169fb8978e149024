/* store.c -- how fast the store is written, and how fast a run is found among
 * many.
 *
 *     store FOLDER ROWS RUNS
 *
 * Into FOLDER goes a database into which ROWS inferences, operator runs and
 * readings are written by turns, with a key and without, beside one that has
 * the same inferences written by SQLite alone; then one with RUNS runs, made by
 * SQL, in which runs are listed and summed up.  Every question opens the
 * database anew, as a command does.  A FOLDER/runs.db that is there already is
 * used, and left there. */
#include "store/store.h"
#include "analyse/summary.h"
#include "base/json.h"
#include "bench/quantile.h"
#include "model/metric.h"
#include "os/clock.h"
#include "os/process/child.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 9, BATCH = 1000, INFERENCES = 10 };

static void stop(const char *why)
{
    (void)fprintf(stderr, "store: %s\n", why);
    exit(1);
}

static void must(bool well, const char *why)
{
    if (!well)
        stop(why);
}

/* --- writing -------------------------------------------------------------- */

static const struct store_key key = { STORE_KEY_FILE,
    "0123456789abcdef0123456789abcdef", 32 };

static void remove_database(const char *path)
{
    char log[4096];

    (void)unlink(path);
    (void)snprintf(log, sizeof(log), "%s-wal", path);
    (void)unlink(log);
}

static struct store *open_store(const char *path, enum store_mode mode,
        const struct store_key *with)
{
    struct store *s = NULL;
    struct error e;

    if (store_open_locked(&s, path, mode, with, &e))
        stop(e.text);
    return s;
}

enum kind { INFERENCE, OPERATOR_RUN, READING, KINDS };

static void add(struct store *s, enum kind kind, uint64_t i)
{
    switch (kind) {
    case INFERENCE:
        (void)store_add_inference(s, &(struct inference){ .session = 1,
                                             .process = 1,
                                             .thread = 77,
                                             .start_ns = 100000 * i,
                                             .duration_ns = 90000 + i % 1000,
                                             .flags = FLAG_SHAPE,
                                             .batch = 1 });
        break;
    case OPERATOR_RUN:
        store_add_operator_run(s, &(struct operator_run){ .inference = i / 100,
                                          .operator_id = (uint32_t)(i % 100),
                                          .thread = 77,
                                          .start_ns = 1000 * i,
                                          .raw_ns = 900 + i % 100 });
        break;
    case READING:
        store_add_reading(s, &(struct reading){ .time_ns = 100000 * i,
                                     .value = (double)(i % 1000) / 7,
                                     .subject = (uint32_t)(i % 20),
                                     .metric = (uint16_t)(i % METRIC_IDS) });
        break;
    case KINDS: break;
    }
}

/* Rows a second from the first to the last commit, by the clock and by the CPU
 * time that they took. */
struct rate {
    double clock, cpu;
};

struct rate_start {
    uint64_t mono_ns, cpu_ns;
};

static struct rate_start rate_begin(void)
{
    return (struct rate_start){ mono_ns(), own_cpu_ns() };
}

static struct rate rate_end(struct rate_start since, uint64_t rows)
{
    return (struct rate){
        .clock = (double)rows * 1e9 / (double)(mono_ns() - since.mono_ns),
        .cpu = (double)rows * 1e9 / (double)(own_cpu_ns() - since.cpu_ns),
    };
}

static struct rate write_rows(const char *path, enum kind kind, uint64_t rows,
        const struct store_key *with)
{
    remove_database(path);

    struct store *s = open_store(path, STORE_WRITE, with);
    struct run r = {
        .command = "bench",
        .version = "0",
        .meter_pid = own_pid(),
    };

    must(!store_begin_run(s, &r, NULL), "no run can be begun");

    struct rate_start start = rate_begin();

    for (uint64_t i = 0; i < rows; i++) {
        add(s, kind, i);
        if (i % BATCH == BATCH - 1)
            must(!store_flush(s, NULL), "the rows cannot be written");
    }
    must(!store_flush(s, NULL), "the rows cannot be written");

    struct rate rate = rate_end(start, rows);

    store_close(s);
    return rate;
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *why = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &why))
        stop(why);
}

/* The same inferences by SQLite and nothing else. */
static struct rate write_bare(const char *path, uint64_t rows)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;

    remove_database(path);
    must(!sqlite3_open(path, &db), "no database can be made");
    run_sql(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                "CREATE TABLE t (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o,"
                " p, q, r, PRIMARY KEY (a, b)) WITHOUT ROWID");
    must(!sqlite3_prepare_v2(db,
                 "INSERT INTO t VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,"
                 "?12,?13,?14,?15,?16,?17,?18)",
                 -1, &st, NULL),
            "no row can be written");

    struct rate_start start = rate_begin();

    run_sql(db, "BEGIN");
    for (uint64_t i = 0; i < rows; i++) {
        const sqlite3_int64 values[] = { 1, (sqlite3_int64)i, 1, 1, 77,
            (sqlite3_int64)(100000 * i), (sqlite3_int64)(90000 + i % 1000), 0,
            4, 1 };

        for (int n = 0; n < 10; n++)
            (void)sqlite3_bind_int64(st, n + 1, values[n]);
        must(sqlite3_step(st) == SQLITE_DONE && !sqlite3_reset(st),
                "no row can be written");
        if (i % BATCH == BATCH - 1)
            run_sql(db, "COMMIT; BEGIN");
    }
    run_sql(db, "COMMIT");

    struct rate rate = rate_end(start, rows);

    (void)sqlite3_finalize(st);
    (void)sqlite3_close(db);
    return rate;
}

static double middle(double *values)
{
    return quantile(values, ROUNDS, 0.5);
}

static void tell_rate(struct json *j, const char *name, const struct rate *r)
{
    double clock[ROUNDS], cpu[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        clock[i] = r[i].clock;
        cpu[i] = r[i].cpu;
    }
    json_object(j, name);
    json_fixed(j, "per_s", middle(clock), 0);
    json_fixed(j, "per_cpu_s", middle(cpu), 0);
    json_end(j);
}

static void measure_writing(struct json *j, const char *path, uint64_t rows)
{
    static const char *const names[KINDS] = { "inferences", "operator_runs",
        "readings" };
    struct rate plain[KINDS][ROUNDS], sealed[ROUNDS], bare[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < KINDS; k++)
            plain[k][i] = write_rows(path, (enum kind)k, rows, NULL);
        sealed[i] = write_rows(path, INFERENCE, rows, &key);
        bare[i] = write_bare(path, rows);
    }
    json_u64(j, "rows", rows);
    for (int k = 0; k < KINDS; k++)
        tell_rate(j, names[k], plain[k]);
    tell_rate(j, "encrypted", sealed);
    tell_rate(j, "bare_sqlite", bare);
    remove_database(path);
}

/* --- a database of many runs ---------------------------------------------- */

/* ?1 is how many.  Runs come one a minute; of the tags, one is on every other
 * run, one on a thousandth, and one only on the oldest tenth. */
static const char *const many[] = {
    "CREATE TEMP TABLE n AS WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL"
    " SELECT i + 1 FROM c WHERE i < ?1) SELECT i FROM c",
    "INSERT INTO profiling_runs (id, run_id, timestamp, status, start_mono_ns,"
    " duration_ns, meter_pid, version, command, directory, model_name, prompt,"
    " response, total_energy_mj, inferences, failed, exit_code, summed)"
    " SELECT i, printf('%08x-0000-4000-8000-%012x', i * 2654435761 &"
    " 4294967295, i), 1700000000000000000 + i * 60000000000, 1, 0,"
    " 1000000 * (i * 7919 % 100003), 1, '1', 'python app.py --seed ' || i,"
    " '/home/somebody/project', 'm', 'Tell me about number ' || i ||"
    " ' and the ' || (i * 31 % 1000) || ' others, at some length', 'Well, ' ||"
    " i, CASE WHEN i % 3 THEN 0.5 * (i * 104729 % 99991) END, 10, 0, 0, 1"
    " FROM n WHERE ?1",
    "INSERT INTO labels (id, kind, name) SELECT i, 'model', '/models/net' || i"
    " || '/model.onnx' FROM n WHERE i <= 200 AND ?1",
    "INSERT INTO labels (id, kind, name) VALUES (201, 'tag', 'every-other'),"
    " (202, 'tag', 'rare'), (203, 'tag', 'old'),"
    " (204, 'experiment', 'quantised')",
    "INSERT INTO run_labels SELECT 1 + i * 7 % 200, i, 0, 0, 0 FROM n WHERE ?1",
    "INSERT INTO run_labels SELECT 201, i, 0, 0, 0 FROM n WHERE i % 2 AND ?1",
    "INSERT INTO run_labels SELECT 202, i, 0, 0, 0 FROM n WHERE i % 1000 = 0 "
    "AND ?1",
    "INSERT INTO run_labels SELECT 203, i, 0, 0, 0 FROM n WHERE i < ?1 / 10",
    "INSERT INTO run_labels SELECT 204, i, 0, 0, 0 FROM n WHERE i % 50 = 0 AND "
    "?1",
    "UPDATE run_labels SET (timestamp, duration_ns, total_energy_mj) ="
    " (SELECT timestamp, duration_ns, total_energy_mj FROM profiling_runs"
    " WHERE id = run) WHERE ?1",
    "INSERT INTO sessions (run, id, process, model, providers, options,"
    " start_ns, duration_ns, thread) SELECT i, 1, 1, '/models/net' ||"
    " (1 + i * 7 % 200) || '/model.onnx', '[]', '{}', 0, 1000000, 7 FROM n"
    " WHERE ?1",
    "INSERT INTO processes (run, id, pid, start_ns, lost, untimed, torn)"
    " SELECT i, 1, 4711, 0, 0, 0, 0 FROM n WHERE ?1",
    "INSERT INTO inferences SELECT n.i, k.i, 1, 1, 7, 100000 * k.i,"
    " 90000 + (n.i * k.i) % 1000, 0, 4, 1, NULL, NULL, NULL, NULL, NULL, NULL,"
    " NULL, NULL FROM n, (SELECT i FROM n WHERE i <= 10) k WHERE ?1",
    "INSERT INTO prompts (rowid, prompt) SELECT id, prompt FROM profiling_runs"
    " WHERE ?1",
};

static void make_many(const char *path, uint64_t runs)
{
    sqlite3 *db = NULL;

    remove_database(path);
    store_close(open_store(path, STORE_WRITE, NULL));
    must(!sqlite3_open(path, &db), "no database can be made");
    run_sql(db, "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN");
    for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
        sqlite3_stmt *st = NULL;

        if (sqlite3_prepare_v2(db, many[i], -1, &st, NULL))
            stop(sqlite3_errmsg(db));
        (void)sqlite3_bind_int64(st, 1, (sqlite3_int64)runs);
        if (sqlite3_step(st) != SQLITE_DONE)
            stop(sqlite3_errmsg(db));
        (void)sqlite3_finalize(st);
    }
    run_sql(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    (void)sqlite3_close(db);
}

/* --- questions ------------------------------------------------------------ */

static void count(void *to, const struct run_line *l)
{
    (void)l;
    ++*(uint64_t *)to;
}

/* From opening to closing. */
static double list_ms(const char *path, const struct run_filter *f,
        uint64_t *found)
{
    uint64_t start_ns = mono_ns();
    struct store *s = open_store(path, STORE_READ, NULL);
    struct error e;

    *found = 0;
    if (store_list_runs(s, f, count, found, &e))
        stop(e.text);
    store_close(s);
    return (double)(mono_ns() - start_ns) / 1e6;
}

static double report_ms(const char *path, const char *id)
{
    uint64_t start_ns = mono_ns();
    struct store *s = open_store(path, STORE_READ, NULL);
    struct summary x;
    struct error e;
    int64_t row = 0;

    if (store_find_run(s, id, &row, &e) || summary_read(&x, s, row, &e))
        stop(e.text);
    must(x.inferences == INFERENCES, "the run is another one");
    summary_release(&x);
    store_close(s);
    return (double)(mono_ns() - start_ns) / 1e6;
}

#define DAY_NS UINT64_C(86400000000000)

static const struct {
    const char *name;
    struct run_filter filter;
} questions[] = {
    { "newest", { .limit = 20 } },
    { "longest", { .limit = 20, .order = RUN_BY_DURATION } },
    { "of a model, by energy",
            { .limit = 20, .model = "net77", .order = RUN_BY_ENERGY } },
    { "of many models, by duration",
            { .limit = 20, .model = "net1", .order = RUN_BY_DURATION } },
    { "with a common tag, by energy",
            { .limit = 20, .tags = "every-other", .order = RUN_BY_ENERGY } },
    { "with a rare tag, by duration",
            { .limit = 20, .tags = "rare", .order = RUN_BY_DURATION } },
    { "with a tag of old runs, by date", { .limit = 20, .tags = "old" } },
    { "of an experiment, of a model, tagged, by energy",
            { .limit = 20,
                    .experiment = "quantised",
                    .model = "net1",
                    .tags = "every-other,rare",
                    .order = RUN_BY_ENERGY } },
    { "of a day, by energy",
            { .limit = 20,
                    .from_wall_ns = UINT64_C(1700000000000000000) + DAY_NS,
                    .to_wall_ns = UINT64_C(1700000000000000000) + 2 * DAY_NS,
                    .order = RUN_BY_ENERGY } },
    { "by text in the prompt", { .limit = 20, .prompt = "number 4242 and" } },
    { "page 500 of a model",
            { .limit = 20, .offset = 10000, .model = "net1" } },
};

static void ask(struct json *j, const char *path, uint64_t runs)
{
    double worst = 0;
    char id[64];

    json_array(j, "lists");
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        double ms[ROUNDS];
        uint64_t found = 0, cpu_ns = own_cpu_ns();

        for (int n = 0; n < ROUNDS; n++)
            ms[n] = list_ms(path, &questions[i].filter, &found);
        cpu_ns = (own_cpu_ns() - cpu_ns) / ROUNDS;
        worst = middle(ms) > worst ? middle(ms) : worst;
        json_object(j, NULL);
        json_text(j, "what", questions[i].name);
        json_u64(j, "found", found);
        json_fixed(j, "median_ms", middle(ms), 2);
        json_fixed(j, "cpu_ms", (double)cpu_ns / 1e6, 2);
        json_end(j);
    }
    json_end(j);
    json_fixed(j, "list_ms", worst, 2);

    double ms[ROUNDS];

    (void)snprintf(id, sizeof(id), "%08x",
            (unsigned)((runs / 2) * UINT64_C(2654435761)));
    for (int n = 0; n < ROUNDS; n++)
        ms[n] = report_ms(path, id);
    json_fixed(j, "report_ms", middle(ms), 2);
}

int main(int argc, char **argv)
{
    struct buf text = { 0 };
    struct json j = json_into(&text);
    uint64_t rows = 0, runs = 0;
    char path[4096];
    bool made_before = false;

    if (argc != 4 || str_u64(&rows, str_of(argv[2])) ||
            str_u64(&runs, str_of(argv[3])))
        stop("use: store FOLDER ROWS RUNS");
    (void)snprintf(path, sizeof(path), "%s/store.db", argv[1]);
    json_object(&j, NULL);
    json_object(&j, "written");
    measure_writing(&j, path, rows);
    json_end(&j);
    json_object(&j, "asked");
    json_u64(&j, "runs", runs);
    if (runs) {
        (void)snprintf(path, sizeof(path), "%s/runs.db", argv[1]);
        if (access(path, F_OK) == 0)
            made_before = true;
        else
            make_many(path, runs);
        ask(&j, path, runs);
    }
    json_end(&j);
    json_end(&j);
    (void)printf("%s\n", buf_cstr(&text));
    buf_release(&text);
    if (!made_before)
        remove_database(path);
    return 0;
}
