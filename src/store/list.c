/* list.c -- runs among a million, by what is asked of them.
 *
 * First the ids of one page are found, from indexes alone: where few runs
 * fulfil one of the conditions, these are looked at and sorted; else all runs,
 * or all of one label, are gone through in the order asked for, until the page
 * is full.  Then the rows of the page are read. */
#include "base/alloc.h"
#include "base/buf.h"
#include "store/row.h"

#include <stdlib.h>

/* Up to so many are looked at and sorted; of prompts, which lie in the rows
 * themselves, fewer. */
#define FEW         50000
#define FEW_PROMPTS 5000

#define CONDITIONS_MOST 40

/* What the parameters of all statements here are. */
enum {
    PARAMETER_GRAMS = 1,
    PARAMETER_PROMPT,
    PARAMETER_LIMIT,
    PARAMETER_OFFSET,
    PARAMETER_METRIC,
    PARAMETER_MODEL,
};

/* --- conditions ----------------------------------------------------------- */

struct condition {
    struct buf check; /* of a run "r", as SQL */
    struct buf ids;   /* a query for all that fulfil it, with their keys */
    bool repeats;     /* the ids may repeat */
    bool rough;       /* `ids` has more than those: they are checked, too */
    uint64_t few;     /* up to how many are few, */
    uint64_t count;   /* and how many there are; more than that: `few` + 1 */
};

struct search {
    struct store *store;
    const struct run_filter *filter;
    struct condition condition[CONDITIONS_MOST];
    size_t count;
    int64_t label;    /* one that all runs must have; 0: none */
    bool nothing;     /* a condition that no run fulfils */
    struct buf grams; /* what the prompt's text is looked up by */
    struct error *error;
};

static int64_t clip(uint64_t n)
{
    return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* NULL: there are too many. */
static struct condition *ask(struct search *x, uint64_t few)
{
    struct condition *c = &x->condition[x->count];

    if (x->count == CONDITIONS_MOST)
        return NULL;
    x->count++;
    c->few = few;
    return c;
}

static int prepare(struct search *x, sqlite3_stmt **st, const char *sql)
{
    const struct run_filter *f = x->filter;
    int rc = sqlite3_prepare_v2(x->store->db, sql, -1, st, NULL);

    if (rc)
        return store_failed(x->store, "search the runs", x->error);
    /* Those that the statement does not have are refused, and that is well. */
    store_bind_text(*st, PARAMETER_GRAMS, buf_cstr(&x->grams));
    store_bind_text(*st, PARAMETER_PROMPT, f->prompt);
    (void)sqlite3_bind_int64(*st, PARAMETER_LIMIT, clip(f->limit));
    (void)sqlite3_bind_int64(*st, PARAMETER_OFFSET, clip(f->offset));
    store_bind_text(*st, PARAMETER_METRIC, f->metric ? f->metric->name : NULL);
    store_bind_text(*st, PARAMETER_MODEL, f->model);
    return 0;
}

/* Counts those that fulfil it, as far as they are few. */
static int weigh(struct search *x, struct condition *c)
{
    struct buf sql = { 0 };
    sqlite3_stmt *st = NULL;

    buf_printf(&sql, "SELECT count(*) FROM (%s LIMIT %llu)", buf_cstr(&c->ids),
            (unsigned long long)c->few + 1);

    int rc = prepare(x, &st, buf_cstr(&sql));

    if (!rc && sqlite3_step(st) == SQLITE_ROW)
        c->count = row_u64(st, 0);
    if (sqlite3_finalize(st) != SQLITE_OK)
        rc = store_failed(x->store, "search the runs", x->error);
    buf_release(&sql);
    return rc;
}

#define KEYS "timestamp, duration_ns, total_energy_mj"

/* A label by its whole name. */
static int ask_label(struct search *x, const char *kind, struct str name)
{
    struct condition *c = ask(x, FEW);
    sqlite3_stmt *st = NULL;
    long long label = 0;
    int rc = sqlite3_prepare_v2(x->store->db,
            "SELECT id FROM labels WHERE kind = ?1 AND name = ?2", -1, &st,
            NULL);

    if (!rc) {
        store_bind_text(st, 1, kind);
        (void)sqlite3_bind_text(st, 2, name.p, (int)name.len, SQLITE_STATIC);
        if (sqlite3_step(st) == SQLITE_ROW)
            label = sqlite3_column_int64(st, 0);
    }
    if (sqlite3_finalize(st) != SQLITE_OK || rc)
        return store_failed(x->store, "search the runs", x->error);
    x->nothing |= !label;
    if (!c || !label)
        return 0;
    x->label = label;
    buf_printf(&c->check,
            "EXISTS (SELECT 1 FROM run_labels WHERE label = %lld"
            " AND run = r.id)",
            label);
    buf_printf(&c->ids,
            "SELECT run AS id, " KEYS " FROM run_labels WHERE label = %lld",
            label);
    return weigh(x, c);
}

/* Part of the path of a model: many labels may be meant. */
static int ask_model(struct search *x)
{
    struct condition *c = ask(x, FEW);

    if (!c)
        return 0;
    c->repeats = true;
    buf_text(&c->check,
            "EXISTS (SELECT 1 FROM run_labels x INDEXED BY run_labels_run"
            " CROSS JOIN labels l ON l.id = x.label WHERE x.run = r.id"
            " AND l.kind = 'model' AND instr(lower(l.name), lower(?6)))");
    buf_text(&c->ids,
            "SELECT x.run AS id, " KEYS " FROM labels l CROSS JOIN run_labels x"
            " ON x.label = l.id WHERE l.kind = 'model'"
            " AND instr(lower(l.name), lower(?6))");
    return weigh(x, c);
}

static int ask_labels(struct search *x)
{
    const struct run_filter *f = x->filter;
    int rc = f->model && *f->model ? ask_model(x) : 0;

    if (!rc && f->experiment)
        rc = ask_label(x, "experiment", str_of(f->experiment));
    for (struct str rest = str_of(f->tags ? f->tags : ""); rest.len && !rc;
            rest = str_after(rest, ',')) {
        struct str tag = str_trim(str_before(rest, ','));

        if (tag.len)
            rc = ask_label(x, "tag", tag);
    }
    return rc;
}

/* The end of the next three letters, or NULL when there are not so many; `next`
 * is the second letter. */
static const char *gram_end(const char *at, const char **next)
{
    for (int letters = 0; letters < 3; letters++) {
        if (!*at)
            return NULL;
        do
            at++;
        while (((unsigned char)*at & 0xc0) == 0x80);
        if (!letters)
            *next = at;
    }
    return at;
}

/* Three letters each, all of which the prompt has: "hel" AND "ell" AND ... */
static void make_grams(struct buf *out, const char *text)
{
    const char *next = NULL;

    for (const char *end; (end = gram_end(text, &next)); text = next) {
        buf_text(out, out->len ? " AND \"" : "\"");
        for (const char *c = text; c < end; c++) {
            if (*c == '"')
                buf_char(out, '"');
            buf_char(out, *c);
        }
        buf_char(out, '"');
    }
}

static int ask_prompt(struct search *x)
{
    if (!x->filter->prompt || !*x->filter->prompt)
        return 0;

    struct condition *c = ask(x, FEW_PROMPTS);

    if (!c)
        return 0;
    c->rough = true; /* only by its letters, not by their order */
    c->count = UINT64_MAX;
    buf_text(&c->check, "instr(lower((SELECT prompt FROM profiling_runs w"
                        " WHERE w.id = r.id)), lower(?2))");
    make_grams(&x->grams, x->filter->prompt);
    if (!x->grams.len)
        return 0; /* too short: only going through all will tell */
    buf_text(&c->ids,
            "SELECT k.id, " KEYS " FROM (SELECT rowid FROM prompts WHERE"
            " prompts MATCH ?1) p CROSS JOIN profiling_runs k"
            " INDEXED BY profiling_runs_keys ON k.id = p.rowid");
    return weigh(x, c);
}

static int ask_date(struct search *x)
{
    const struct run_filter *f = x->filter;
    struct condition *c;

    if (!f->from_wall_ns && !f->to_wall_ns)
        return 0;
    c = ask(x, FEW);
    if (!c)
        return 0;
    buf_printf(&c->check, "r.timestamp >= %llu AND r.timestamp < %llu",
            (unsigned long long)f->from_wall_ns,
            (unsigned long long)(f->to_wall_ns ? f->to_wall_ns : INT64_MAX));
    buf_printf(&c->ids, "SELECT id, " KEYS " FROM profiling_runs r WHERE %s",
            buf_cstr(&c->check));
    return weigh(x, c);
}

/* The condition that fewest fulfil; NULL: none that are few. */
static const struct condition *fewest(const struct search *x)
{
    const struct condition *best = NULL;

    for (size_t i = 0; i < x->count; i++) {
        const struct condition *c = &x->condition[i];

        if (c->count <= c->few && (!best || c->count < best->count))
            best = c;
    }
    return best;
}

/* --- the page ------------------------------------------------------------- */

/* The index that has the runs in that order, and the order's terms. */
static const struct {
    const char *index;
    const char *keys[3];
} orders[] = {
    [RUN_BY_DATE] = { "profiling_runs_timestamp",
            { "r.timestamp", "r.id", NULL } },
    [RUN_BY_DURATION] = { "profiling_runs_duration",
            { "r.duration_ns", "r.timestamp", "r.id" } },
    [RUN_BY_ENERGY] = { "profiling_runs_energy",
            { "r.total_energy_mj", "r.timestamp", "r.id" } },
};

static void order_by(struct buf *sql, const struct run_filter *f)
{
    for (size_t i = 0; i < 3 && orders[f->order].keys[i]; i++)
        buf_printf(sql, "%s %s%s", i ? "," : " ORDER BY",
                orders[f->order].keys[i], f->ascending ? "" : " DESC");
}

/* The ids of the page. */
static void page_sql(struct buf *sql, const struct search *x)
{
    const struct condition *few = fewest(x);

    buf_text(sql, "SELECT r.id AS id FROM ");
    if (few)
        buf_printf(sql, "(%s%s%s) r",
                few->repeats ? "SELECT DISTINCT * FROM (" : "",
                buf_cstr(&few->ids), few->repeats ? ")" : "");
    else if (x->label && x->filter->order == RUN_BY_DATE)
        buf_printf(sql,
                "(SELECT run AS id, timestamp FROM run_labels"
                " INDEXED BY run_labels_date WHERE label = %lld) r",
                (long long)x->label);
    else
        buf_printf(sql, "profiling_runs r INDEXED BY %s",
                orders[x->filter->order].index);
    buf_text(sql, " WHERE 1");
    for (size_t i = 0; i < x->count; i++)
        if (&x->condition[i] != few || few->rough)
            buf_printf(sql, " AND %s", buf_cstr(&x->condition[i].check));
    order_by(sql, x->filter);
    buf_text(sql, " LIMIT ?3 OFFSET ?4");
}

static void rows_sql(struct buf *sql, const struct search *x)
{
    buf_text(sql, "SELECT " ROW_RUN_COLUMNS ","
                  " ifnull(r.inferences, (SELECT count(*) FROM inferences"
                  "  WHERE run = r.id)),"
                  " ifnull(r.failed, (SELECT count(*) FROM inferences"
                  "  WHERE run = r.id AND flags & 1)),"
                  " (SELECT group_concat(name, char(10)) FROM (SELECT name"
                  "  FROM run_labels JOIN labels ON labels.id = label"
                  "  WHERE run = r.id AND kind = 'model' ORDER BY label)),"
                  " (SELECT value FROM run_figures WHERE run = r.id"
                  "  AND metric = (SELECT id FROM metrics WHERE name = ?5))"
                  " FROM (");
    page_sql(sql, x);
    buf_text(sql, ") p CROSS JOIN profiling_runs r ON r.id = p.id");
    order_by(sql, x->filter);
}

struct each_line {
    void (*call)(void *, const struct run_line *);
    void *context;
};

static void line_row(sqlite3_stmt *st, const struct each_line *each)
{
    struct run r = row_run(st);
    const char *models = row_text(st, ROW_RUN_COUNT + 2);

    each->call(each->context,
            &(struct run_line){
                    .run = &r,
                    .inferences = row_u64(st, ROW_RUN_COUNT),
                    .failed = row_u64(st, ROW_RUN_COUNT + 1),
                    .models = models ? models : "",
                    .has_value = row_has(st, ROW_RUN_COUNT + 3),
                    .value = sqlite3_column_double(st, ROW_RUN_COUNT + 3),
            });
}

static int read_page(struct search *x, const struct each_line *each)
{
    struct buf sql = { 0 };
    sqlite3_stmt *st = NULL;

    rows_sql(&sql, x);

    int rc = prepare(x, &st, buf_cstr(&sql));

    while (!rc && sqlite3_step(st) == SQLITE_ROW)
        line_row(st, each);
    if (sqlite3_finalize(st) != SQLITE_OK)
        rc = store_failed(x->store, "read the runs", x->error);
    buf_release(&sql);
    return rc;
}

int store_list_runs(struct store *s, const struct run_filter *f,
        void (*each)(void *context, const struct run_line *l), void *context,
        struct error *e)
{
    struct search *x = alloc_zero(1, sizeof(*x));
    int rc;

    x->store = s;
    x->filter = f;
    x->error = e;
    rc = ask_labels(x);
    if (!rc && !x->nothing)
        rc = ask_prompt(x);
    if (!rc && !x->nothing)
        rc = ask_date(x);
    if (!rc && !x->nothing)
        rc = read_page(x, &(struct each_line){ each, context });
    for (size_t i = 0; i < x->count; i++) {
        buf_release(&x->condition[i].check);
        buf_release(&x->condition[i].ids);
    }
    buf_release(&x->grams);
    free(x);
    return rc;
}
