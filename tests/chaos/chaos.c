/* chaos.c -- what hostile people could hand us, many times over:
 *
 *     chaos tamper COUNT   cells of a database are changed, rows taken out
 *     chaos pages COUNT    bytes of a database's pages are changed
 *     chaos files COUNT    bytes of exported runs, profiles, models, CSV
 *     chaos fetch COUNT    cells and bytes of what a fleet's server answers
 *     chaos probe 1 0|1    none of these: a mistake that a sanitizer must find
 *
 * and each time every verb reads it; the formats of an export take turns.  A
 * verb may refuse; it may not crash, hang or take more memory than a small
 * machine has.  What is done comes from the numbers of the rounds, so that it
 * is always the same; a round that fails is run alone by `chaos WHAT 1 ROUND`.
 * `chaos WHAT COUNT FIRST SECONDS` begins no round after that time. */
#include "chaos.h"

#include "base/compiler.h"
#include "mirror_clickhouse.h"
#include "os/clock.h"

#include <limits.h>

#define ROUND_SECONDS 120 /* then it hangs */

struct tree chaos_work;
uint64_t chaos_round;

/* --- numbers that look like chance ---------------------------------------- */

static uint64_t state;

uint64_t chance(uint64_t below)
{
    state += 0x9e3779b97f4a7c15; /* splitmix64 */

    uint64_t x = state;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (x ^ (x >> 31)) % below;
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
    (void)snprintf(out, 128, "%s/%s", chaos_work.root, name);
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

static void tamper_round(const char *base)
{
    char path[128];

    forget(path_of(path, "changed.db"));
    copy_file(base, path);
    tamper(path);
    read_all(path, 3);
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

static struct stored_cell any_cell(void)
{
    static const int64_t numbers[] = { -1, 0, 1, 255, 65536, 2147483647,
        2147483648, 4294967295, INT64_MAX, INT64_MIN };
    static const double reals[] = { NAN, INFINITY, -INFINITY, 1e308, -1, 0 };
    static const char *const texts[] = { "", "x", "%s%n", "\033[2J", "{",
        "[[[[", "[{\"float\":[9223372036854775807,-1]}]", "\xc3\x28",
        "/model/layers.99999999999/attn", "If" };

    return (struct stored_cell){
        .there = chance(8),
        .integer = numbers[chance(LEN(numbers))],
        .real = reals[chance(LEN(reals))],
        .text = str_of(texts[chance(LEN(texts))]),
    };
}

static void change_cell(void *to, const struct stored_table *t, size_t row,
        struct stored_cell *cells)
{
    struct fetched *f = to;

    if (!row && f->table-- == 0)
        f->name = t->name;
    if (f->name == t->name && row == f->row && !f->of_bytes)
        cells[f->column % t->count] = any_cell();
}

static void change_byte(void *to, const struct stored_table *t,
        struct buf *rows)
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

/* --- the net itself ------------------------------------------------------- */

/* Round 0 reads behind a block, round 1 adds too much: who does not see it
 * would find nothing elsewhere, either. */
static void probe_round(const char *base)
{
    volatile int most = INT_MAX;
    volatile size_t end = 16;
    volatile char *block = calloc(1, end);

    (void)base;
    if (chaos_round)
        most = most + 1;
    else
        most = block[end];
    free((void *)block);
}

/* --- rounds --------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*round)(const char *base);
} kinds[] = { { "tamper", tamper_round }, { "pages", pages_round },
    { "files", files_round }, { "fetch", fetch_round },
    { "probe", probe_round } };

static void prepare(char base[128])
{
    struct store *s = stored_open(&chaos_work, STORE_WRITE);
    char run[128];

    (void)full_run(s, 1700000000000000000);
    (void)full_run(s, 1700000001000000000);
    store_close(s);
    (void)snprintf(base, 128, "%s", stored_path(&chaos_work));
    (void)mkdir(tree_path(&chaos_work, "tables"), 0700);
    if (verb(&cmd_export, "-f", "json", "--db", base, "-o",
                path_of(run, "run.json"), "--quiet", NULL) ||
            verb(&cmd_report, "last", "--db", base, NULL))
        abort(); /* untouched, it is a good one */
}

/* What verbs print, and their sentences, go nowhere.  File 2 stays as it is:
 * sanitizers report there, and so do we. */
static void quieten(void)
{
    FILE *nowhere = fopen("/dev/null", "w");

    if (!nowhere || dup2(fileno(nowhere), 1) < 0)
        abort();
    if (!getenv("CHAOS_SAY"))
        stderr = nowhere;
}

int main(int argc, char **argv)
{
    char base[128];
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    uint64_t most_ns = argc > 4 ? strtoull(argv[4], NULL, 10) * 1000000000 : 0;
    uint64_t start_ns = mono_ns(), done = 0;
    int out = dup(1), said = 0;

    /* A part of SQLite's time would go into counting its memory. */
    if (sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0))
        abort();
    chaos_work = tree_open();
    quieten();
    (void)setenv("HOME", chaos_work.root, 1);
    (void)setenv("no_proxy", "127.0.0.1", 1);
    if (chdir(chaos_work.root))
        abort();
    prepare(base);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
        if (argc < 2 || strcmp(argv[1], kinds[k].name) != 0)
            continue;
        for (uint64_t i = first; done < count; i++, done++) {
            if (most_ns && mono_ns() - start_ns > most_ns)
                break;

            FILE *at = fopen(tree_path(&chaos_work, "round"), "w");

            (void)fprintf(at, "%llu\n", (unsigned long long)i);
            (void)fclose(at);
            chaos_round = i;
            state = i * 1000003;
            (void)alarm(ROUND_SECONDS);
            kinds[k].round(base);
        }
        said = dprintf(out, "%s: %llu rounds, %lu readings, %lu refused\n",
                kinds[k].name, (unsigned long long)done, chaos_runs,
                chaos_refused);
    }
    (void)alarm(0);
    tree_close(&chaos_work);
    return said <= 0 || test_result();
}
