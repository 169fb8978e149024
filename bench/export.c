/* export.c -- how fast tables are written:
 *
 *     export ROWS ROUNDS FOLDER
 *
 * Makes that many inferences and writes them to FOLDER as Parquet and CSV: from
 * memory, which measures the writers alone, and from a database, which is what
 * `ortmeter export` does.  The files stay: bench/export_duckdb.mjs lets DuckDB
 * write the same table. */
#include "base/buf.h"
#include "base/json.h"
#include "bench/quantile.h"
#include "export/formats.h"
#include "export/parquet/parquet.h"
#include "export/table/csv.h"
#include "os/clock.h"
#include "os/process/child.h"
#include "tests/programs/ort_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_ROUNDS = 100 };

struct writing {
    const struct table *table;
    struct sink *to;
    struct parquet *parquet; /* NULL: CSV */
    struct buf out;
};

static struct inference inference_at(uint64_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t noise = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 44;

    return (struct inference){
        .session = 1 + (uint32_t)(i % 3),
        .process = 1,
        .thread = 1000 + (uint32_t)(noise % 4),
        .phase = i % 10 ? PHASE_DECODE : PHASE_PREFILL,
        .flags = FLAG_SHAPE | FLAG_SEQUENCE | FLAG_PAST | FLAG_INPUT_BYTES |
                 FLAG_OUTPUT_BYTES | (i % 1000 ? 0 : FLAG_FAILED),
        .start_ns = i * 1000000 + noise,
        .duration_ns = 700000 + noise,
        .batch = 1,
        .sequence = i % 10 ? 1 : 128,
        .past = (uint32_t)(i % 10),
        .in_bytes = 4096 + 8 * (i % 10),
        .out_bytes = 128000,
        .error = i % 1000 ? NULL : "Non-zero status code: out of memory",
    };
}

static void take_row(void *to, const struct cell *cells)
{
    struct writing *w = to;

    if (w->parquet) {
        parquet_row(w->parquet, cells);
        return;
    }
    csv_row(&w->out, w->table->type->columns, w->table->type->count, cells);
    if (w->out.len >= 65536) {
        sink_write(w->to, buf_str(&w->out));
        buf_clear(&w->out);
    }
}

/* A table whose rows are made up as they are asked for. */
static uint64_t row_count;

static int each_made(struct store *s, int64_t run, struct_taker *take,
        void *context, struct error *e)
{
    (void)s;
    (void)run;
    (void)e;
    for (uint64_t i = 0; i < row_count; i++) {
        struct inference x = inference_at(i);

        take(context, &x);
    }
    return 0;
}

/* Rows a second, by the clock and by the CPU time that they took. */
enum { CLOCK, CPU, RATES };

struct timing {
    uint64_t mono_ns, cpu_ns;
};

static struct timing begin(void)
{
    return (struct timing){ mono_ns(), own_cpu_ns() };
}

static void end(double rate[RATES], struct timing since)
{
    rate[CLOCK] = (double)row_count * 1e9 / (double)(mono_ns() - since.mono_ns);
    rate[CPU] = (double)row_count * 1e9 / (double)(own_cpu_ns() - since.cpu_ns);
}

static void write_made(double rate[RATES], const struct table *real,
        struct store *s, int64_t run, const char *path, bool parquet)
{
    struct table made = *real;
    struct writing w = { .table = &made };
    struct error e = { 0 };
    struct timing start = begin();

    made.each = each_made;
    if (sink_open(&w.to, path, false, &e))
        die("%s", e.text);
    if (parquet)
        w.parquet = parquet_open(w.to, made.type->columns, made.type->count,
                EXPORT_ZSTD);
    else
        csv_head(&w.out, made.type->columns, made.type->count);
    if (table_each_row(&made, s, run, take_row, &w, &e))
        die("%s", e.text);
    if (parquet)
        parquet_close(w.parquet);
    sink_write(w.to, buf_str(&w.out));
    buf_release(&w.out);
    if (sink_close(w.to, true, &e))
        die("%s", e.text);
    end(rate, start);
}

static void write_stored(double rate[RATES], const struct table *t,
        struct store *s, int64_t run, const char *path,
        const struct export_format *f)
{
    struct error e = { 0 };
    struct sink *to;
    struct timing start = begin();

    if (sink_open(&to, path, false, &e) ||
            f->write_table(to, t, s, run, EXPORT_ZSTD, &e) ||
            sink_close(to, true, &e))
        die("%s", e.text);
    end(rate, start);
}

static struct store *fill_store(const char *path, int64_t *row)
{
    struct store *s;
    struct error e = { 0 };
    struct run run = {
        .started_wall_ns = wall_ns(),
        .start_mono_ns = mono_ns(),
        .meter_pid = own_pid(),
        .command = "bench",
        .version = ORTMETER_VERSION,
    };

    if (store_open(&s, path, STORE_WRITE, &e) || store_begin_run(s, &run, &e))
        die("%s", e.text);
    for (uint64_t i = 0; i < row_count; i++) {
        struct inference x = inference_at(i);

        (void)store_add_inference(s, &x);
    }
    run.status = RUN_COMPLETE;
    if (store_flush(s, &e) || store_end_run(s, &run, &e))
        die("%s", e.text);
    *row = run.row;
    return s;
}

enum way { MADE_PARQUET, MADE_CSV, STORED_PARQUET, STORED_CSV, WAYS };

static const char *const way_names[WAYS] = { "parquet", "csv", "stored_parquet",
    "stored_csv" };

static double rates[WAYS][RATES][MOST_ROUNDS];

/* Every way by turns, so that what else the machine does meets all of them. */
static void measure(const char *folder, struct store *s, int64_t run,
        size_t round)
{
    const struct table *t = table_find("inferences");

    for (int way = 0; way < WAYS; way++) {
        bool parquet = way == MADE_PARQUET || way == STORED_PARQUET;
        const char *format = parquet ? "parquet" : "csv";
        double rate[RATES];
        char path[512];

        (void)snprintf(path, sizeof(path), "%s/bench.%s", folder, format);
        if (way < STORED_PARQUET)
            write_made(rate, t, s, run, path, parquet);
        else
            write_stored(rate, t, s, run, path, export_format_find(format));
        for (int i = 0; i < RATES; i++)
            rates[way][i][round] = rate[i];
    }
}

static void tell(size_t rounds)
{
    struct buf text = { 0 };
    struct json j = json_into(&text);

    json_object(&j, NULL);
    json_u64(&j, "rows", row_count);
    for (int way = 0; way < WAYS; way++) {
        json_object(&j, way_names[way]);
        json_fixed(&j, "per_s", median(rates[way][CLOCK], rounds), 0);
        json_fixed(&j, "per_cpu_s", median(rates[way][CPU], rounds), 0);
        json_end(&j);
    }
    json_end(&j);
    (void)puts(buf_cstr(&text));
    buf_release(&text);
}

int main(int argc, char **argv)
{
    char db[512];
    int64_t run = 0;

    if (argc != 4)
        die("use: %s ROWS ROUNDS FOLDER", argv[0]);
    row_count = strtoull(argv[1], NULL, 10);

    unsigned long rounds = strtoul(argv[2], NULL, 10);

    if (!row_count || !rounds || rounds > MOST_ROUNDS)
        die("no rows, or no rounds");
    (void)snprintf(db, sizeof(db), "%s/bench.db", argv[3]);

    struct store *s = fill_store(db, &run);

    for (size_t i = 0; i < rounds; i++)
        measure(argv[3], s, run, i);
    store_close(s);
    (void)unlink(db);
    tell(rounds);
    return 0;
}
