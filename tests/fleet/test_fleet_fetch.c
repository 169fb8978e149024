/* test_fleet_fetch.c -- a server that hands out rows that no run has: who
 * fetches them gets a sentence, and nothing to compute with. */
#include "fleet/fetch.h"

#include "base/compiler.h"
#include "full_run.h"
#include "mirror_clickhouse.h"

#include <errno.h>

/* A full run on such a server; `m` says what is done to its rows. */
static int fetch(struct mirror *m, struct store **out, int64_t *row,
        struct error *e)
{
    struct tree t = tree_open();
    struct store *s = stored_open(&t, STORE_WRITE);
    struct clickhouse *c = NULL;
    struct address a;
    char url[64];
    int64_t run = full_run(s, 1700000000000000000);
    int rc;

    CHECK_INT(store_make_id(m->id, NULL), 0);
    mirror_load(m, s, run);
    store_close(s);
    tree_close(&t);
    mirror_serve(m);
    (void)snprintf(url, sizeof(url), "clickhouse://127.0.0.1:%u/d",
            m->fake.port);
    CHECK_INT(address_parse(&a, str_of(url), NULL, NULL), 0);
    CHECK_INT(clickhouse_open(&c, &a, NULL), 0);
    *out = NULL;
    rc = fetch_run(out, row, c, "last", e);
    clickhouse_close(c);
    address_release(&a);
    fake_stop(&m->fake);
    mirror_release(m);
    return rc;
}

static void good(void)
{
    struct mirror m = { 0 };
    struct store *s = NULL;
    struct error e = { 0 };
    int64_t row = 0;

    CHECK_INT(fetch(&m, &s, &row, &e), 0);
    if (*e.text)
        (void)fprintf(stderr, "%s\n", e.text);
    CHECK_INT(store_check_run(s, row, &e), 0);
    store_close(s);
}

/* --- cells ---------------------------------------------------------------- */

struct hostile {
    const char *table, *column;
    struct stored_cell cell;
};

#define NUMBER(x)                      \
    {                                  \
        .there = true, .integer = (x), \
    }
#define REAL(x)                     \
    {                               \
        .there = true, .real = (x), \
    }

#define TEXT(x)                                        \
    {                                                  \
        .there = true, .text = { (x), sizeof(x) - 1 }, \
    }
#define X32  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X288 X32 X32 X32 X32 X32 X32 X32 X32 X32

static const struct hostile cells[] = {
    { "inferences", "start_ns", NUMBER(-1) },
    { "inferences", "start_ns", NUMBER(INT64_MAX) },
    { "inferences", "duration_ns", NUMBER(INT64_MIN) },
    { "inferences", "session", NUMBER(2147483647) },
    { "inferences", "number", NUMBER(0) },
    { "operators", "id", NUMBER(0) },
    { "operators", "id", NUMBER(2147483647) },
    { "operator_runs", "operator", NUMBER(4294967295) },
    { "operator_runs", "depth", NUMBER(256) },
    { "operator_edges", "to_operator", NUMBER(2000000000) },
    { "sessions", "id", NUMBER(-5) },
    { "sessions", "process", NUMBER(70000) },
    { "rollups", "second", NUMBER(16777215) },
    { "layer_metrics", "id", NUMBER(2147483647) },
    { "power_samples", "timestamp", NUMBER(-1) },
    { "tokens", "time_ns", NUMBER(INT64_MAX) },
    { "profiling_runs", "status", NUMBER(9) },
    { "profiling_runs", "timestamp", NUMBER(-1) },
    { "profiling_runs", "total_energy_mj", REAL(INFINITY) },
    { "profiling_runs", "total_energy_mj", REAL(NAN) },
    { "profiling_runs", "version", TEXT(X288) },
    { "activations", "mean_abs", REAL(NAN) },
};

static size_t changed;

/* The first row of its table has it. */
static void put_cell(void *to, const struct stored_table *t, size_t row,
        struct stored_cell *all)
{
    const struct hostile *h = to;

    for (size_t i = 0; !row && i < t->count; i++)
        if (strcmp(t->name, h->table) == 0 &&
                strcmp(t->columns[i].name, h->column) == 0) {
            all[i] = h->cell;
            changed++;
        }
}

/* Refused as it comes, or, where it takes the other rows to see it, by whoever
 * reads. */
static void hostile_cell(const struct hostile *h)
{
    struct mirror m = { .change = put_cell, .context = (void *)h };
    struct store *s = NULL;
    struct error e = { 0 };
    int64_t row = 0;
    int rc;

    changed = 0;
    rc = fetch(&m, &s, &row, &e);
    CHECK_INT(changed, 1);
    /* What needs no other row. */
    CHECK(rc || (h->cell.integer >= 0 && !h->cell.text.len));
    if (!rc)
        rc = store_check_run(s, row, &e);
    CHECK_INT(rc, -EBADMSG);
    CHECK(strstr(e.text, h->column) && !strchr(e.text, '\n'));
    if (rc != -EBADMSG || !strstr(e.text, h->column))
        (void)fprintf(stderr, "%s.%s: %s\n", h->table, h->column, e.text);
    store_close(s);
}

/* --- bytes ---------------------------------------------------------------- */

static void cut(void *to, const struct stored_table *t, struct buf *rows)
{
    (void)to;
    if (strcmp(t->name, "sessions") == 0)
        rows->len--;
}

static void others(void *to, const struct stored_table *t, struct buf *rows)
{
    (void)to;
    if (strcmp(t->name, "sessions") == 0)
        memset(rows->p, 'f', RUN_ID_LEN);
}

static void noise(void *to, const struct stored_table *t, struct buf *rows)
{
    (void)to;
    if (!t->is_runs && rows->len > RUN_ID_LEN)
        memset(rows->p + RUN_ID_LEN, 0xff, rows->len - RUN_ID_LEN);
}

static const struct {
    void (*spoil)(void *to, const struct stored_table *t, struct buf *rows);
    const char *says;
} bytes[] = {
    { cut, "sessions end in the middle" },
    { others, "sessions belongs to no run" },
    { noise, "" },
};

static void hostile_bytes(size_t i)
{
    struct mirror m = { .spoil = bytes[i].spoil };
    struct store *s = NULL;
    struct error e = { 0 };
    int64_t row = 0;

    CHECK(fetch(&m, &s, &row, &e) < 0);
    CHECK(!s && *e.text && strstr(e.text, bytes[i].says));
    if (!strstr(e.text, bytes[i].says))
        (void)fprintf(stderr, "%s: %s\n", bytes[i].says, e.text);
    store_close(s);
}

int main(void)
{
    (void)setenv("no_proxy", "127.0.0.1", 1);
    good();
    for (size_t i = 0; i < LEN(cells); i++)
        hostile_cell(&cells[i]);
    for (size_t i = 0; i < LEN(bytes); i++)
        hostile_bytes(i);
    return test_result();
}
