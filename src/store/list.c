/* list.c -- runs among a million, by what is asked of them.
 *
 * First the ids of one page are found, from indexes alone: where few runs
 * fulfil one of the conditions, these are looked at and sorted; else all runs,
 * or all of one label, are gone through in the order asked for, until the page
 * is full.  Then the rows of the page are read. */
#include "base/buf.h"
#include "store/row.h"

#include <limits.h>

/* Up to so many are looked at and sorted; of prompts, which lie in the rows
 * themselves, fewer. */
#define FEW         200000
#define FEW_PROMPTS 5000

/* --- conditions ----------------------------------------------------------- */

/* A kind of label, and the text that says which. */
struct asked_label {
    const char *kind;
    const char *which; /* ?1 is the kind, ?2 the text */
    struct str text;
};

struct search {
    struct store *store;
    const struct run_filter *filter;
    struct buf checks;     /* " AND ..." for every condition */
    struct buf candidates; /* of the condition that fewest fulfil */
    uint64_t fewest;       /* how many that is; UINT64_MAX: none is few */
    struct buf label;      /* the number of a label that all must have */
    bool nothing;          /* a condition that no run fulfils */
    struct buf grams;      /* what the prompt's text is looked up by */
    struct error *error;
};

/* Takes the ids for candidates if they are fewer than those so far.  `ids` is
 * a query that may have the text of the grams as ?1. */
static int weigh(struct search *x, const char *ids, bool distinct, uint64_t few)
{
    struct buf sql = { 0 };
    sqlite3_stmt *st = NULL;
    uint64_t count = UINT64_MAX;

    buf_printf(&sql, "SELECT count(*) FROM (%s LIMIT %llu)", ids,
            (unsigned long long)few + 1);

    int rc = sqlite3_prepare_v2(x->store->db, buf_cstr(&sql), -1, &st, NULL);

    if (!rc && x->grams.len)
        store_bind_text(st, 1, buf_cstr(&x->grams));
    if (!rc && sqlite3_step(st) == SQLITE_ROW)
        count = row_u64(st, 0);
    if (sqlite3_finalize(st) != SQLITE_OK || rc)
        rc = store_failed(x->store, "search the runs", x->error);
    if (!rc && count <= few && count < x->fewest) {
        x->fewest = count;
        buf_clear(&x->candidates);
        buf_printf(&x->candidates,
                distinct ? "SELECT DISTINCT * FROM (%s)" : "%s", ids);
    }
    buf_release(&sql);
    return rc;
}

/* The numbers of the labels that are meant: "3,17". */
static int find_labels(struct search *x, const struct asked_label *l,
        struct buf *out, size_t *count)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(x->store->db, l->which, -1, &st, NULL);

    if (!rc) {
        store_bind_text(st, 1, l->kind);
        (void)sqlite3_bind_text(st, 2, l->text.p, (int)l->text.len,
                SQLITE_STATIC);
    }
    for (; !rc && sqlite3_step(st) == SQLITE_ROW; (*count)++)
        buf_printf(out, "%s%lld", out->len ? "," : "",
                (long long)sqlite3_column_int64(st, 0));
    if (sqlite3_finalize(st) != SQLITE_OK || rc)
        return store_failed(x->store, "search the runs", x->error);
    return 0;
}

static int ask_label(struct search *x, const struct asked_label *l)
{
    struct buf numbers = { 0 }, ids = { 0 };
    size_t count = 0;
    int rc = find_labels(x, l, &numbers, &count);

    if (!rc && !count)
        x->nothing = true;
    if (!rc && count) {
        buf_printf(&x->checks,
                " AND EXISTS (SELECT 1 FROM run_labels INDEXED BY"
                " run_labels_run WHERE run = r.id AND label IN (%s))",
                buf_cstr(&numbers));
        buf_printf(&ids,
                "SELECT run AS id, timestamp, duration_ns, total_energy_mj"
                " FROM run_labels WHERE label IN (%s)",
                buf_cstr(&numbers));
        if (count == 1 && !x->label.len)
            buf_text(&x->label, buf_cstr(&numbers));
        rc = weigh(x, buf_cstr(&ids), count > 1, FEW);
    }
    buf_release(&numbers);
    buf_release(&ids);
    return rc;
}

#define EXACTLY "SELECT id FROM labels WHERE kind = ?1 AND name = ?2"
#define PARTLY                                  \
    "SELECT id FROM labels WHERE kind = ?1 AND" \
    " instr(lower(name), lower(?2))"

static int ask_labels(struct search *x)
{
    const struct run_filter *f = x->filter;
    int rc = 0;

    if (f->model)
        rc = ask_label(x,
                &(struct asked_label){ "model", PARTLY, str_of(f->model) });
    if (!rc && f->experiment)
        rc = ask_label(x, &(struct asked_label){ "experiment", EXACTLY,
                                  str_of(f->experiment) });
    for (struct str rest = str_of(f->tags ? f->tags : ""); rest.len && !rc;
            rest = str_after(rest, ',')) {
        struct str tag = str_trim(str_before(rest, ','));

        if (tag.len)
            rc = ask_label(x, &(struct asked_label){ "tag", EXACTLY, tag });
    }
    return rc;
}

/* The first of the next three letters' end, or NULL when there are not so
 * many; `next` is the second letter. */
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
    buf_text(&x->checks, " AND instr(lower((SELECT prompt FROM profiling_runs w"
                         " WHERE w.id = r.id)), lower(?2))");
    make_grams(&x->grams, x->filter->prompt);
    if (!x->grams.len)
        return 0; /* too short: only going through all will tell */
    return weigh(x,
            "SELECT k.id, k.timestamp, k.duration_ns, k.total_energy_mj"
            " FROM (SELECT rowid FROM prompts WHERE prompts MATCH ?1) p"
            " CROSS JOIN profiling_runs k INDEXED BY profiling_runs_keys"
            " ON k.id = p.rowid",
            false, FEW_PROMPTS);
}

static int ask_date(struct search *x)
{
    const struct run_filter *f = x->filter;
    struct buf ids = { 0 }, range = { 0 };

    if (f->from_wall_ns)
        buf_printf(&range, " AND r.timestamp >= %llu",
                (unsigned long long)f->from_wall_ns);
    if (f->to_wall_ns)
        buf_printf(&range, " AND r.timestamp < %llu",
                (unsigned long long)f->to_wall_ns);
    if (!range.len)
        return 0;
    buf_text(&x->checks, buf_cstr(&range));
    buf_printf(&ids,
            "SELECT id, timestamp, duration_ns, total_energy_mj"
            " FROM profiling_runs r WHERE 1%s",
            buf_cstr(&range));

    int rc = weigh(x, buf_cstr(&ids), false, FEW);

    buf_release(&ids);
    buf_release(&range);
    return rc;
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

/* The ids of the page.  ?1: grams, ?2: the prompt's text, ?3 and ?4: how many,
 * after how many. */
static void page_sql(struct buf *sql, const struct search *x)
{
    buf_text(sql, "SELECT r.id AS id FROM ");
    if (x->fewest != UINT64_MAX)
        buf_printf(sql, "(%s) r", buf_cstr(&x->candidates));
    else if (x->label.len && x->filter->order == RUN_BY_DATE)
        buf_printf(sql,
                "(SELECT run AS id, timestamp FROM run_labels"
                " INDEXED BY run_labels_date WHERE label = %s) r",
                buf_cstr(&x->label));
    else
        buf_printf(sql, "profiling_runs r INDEXED BY %s",
                orders[x->filter->order].index);
    buf_printf(sql, " WHERE 1%s", buf_cstr(&x->checks));
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

static int clip(uint64_t n)
{
    return n > INT_MAX ? INT_MAX : (int)n;
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
    const struct run_filter *f = x->filter;
    struct buf sql = { 0 };
    sqlite3_stmt *st = NULL;

    rows_sql(&sql, x);

    int rc = sqlite3_prepare_v2(x->store->db, buf_cstr(&sql), -1, &st, NULL);

    if (!rc) {
        store_bind_text(st, 1, buf_cstr(&x->grams));
        store_bind_text(st, 2, f->prompt);
        (void)sqlite3_bind_int(st, 3, clip(f->limit));
        (void)sqlite3_bind_int(st, 4, clip(f->offset));
        store_bind_text(st, 5, f->metric ? f->metric->name : NULL);
    }
    while (!rc && sqlite3_step(st) == SQLITE_ROW)
        line_row(st, each);
    if (sqlite3_finalize(st) != SQLITE_OK || rc)
        rc = store_failed(x->store, "read the runs", x->error);
    buf_release(&sql);
    return rc;
}

int store_list_runs(struct store *s, const struct run_filter *f,
        void (*each)(void *context, const struct run_line *l), void *context,
        struct error *e)
{
    struct search x = {
        .store = s,
        .filter = f,
        .fewest = UINT64_MAX,
        .error = e,
    };
    int rc = ask_labels(&x);

    if (!rc && !x.nothing)
        rc = ask_prompt(&x);
    /* In the order of the date, its index finds the range by itself. */
    if (!rc && !x.nothing)
        rc = ask_date(&x);
    if (!rc && !x.nothing)
        rc = read_page(&x, &(struct each_line){ each, context });
    buf_release(&x.checks);
    buf_release(&x.candidates);
    buf_release(&x.label);
    buf_release(&x.grams);
    return rc;
}
