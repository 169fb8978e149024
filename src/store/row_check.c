#include "store/row_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- which limits --------------------------------------------------------- */

/* One number of a run's; 0: there is none. */
static int64_t ask(struct store *s, const char *what, const char *table,
        int64_t run)
{
    char sql[160];
    sqlite3_stmt *st = NULL;
    int64_t number = 0;

    (void)snprintf(sql, sizeof(sql), "SELECT %s FROM \"%s\" WHERE run = ?1",
            what, table);
    if (sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) == SQLITE_OK &&
            sqlite3_bind_int64(st, 1, run) == SQLITE_OK &&
            sqlite3_step(st) == SQLITE_ROW)
        number = sqlite3_column_int64(st, 0);
    (void)sqlite3_finalize(st);
    return number > 0 ? number : 0;
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Of ids, how many rows there are counts, too.  Somebody may be adding some
 * just now, so LIMIT_GAP is added to what is there. */
static int64_t most_of(const struct row_check *c, const struct limit *l,
        int64_t run)
{
    if (l->gap)
        return least_of(l->most,
                ask(c->store, "count(*)", c->table, run) + l->gap);
    if (l->refers)
        return least_of(l->most,
                ask(c->store, "count(*)", l->refers, run) + LIMIT_GAP);
    return l->most;
}

void row_check_table(struct row_check *c, struct store *s, const char *table)
{
    c->store = s;
    c->count = 0;
    c->rows = 0;
    c->broken = false;
    (void)snprintf(c->table, sizeof(c->table), "%s", table);
}

void row_check_column(struct row_check *c, const char *name, int64_t run)
{
    if (c->count == ROW_CHECK_COLUMNS)
        return;

    const struct limit *l = limit_find(c->table, name);

    (void)snprintf(c->columns[c->count].name, sizeof(c->columns[0].name), "%s",
            name);
    c->columns[c->count].limit = l;
    c->columns[c->count].most = l ? most_of(c, l, run) : 0;
    c->plain[c->count].least = l ? l->least : INT64_MIN;
    c->plain[c->count].most = l ? c->columns[c->count].most : INT64_MAX;
    if (l && l->kind != LIMIT_IS_NUMBER)
        c->plain[c->count].most = INT64_MIN; /* no number is */
    c->plain[c->count].may_lack = !l || !l->needed;
    c->count++;
}

/* The name at the beginning, without the table before it: "o.text". */
static struct str name_at(struct str s)
{
    static const char letters[] =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789";

    s = str_trim(s);
    if (s.len && *s.p == '"')
        s = (struct str){ s.p + 1, s.len - 1 };
    for (size_t n = 0; n < s.len; n++)
        if (!strchr(letters, s.p[n]))
            s.len = n;
    return memchr(s.p, '.', s.len) ? str_after(s, '.') : s;
}

/* What the rows of the query are of: behind the FROM that is its own.  Empty:
 * of another query. */
static struct str table_of(const char *sql)
{
    int depth = 0;

    for (const char *p = sql; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (!depth && strncmp(p, " FROM ", 6) == 0)
            return name_at(str_of(p + 6));
    }
    return str_of("");
}

static void add_named(struct row_check *c, struct str name, int64_t run)
{
    char text[64];

    (void)snprintf(text, sizeof(text), "%.*s", (int)name.len, name.p);
    row_check_column(c, text, run);
}

void row_check_begin(struct row_check *c, struct store *s, const char *sql,
        sqlite3_stmt *st, int64_t run)
{
    const char *list = strstr(sql, "take(?2,");
    struct str table = table_of(sql);
    char name[64];

    (void)snprintf(name, sizeof(name), "%.*s", (int)table.len, table.p);
    row_check_table(c, s, name);
    if (!list) {
        for (int i = 0; i < sqlite3_column_count(st); i++)
            row_check_column(c, sqlite3_column_name(st, i), run);
        return;
    }

    struct str rest = str_before(str_of(list), ')');

    while ((rest = str_after(rest, ',')).len)
        add_named(c, name_at(rest), run);
}

/* --- values --------------------------------------------------------------- */

static bool refuse(struct row_check *c, int at, const char *what)
{
    c->broken = true;
    (void)fail(&c->why, -EBADMSG,
            "%s: row %" PRIu64 "%s%s holds what no ortmeter writes: %s %s",
            c->store->path, c->rows, *c->table ? " of " : "", c->table,
            c->columns[at].name, what);
    return false;
}

static bool check_number(struct row_check *c, int at, int64_t value)
{
    const struct limit *l = c->columns[at].limit;
    char what[96];

    if (!l || (limit_allows_number(l, value) &&
                      (l->kind != LIMIT_IS_NUMBER ||
                              value <= c->columns[at].most)))
        return true;
    if (l->kind != LIMIT_IS_NUMBER)
        return refuse(c, at, "is no such value");
    (void)snprintf(what, sizeof(what),
            "is %" PRId64 ", and not from %" PRId64 " to %" PRId64, value,
            l->least, c->columns[at].most);
    return refuse(c, at, what);
}

static bool check_text(struct row_check *c, int at, sqlite3_value *v)
{
    const struct limit *l = c->columns[at].limit;
    int len = sqlite3_value_bytes(v);

    if (l && l->kind != LIMIT_IS_TEXT)
        return refuse(c, at, "is a text");
    if (len <= (l ? l->most : LIMIT_TEXT))
        return true;
    return refuse(c, at, "is too long");
}

static bool check_value(struct row_check *c, int at, sqlite3_value *v)
{
    const struct limit *l = c->columns[at].limit;

    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER: return check_number(c, at, sqlite3_value_int64(v));
    case SQLITE_NULL: return !l || !l->needed || refuse(c, at, "is not there");
    case SQLITE_FLOAT:
        return !l || limit_allows_real(l, sqlite3_value_double(v)) ||
               refuse(c, at, "is no such number");
    case SQLITE_TEXT: return check_text(c, at, v);
    default: return refuse(c, at, "is neither number nor text");
    }
}

bool row_check_row(struct row_check *c, sqlite3_stmt *st)
{
    c->rows++;
    for (int i = 0; i < c->count && !c->broken; i++)
        (void)check_value(c, i, sqlite3_column_value(st, i));
    return !c->broken;
}

static bool is_plain(const struct row_check *c, int at, int type,
        int64_t number)
{
    if (type == SQLITE_NULL)
        return c->plain[at].may_lack;
    return type == SQLITE_INTEGER && number >= c->plain[at].least &&
           number <= c->plain[at].most;
}

bool row_check_values(struct row_check *c, struct row_values *v)
{
    c->rows++;
    for (int i = 0; i < c->count && !c->broken; i++) {
        int type = sqlite3_value_type(v->value[i]);

        v->has[i] = type != SQLITE_NULL;
        v->number[i] =
                type == SQLITE_INTEGER ? sqlite3_value_int64(v->value[i]) : 0;
        if (!is_plain(c, i, type, v->number[i]))
            (void)check_value(c, i, v->value[i]);
    }
    return !c->broken;
}

int row_check_end(const struct row_check *c, struct error *e)
{
    return c->broken ? fail(e, -EBADMSG, "%s", c->why.text) : 0;
}
