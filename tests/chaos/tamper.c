/* tamper.c -- cells of a database that somebody changed. */
#include "base/buf.h"
#include "base/compiler.h"
#include "chaos.h"
#include "model/limits.h"

#include <inttypes.h>

#define PLACES_MAX 512

/* --- where ---------------------------------------------------------------- */

/* A column of a table, with what its rows are told apart by. */
struct place {
    char *table, *column, *keys;
    char type; /* I, R or T, as it was declared; else 0 */
};

static struct place places[PLACES_MAX];
static size_t place_count;

static void add_place(sqlite3_stmt *st)
{
    const char *type = (const char *)sqlite3_column_text(st, 2);

    if (place_count == PLACES_MAX)
        abort();
    places[place_count++] = (struct place){
        .table = sqlite3_mprintf("%s", sqlite3_column_text(st, 0)),
        .column = sqlite3_mprintf("%s", sqlite3_column_text(st, 1)),
        .type = (char)(type ? *type : 0),
        .keys = sqlite3_mprintf("%s", sqlite3_column_text(st, 3)),
    };
}

/* The first of each table, then the second of each, and so on: who does not get
 * to the end has been everywhere. */
static void find_places(sqlite3 *db)
{
    sqlite3_stmt *st = NULL;

    if (sqlite3_prepare_v2(db,
                "SELECT t.name, c.name, c.type, (SELECT"
                "  group_concat('\"' || k.name || '\"')"
                "  FROM pragma_table_info(t.name) k WHERE k.pk)"
                " FROM sqlite_master t JOIN pragma_table_info(t.name) c"
                " WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%'"
                " ORDER BY c.cid, t.rowid",
                -1, &st, NULL))
        abort();
    while (sqlite3_step(st) == SQLITE_ROW)
        add_place(st);
    (void)sqlite3_finalize(st);
    if (!place_count)
        abort();
}

/* --- what ----------------------------------------------------------------- */

#define LONG_TEXT "replace(hex(zeroblob(60000)), '0', 'x')"
#define TOO_LONG  "replace(hex(zeroblob(8388610)), '0', 'x')"

#define DEEP_LIST                                \
    ("'[{\"float\":[9223372036854775807,-1,' ||" \
     " replace(hex(zeroblob(3000)), '00', '[') || ']'")

/* Instead of a value: the greatest and the least that the column may hold, what
 * is just beyond, and the same column of another row. */
#define MOST   "most"
#define LEAST  "least"
#define BEYOND "beyond"
#define BEFORE "before"
#define OTHER  "other"
#define VALUES 8

static const char *const numbers[VALUES] = { MOST, LEAST, "-1", BEYOND, OTHER,
    "9223372036854775807", "NULL", "2147483648" };
static const char *const reals[VALUES] = { "9e999", "1e18", "NULL", "-9e999",
    "-1e308", "0", "'x'", "4.9e-324" };
static const char *const texts[VALUES] = { LONG_TEXT,
    "'a' || char(0) || char(27) || '[2J' || char(155, 8238) || 'b'", "NULL",
    DEEP_LIST, OTHER, "CAST(x'c328ff00' AS TEXT)", "''",
    "'/model/layers.4294967296/mlp'" };

/* And what chance takes. */
static const char *const any[] = { "-1", "0", "1", "2", "255", "256", "65535",
    "65536", "16777215", "2147483647", "2147483648", "4294967295", "4294967296",
    "9007199254740993", "4611686018427387904", "9223372036854775807",
    "-9223372036854775808", "NULL", "''", "'x'", "'%s%n'", "x'00ff'", "x''",
    "1e308", "-1e308", "9e999", "-9e999", "0.5", "zeroblob(100000)",
    "char(27) || '[2J'", LONG_TEXT, TOO_LONG, "'[[[[[[[[{\"a\":'", "'{'",
    "'[{\"float\":[9223372036854775807,-1]}]'", "char(0) || 'a'",
    "'/model/layers.99999999999/attn'", "'If'", "CAST(x'c328' AS TEXT)",
    "replace(hex(zeroblob(2000)), '00', ',')", MOST, LEAST, BEYOND, BEFORE,
    OTHER };

static const char *const *values_of(const struct place *p)
{
    switch (p->type) {
    case 'R': return reals;
    case 'T': return texts;
    default: return numbers;
    }
}

/* SQL of a value; `out` may be used. */
static const char *value_sql(const struct place *p, const char *value,
        struct buf *out)
{
    const struct limit *l = limit_find(p->table, p->column);
    bool number = l && l->kind == LIMIT_IS_NUMBER;
    int64_t most = number ? l->most : INT64_MAX;
    int64_t least = number ? l->least : 0;

    if (number && (l->gap || l->refers)) /* as there are rows */
        most = LIMIT_GAP + 2;
    if (strcmp(value, MOST) == 0)
        buf_printf(out, "%" PRId64, most);
    else if (strcmp(value, LEAST) == 0)
        buf_printf(out, "%" PRId64, least);
    else if (strcmp(value, BEYOND) == 0)
        buf_printf(out, "%" PRId64, most < INT64_MAX ? most + 100000 : 2);
    else if (strcmp(value, BEFORE) == 0)
        buf_printf(out, "%" PRId64, least > INT64_MIN ? least - 1 : 2);
    else if (strcmp(value, OTHER) == 0)
        buf_printf(out,
                "(SELECT \"%s\" FROM \"%s\" ORDER BY 1 DESC LIMIT 1"
                " OFFSET %" PRIu64 ")",
                p->column, p->table, chance(3));
    else
        return value;
    return buf_cstr(out);
}

/* --- changing ------------------------------------------------------------- */

/* One row, or all of them; a key can be changed of one row only. */
static bool change(sqlite3 *db, const struct place *p, const char *value,
        bool all)
{
    struct buf of = { 0 };
    /* The last run is the one that is read most. */
    const char *of_run = strstr(p->keys, "\"run\"") ? "WHERE run = 2" : "";
    char *rows = all ? sqlite3_mprintf("1")
                     : sqlite3_mprintf("(%s) IN (SELECT %s FROM \"%w\" %s"
                                       " ORDER BY 1 DESC LIMIT 1 OFFSET %llu %%"
                                       " (SELECT max(1, count(*)) FROM \"%w\""
                                       " %s))",
                               p->keys, p->keys, p->table, of_run, chance(64),
                               p->table, of_run);
    char *sql =
            value ? sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" ="
                                    " %s WHERE %s",
                            p->table, p->column, value_sql(p, value, &of), rows)
                  : sqlite3_mprintf("DELETE FROM \"%w\" WHERE %s", p->table,
                            rows);
    bool done = !sqlite3_exec(db, sql, NULL, NULL, NULL) && sqlite3_changes(db);

    if (getenv("CHAOS_SAY"))
        (void)fprintf(stderr, "%s%s\n", done ? "" : "not done: ", sql);
    sqlite3_free(rows);
    sqlite3_free(sql);
    buf_release(&of);
    return done;
}

static void change_any(sqlite3 *db)
{
    for (int tries = 0; tries < 100; tries++) {
        const struct place *p = &places[chance(place_count)];
        const char *value = any[chance(LEN(any))];

        if (change(db, p, chance(12) ? value : NULL, !chance(4)))
            return;
    }
}

/* As if it were being recorded, by us: for those who follow it. */
static void make_live(sqlite3 *db)
{
    char *sql = sqlite3_mprintf(
            "UPDATE profiling_runs SET status = 0, meter_pid = %u",
            (unsigned)own_pid());

    (void)sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
}

void tamper(const char *path)
{
    sqlite3 *db = NULL;

    if (sqlite3_open(path, &db))
        abort();
    stored_loosen(db);
    if (!place_count)
        find_places(db);

    /* Two columns a round: a round that is refused for one of them is not, as a
     * rule, where the other is read. */
    uint64_t half = place_count / 2 + 1, turn = chaos_round / half;

    if (chaos_round % 4 == 3)
        make_live(db);
    for (uint64_t i = 0; turn < VALUES && i < 2; i++) {
        uint64_t at = chaos_round % half + i * half;

        if (at < place_count)
            (void)change(db, &places[at], values_of(&places[at])[turn],
                    turn % 2);
    }
    for (uint64_t n = turn < VALUES ? 0 : 1 + chance(3); n; n--)
        change_any(db);
    stored_tighten(db);
    (void)sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
    (void)sqlite3_close(db);
}
