/* chaos.c -- what hostile people could hand us, many times over:
 *
 *     chaos tamper COUNT   cells of a database are changed, rows taken out
 *     chaos pages COUNT    bytes of a database's pages are changed
 *     chaos files COUNT    bytes of exported runs, profiles, models, CSV
 *     chaos fetch COUNT    cells and bytes of what a fleet's server answers
 *
 * and each time every verb reads it; the formats of an export take turns.  A
 * verb may refuse; it may not crash, hang or take more memory than a small
 * machine has.  What is done comes from the numbers of the rounds, so that it
 * is always the same; a round that fails is run alone by `chaos WHAT 1 ROUND`.
 * `chaos WHAT COUNT FIRST SECONDS` begins no round after that time. */
#include "base/compiler.h"
#include "cmd/cmd.h"
#include "export/formats.h"
#include "full_run.h"
#include "mirror_clickhouse.h"
#include "os/clock.h"

#include <fcntl.h>
#include <stdarg.h>

#define ROUND_SECONDS 60 /* then it hangs */
#define WORDS         12

/* --- numbers that look like chance ---------------------------------------- */

static uint64_t state;

static uint64_t chance(uint64_t below)
{
    state += 0x9e3779b97f4a7c15; /* splitmix64 */

    uint64_t x = state;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (x ^ (x >> 31)) % below;
}

/* --- the verbs ------------------------------------------------------------ */

static struct tree work;
static unsigned long runs, refused;
static uint64_t round_number;

static int verb(const struct cmd *cmd, ...)
{
    char *argv[WORDS + 1] = { (char *)cmd->name };
    int argc = 1;
    va_list words;

    va_start(words, cmd);
    for (const char *w; argc < WORDS && (w = va_arg(words, const char *));)
        argv[argc++] = (char *)w;
    va_end(words);

    int rc = cmd_main(cmd, argc, argv);

    runs++;
    refused += rc == EXIT_FAILED;
    if (rc == EXIT_USAGE) { /* our own mistake: nothing was tried */
        (void)fprintf(stderr, "chaos: %s %s\n", cmd->name, argv[1]);
        abort();
    }
    return rc;
}

/* One in `share` of the formats, others in the next round: most of them read
 * the same rows, and each gets its part of the rounds. */
static void export_some(const char *db, uint64_t share)
{
    char folder[128];
    uint64_t turn = round_number;

    (void)snprintf(folder, sizeof(folder), "%s/tables/", work.root);
    for (const struct export_format *const *f = export_formats; *f; f++) {
        if (turn++ % share)
            continue;
        if ((*f)->write)
            (void)verb(&cmd_export, "-f", (*f)->name, "--db", db, "-o",
                    "/dev/null", "--quiet", NULL);
        for (const struct export_shape *x = (*f)->shapes; x && x->name; x++)
            (void)verb(&cmd_export, "-f", (*f)->name, "--shape", x->name,
                    "--db", db, "-o", "/dev/null", "--quiet", NULL);
        if ((*f)->write_table)
            (void)verb(&cmd_export, "-f", (*f)->name, "--db", db, "-o", folder,
                    "--quiet", NULL);
    }
}

static void read_all(const char *db, uint64_t share)
{
    (void)verb(&cmd_list, "--db", db, NULL);
    (void)verb(&cmd_list, "--json", "--db", db, NULL);
    (void)verb(&cmd_list, "--model", "a", "--sort", "energy", "--db", db, NULL);
    (void)verb(&cmd_report, "last", "--db", db, NULL);
    (void)verb(&cmd_report, "--json", "last", "--db", db, NULL);
    (void)verb(&cmd_energy, "last", "--db", db, NULL);
    (void)verb(&cmd_energy, "--json", "--by", "flops", "last", "--db", db,
            NULL);
    (void)verb(&cmd_compare, "last", "last", "--db", db, NULL);
    export_some(db, share);
}

static void change_all(const char *db)
{
    (void)verb(&cmd_tag, "last", "c", "--db", db, NULL);
    (void)verb(&cmd_prune, "--keep", "1", "--db", db, NULL);
    (void)verb(&cmd_delete, "last", "--db", db, NULL);
    (void)verb(&cmd_vacuum, "--db", db, NULL);
}

/* --- files ---------------------------------------------------------------- */

static char *load(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;

    *len = 0;
    if (!f)
        return NULL;
    if (!fseek(f, 0, SEEK_END) && ftell(f) > 0) {
        *len = (size_t)ftell(f);
        rewind(f);
        bytes = malloc(*len);
        if (bytes && fread(bytes, 1, *len, f) != *len)
            *len = 0;
    }
    (void)fclose(f);
    return bytes;
}

static void save(const char *path, const char *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(bytes, 1, len, f) != len || fclose(f))
        abort();
}

static void copy_file(const char *from, const char *to)
{
    size_t len;
    char *bytes = load(from, &len);

    save(to, bytes, len);
    free(bytes);
}

static const char *path_of(char out[128], const char *name)
{
    (void)snprintf(out, 128, "%s/%s", work.root, name);
    return out;
}

static void forget(const char *db)
{
    char path[160];

    (void)unlink(db);
    (void)snprintf(path, sizeof(path), "%s-wal", db);
    (void)unlink(path);
    (void)snprintf(path, sizeof(path), "%s-shm", db);
    (void)unlink(path);
}

/* --- cells ---------------------------------------------------------------- */

static const char *const values[] = { "-1", "0", "1", "2", "255", "256",
    "65536", "16777215", "2147483647", "2147483648", "4294967295", "4294967296",
    "9007199254740993", "4611686018427387904", "9223372036854775807",
    "-9223372036854775808", "NULL", "''", "'x'", "'%s%n'", "x'00ff'", "x''",
    "1e308", "-1e308", "9e999", "-9e999", "0.5", "zeroblob(100000)",
    "char(27) || '[2J'", "hex(zeroblob(50000))", "'[[[[[[[[{\"a\":'", "'{'",
    "'[{\"float\":[9223372036854775807,-1]}]'", "char(0) || 'a'",
    "'/model/layers.99999999999/attn'", "'If'", "CAST(x'c328' AS TEXT)",
    "replace(hex(zeroblob(2000)), '00', ',')" };

static char *text_of(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st = NULL;
    char *text = NULL;

    if (!sqlite3_prepare_v2(db, sql, -1, &st, NULL) &&
            sqlite3_step(st) == SQLITE_ROW)
        text = sqlite3_mprintf("%s", sqlite3_column_text(st, 0));
    (void)sqlite3_finalize(st);
    return text;
}

/* SQL that changes one cell of one row, or takes the row out. */
static char *change_sql(sqlite3 *db)
{
    char *ask = sqlite3_mprintf(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT"
            " LIKE 'prompts%%' ORDER BY abs(%lld - rowid * 2654435761 %% "
            "1000003) LIMIT 1",
            (long long)chance(1000003));
    char *table = text_of(db, ask);

    sqlite3_free(ask);
    ask = sqlite3_mprintf("SELECT name FROM pragma_table_info('%q')"
                          " ORDER BY abs(%lld - (cid + 1) * 7919 %% 1009)"
                          " LIMIT 1",
            table, (long long)chance(1009));

    char *column = text_of(db, ask);
    uint64_t row = chance(64);

    /* Rows of a table without rowids have no number: they are counted off. */
    sqlite3_free(ask);
    ask = sqlite3_mprintf("SELECT group_concat('\"' || name || '\"')"
                          " FROM pragma_table_info('%q') WHERE pk",
            table);

    char *keys = text_of(db, ask);
    const char *value = values[chance(sizeof(values) / sizeof(*values))];
    char *sql =
            chance(12)
                    ? sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = %s"
                                      " WHERE (%s) IN (SELECT %s FROM \"%w\""
                                      " LIMIT 1 OFFSET %lld %% (SELECT"
                                      " max(1, count(*)) FROM \"%w\"))",
                              table, column, value, keys, keys, table,
                              (long long)row, table)
                    : sqlite3_mprintf("DELETE FROM \"%w\" WHERE (%s) IN (SELECT"
                                      " %s FROM \"%w\" LIMIT 1 OFFSET %lld %%"
                                      " (SELECT max(1, count(*)) FROM \"%w\"))",
                              table, keys, keys, table, (long long)row, table);
    sqlite3_free(ask);
    sqlite3_free(table);
    sqlite3_free(column);
    sqlite3_free(keys);
    return sql;
}

/* Until so many cells are changed: some changes are refused by SQLite. */
static void tamper(const char *path)
{
    sqlite3 *db = NULL;
    int want = 1 + (int)chance(3);

    if (sqlite3_open(path, &db) ||
            sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL))
        abort();
    for (int tries = 0; want && tries < 100; tries++) {
        char *sql = change_sql(db);

        if (!sqlite3_exec(db, sql, NULL, NULL, NULL) && sqlite3_changes(db)) {
            if (getenv("CHAOS_SAY"))
                (void)fprintf(stderr, "%s\n", sql);
            want--;
        }
        sqlite3_free(sql);
    }
    (void)sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    (void)sqlite3_close(db);
}

static void tamper_round(const char *base)
{
    char path[128];

    forget(path_of(path, "changed.db"));
    copy_file(base, path);
    tamper(path);
    read_all(path, 2);
    if (!chance(4)) /* waits for the disk, so not each time */
        change_all(path);
}

/* --- pages ---------------------------------------------------------------- */

static void pages_round(const char *base)
{
    char path[128];
    size_t len;
    char *bytes = load(base, &len);
    size_t page = chance(len / 4096) * 4096;

    for (uint64_t n = 1 + chance(64); n; n--)
        bytes[page + chance(chance(2) ? 64 : 4096)] = (char)chance(256);
    forget(path_of(path, "changed.db"));
    save(path, bytes, len);
    free(bytes);
    read_all(path, 3);
    if (!chance(4))
        change_all(path);
}

/* --- bytes of files ------------------------------------------------------- */

static const char *const seeds[] = { "qnn_csv/runtime", "qnn_csv/viewer",
    "profile/runtime", "profile/trace", "profile/no_args", "onnx/control",
    "onnx/conv", "onnx/decoder", "onnx/function", "onnx/shapes" };

static size_t mutate(char *bytes, size_t len, size_t cap)
{
    static const char *const numbers[] = { "-1", "4294967296",
        "9223372036854775808", "1e999", "null", "\"\"", "{}", "[[[[" };

    for (uint64_t n = 1 + chance(6); n; n--) {
        size_t at = chance(len);
        const char *number = numbers[chance(8)];
        size_t more = strlen(number), some = chance(64);

        switch (chance(4)) {
        case 0: bytes[at] = (char)chance(256); break;
        case 1: bytes[at] ^= (char)(1 << chance(8)); break;
        case 2: /* a number where digits were, or anywhere */
            while (at < len && (bytes[at] < '0' || bytes[at] > '9'))
                at++;
            if (at + more <= len && len < cap)
                memcpy(bytes + at, number, more);
            break;
        default: /* a piece twice, or gone */
            some = at + some > len ? len - at : some;
            if (chance(2) && len > some + 8) {
                memmove(bytes + at, bytes + at + some, len - at - some);
                len -= some;
            } else if (len + some <= cap) {
                memmove(bytes + at + some, bytes + at, len - at);
                len += some;
            }
        }
    }
    return len;
}

static void files_round(const char *base)
{
    char path[128], db[128], from[256], run[128];
    size_t count = sizeof(seeds) / sizeof(*seeds), len;
    size_t which = chance(count + count / 2);

    if (which >= count)
        (void)snprintf(from, sizeof(from), "%s", path_of(run, "run.json"));
    else
        (void)snprintf(from, sizeof(from), "%s/fuzz/seeds/%s", SOURCE_ROOT,
                seeds[which]);

    char *seed = load(from, &len);
    size_t cap = 2 * len + 4096;
    char *bytes = calloc(1, cap);

    memcpy(bytes, seed, len);
    len = mutate(bytes, len, cap);
    (void)base;
    save(path_of(path, which < count ? "file.onnx" : "run"), bytes, len);
    if (which < count && strncmp(seeds[which], "onnx", 4) == 0) {
        (void)verb(&cmd_inspect, path, NULL);
        (void)verb(&cmd_inspect, "--json", path, NULL);
    } else {
        forget(path_of(db, "changed.db"));
        if (verb(&cmd_import, path, "--db", db, NULL) == EXIT_GOOD)
            read_all(db, 2);
    }
    free(seed);
    free(bytes);
}

/* --- a server's answers --------------------------------------------------- */

/* One cell of one of the first rows of one table, or one byte of it. */
struct fetched {
    size_t table, column, row;
    bool of_bytes;
    const char *name; /* of the table */
};

static struct cell any_cell(void)
{
    static const int64_t numbers[] = { -1, 0, 1, 255, 65536, 2147483647,
        2147483648, 4294967295, INT64_MAX, INT64_MIN };
    static const double reals[] = { NAN, INFINITY, -INFINITY, 1e308, -1, 0 };
    static const char *const texts[] = { "", "x", "%s%n", "\033[2J", "{",
        "[[[[", "[{\"float\":[9223372036854775807,-1]}]", "\xc3\x28",
        "/model/layers.99999999999/attn", "If" };

    return (struct cell){
        .there = chance(8),
        .integer = numbers[chance(LEN(numbers))],
        .real = reals[chance(LEN(reals))],
        .text = str_of(texts[chance(LEN(texts))]),
    };
}

static void change_cell(void *to, const struct table *t, size_t row,
        struct cell *cells)
{
    struct fetched *f = to;

    if (!row && f->table-- == 0)
        f->name = t->name;
    if (f->name == t->name && row == f->row && !f->of_bytes)
        cells[f->column % t->count] = any_cell();
}

static void change_byte(void *to, const struct table *t, struct buf *rows)
{
    const struct fetched *f = to;

    if (f->name == t->name && f->of_bytes && rows->len)
        rows->p[chance(rows->len)] = (char)chance(256);
}

static void fetch_round(const char *base)
{
    struct fetched f = { .table = chance(24),
        .column = chance(64),
        .row = chance(3) ? 0 : chance(8),
        .of_bytes = !chance(4) };
    struct mirror m = { .id = "00000000-0000-4000-8000-000000000001",
        .change = change_cell,
        .spoil = change_byte,
        .context = &f };
    struct store *s = NULL;
    int64_t run = 0;
    char url[64];

    if (store_open(&s, base, STORE_READ, NULL) ||
            store_find_run(s, "last", &run, NULL))
        abort();
    mirror_load(&m, s, run);
    store_close(s);
    mirror_serve(&m);
    (void)snprintf(url, sizeof(url), "clickhouse://127.0.0.1:%u/d",
            m.fake.port);
    /* Each of them fetches all of it; what they do with rows, `tamper` tries.
     */
    (void)verb(&cmd_list, "--json", "--store", url, NULL);
    (void)verb(&cmd_report, "last", "--store", url, NULL);
    (void)verb(&cmd_export, "-f", "json", "--store", url, "-o", "/dev/null",
            "--quiet", NULL);
    fake_stop(&m.fake);
    mirror_release(&m);
}

/* --- rounds --------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*round)(const char *base);
} kinds[] = { { "tamper", tamper_round }, { "pages", pages_round },
    { "files", files_round }, { "fetch", fetch_round } };

static void prepare(char base[128])
{
    struct store *s = stored_open(&work, STORE_WRITE);
    char run[128];

    (void)full_run(s, 1700000000000000000);
    (void)full_run(s, 1700000001000000000);
    store_close(s);
    (void)snprintf(base, 128, "%s", stored_path(&work));
    (void)mkdir(tree_path(&work, "tables"), 0700);
    if (verb(&cmd_export, "-f", "json", "--db", base, "-o",
                path_of(run, "run.json"), "--quiet", NULL) ||
            verb(&cmd_report, "last", "--db", base, NULL))
        abort(); /* untouched, it is a good one */
}

static void quieten(void)
{
    int null = open("/dev/null", O_WRONLY);

    if (null < 0 || dup2(null, 1) < 0 ||
            (!getenv("CHAOS_SAY") && dup2(null, 2) < 0))
        abort();
}

int main(int argc, char **argv)
{
    char base[128];
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    uint64_t most_ns = argc > 4 ? strtoull(argv[4], NULL, 10) * 1000000000 : 0;
    uint64_t start_ns = mono_ns(), done = 0;
    int out = dup(1), said = 0;

    work = tree_open();
    quieten();
    (void)setenv("HOME", work.root, 1);
    (void)setenv("no_proxy", "127.0.0.1", 1);
    if (chdir(work.root))
        abort();
    prepare(base);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
        if (argc < 2 || strcmp(argv[1], kinds[k].name) != 0)
            continue;
        for (uint64_t i = first; done < count; i++, done++) {
            if (most_ns && mono_ns() - start_ns > most_ns)
                break;

            FILE *at = fopen(tree_path(&work, "round"), "w");

            (void)fprintf(at, "%llu\n", (unsigned long long)i);
            (void)fclose(at);
            round_number = i;
            state = i * 1000003;
            (void)alarm(ROUND_SECONDS);
            kinds[k].round(base);
        }
        said = dprintf(out, "%s: %llu rounds, %lu readings, %lu refused\n",
                kinds[k].name, (unsigned long long)done, runs, refused);
    }
    (void)alarm(0);
    tree_close(&work);
    return said <= 0 || test_result();
}
