#include "store/search.h"

#include "base/compiler.h"
#include "base/json.h"
#include "store/row.h"

/* Up to so many are looked at and sorted; of prompts, which lie in the rows
 * themselves, fewer. */
#define FEW         50000
#define FEW_PROMPTS 5000
#define VERY_FEW    1000

/* What the parameters of all statements here are. */
enum {
    PARAMETER_GRAMS = 1,
    PARAMETER_PROMPT,
    PARAMETER_LIMIT,
    PARAMETER_OFFSET,
    PARAMETER_METRIC,
    PARAMETER_MODEL,
    PARAMETER_FOUND,
    PARAMETER_HOST,
    PARAMETER_TEXT,
    PARAMETER_TAGS,
};

static int64_t clip(uint64_t n)
{
    return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* NULL: there are too many. */
static struct condition *ask(struct search *x, uint64_t few)
{
    struct condition *c = &x->condition[x->count];

    if (x->count == CONDITIONS_MAX)
        return NULL;
    x->count++;
    c->few = few;
    return c;
}

int search_prepare(struct search *x, sqlite3_stmt **st, const char *sql)
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
    store_bind_text(*st, PARAMETER_FOUND, buf_cstr(&x->found));
    store_bind_text(*st, PARAMETER_HOST, f->host);
    store_bind_text(*st, PARAMETER_TEXT, f->text);
    store_bind_text(*st, PARAMETER_TAGS, buf_cstr(&x->tags));
    return 0;
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
    c->keys = "SELECT run AS id, " KEYS;
    buf_printf(&c->from, " FROM run_labels WHERE label = %lld", label);
    return 0;
}

/* Part of the path of a model: many labels may be meant. */
static void ask_model(struct search *x)
{
    struct condition *c = ask(x, FEW);

    if (!c)
        return;
    c->repeats = true;
    buf_text(&c->check,
            "EXISTS (SELECT 1 FROM run_labels x INDEXED BY run_labels_run"
            " WHERE x.run = r.id AND +x.label IN (SELECT id FROM labels"
            " WHERE kind = 'model' AND instr(lower(name), lower(?6))))");
    c->keys = "SELECT x.run AS id, " KEYS;
    buf_text(&c->from,
            " FROM labels l CROSS JOIN run_labels x ON x.label = l.id"
            " WHERE l.kind = 'model' AND instr(lower(l.name), lower(?6))");
}

static int ask_labels(struct search *x)
{
    const struct run_filter *f = x->filter;
    int rc = 0;

    if (f->model && *f->model)
        ask_model(x);
    if (f->experiment)
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

/* Looking letters up is dear, so what was found is kept for the page. */
static int find_prompts(struct search *x, struct condition *c)
{
    sqlite3_stmt *st = NULL;
    int rc = search_prepare(x, &st,
            "SELECT rowid FROM prompts WHERE prompts MATCH ?1");

    c->count = 0;
    while (!rc && c->count <= c->few && sqlite3_step(st) == SQLITE_ROW)
        buf_printf(&x->found, "%s%lld", c->count++ ? "," : "[",
                (long long)sqlite3_column_int64(st, 0));
    buf_text(&x->found, c->count ? "]" : "[]");
    if (sqlite3_finalize(st) != SQLITE_OK)
        rc = store_failed(x->store, "search the runs", x->error);
    return rc;
}

static int ask_prompt(struct search *x)
{
    if (!x->filter->prompt || !*x->filter->prompt)
        return 0;

    struct condition *c = ask(x, FEW_PROMPTS);

    if (!c)
        return 0;
    c->rough = true; /* only by its letters, not by their order */
    c->counted = true;
    c->count = UINT64_MAX;
    buf_text(&c->check, "instr(lower((SELECT prompt FROM profiling_runs w"
                        " WHERE w.id = r.id)), lower(?2))");
    make_grams(&x->grams, x->filter->prompt);
    if (!x->grams.len)
        return 0; /* too short: only going through all will tell */
    c->keys = "SELECT k.id, " KEYS;
    buf_text(&c->from, " FROM json_each(?7) p CROSS JOIN profiling_runs k"
                       " INDEXED BY profiling_runs_keys ON k.id = p.value");
    return find_prompts(x, c);
}

static void ask_date(struct search *x)
{
    const struct run_filter *f = x->filter;
    struct condition *c;

    if (!f->from_wall_ns && !f->to_wall_ns)
        return;
    c = ask(x, FEW);
    if (!c)
        return;
    buf_printf(&c->check, "r.timestamp >= %llu AND r.timestamp < %llu",
            (unsigned long long)f->from_wall_ns,
            (unsigned long long)(f->to_wall_ns ? f->to_wall_ns : INT64_MAX));
    c->keys = "SELECT id, " KEYS;
    buf_printf(&c->from, " FROM profiling_runs r WHERE %s",
            buf_cstr(&c->check));
}

/* A condition that runs are only checked by, as they are gone through. */
static struct condition *ask_check(struct search *x, const char *check)
{
    struct condition *c = ask(x, FEW);

    if (!c)
        return NULL;
    c->counted = true;
    c->count = UINT64_MAX;
    buf_text(&c->check, check);
    return c;
}

#define OTHER(what) "(SELECT " what " FROM profiling_runs w WHERE w.id = r.id)"

static void ask_text(struct search *x)
{
    (void)ask_check(x,
            "(instr(" OTHER("run_id") ", lower(?9)) OR instr(lower(" OTHER(
                    "command") "), lower(?9)) OR EXISTS (SELECT 1 FROM"
                               " run_labels x JOIN labels l ON l.id = x.label"
                               " WHERE x.run = r.id AND l.kind IN ('tag',"
                               " 'model') AND instr(lower(l.name),"
                               " lower(?9))))");
}

/* Every part is part of some tag; the parts go as a JSON array. */
static void ask_tag_parts(struct search *x)
{
    struct json j = json_line_into(&x->tags);

    json_array(&j, NULL);
    for (struct str rest = str_of(x->filter->tag_parts); rest.len;
            rest = str_after(rest, ','))
        json_str(&j, NULL, str_trim(str_before(rest, ',')));
    json_end(&j);
    (void)ask_check(x, "NOT EXISTS (SELECT 1 FROM json_each(?10) t WHERE NOT"
                       " EXISTS (SELECT 1 FROM run_labels x JOIN labels l"
                       " ON l.id = x.label WHERE x.run = r.id"
                       " AND l.kind = 'tag' AND instr(lower(l.name),"
                       " lower(t.value))))");
}

static void ask_others(struct search *x)
{
    const struct run_filter *f = x->filter;
    struct condition *c;

    if (f->row && (c = ask_check(x, "")))
        buf_printf(&c->check, "r.id = %lld", (long long)f->row);
    if (f->has_status && (c = ask_check(x, "")))
        buf_printf(&c->check, OTHER("status") " = %d", (int)f->status);
    if (f->host)
        (void)ask_check(x,
                "instr(lower((SELECT json_extract(info, '$.hostname')"
                " FROM hosts WHERE hosts.id = " OTHER("host_id") ")),"
                                                                 " lower(?8))");
    if (f->text)
        ask_text(x);
    if (f->tag_parts)
        ask_tag_parts(x);
}

/* Counts those that fulfil it, up to one more than `most`. */
static int count_up_to(struct search *x, struct condition *c, uint64_t most)
{
    struct buf sql = { 0 };
    sqlite3_stmt *st = NULL;

    /* Without the keys: SQLite would put them together for each. */
    buf_printf(&sql, "SELECT count(*) FROM (SELECT 1%s LIMIT %llu)",
            buf_cstr(&c->from), (unsigned long long)most + 1);

    int rc = search_prepare(x, &st, buf_cstr(&sql));

    if (!rc && sqlite3_step(st) == SQLITE_ROW)
        c->count = row_u64(st, 0);
    if (sqlite3_finalize(st) != SQLITE_OK)
        rc = store_failed(x->store, "search the runs", x->error);
    buf_release(&sql);
    return rc;
}

/* A condition that very few fulfil makes it needless to count the others. */
static int weigh(struct search *x)
{
    static const uint64_t stages[] = { VERY_FEW, FEW };
    bool found = false;
    int rc = 0;

    for (size_t n = 0; n < LEN(stages) && !found; n++)
        for (size_t i = 0; i < x->count && !rc; i++) {
            struct condition *c = &x->condition[i];

            if (!c->counted)
                rc = count_up_to(x, c, stages[n]);
            found |= c->count <= VERY_FEW;
        }
    return rc;
}

const struct condition *search_fewest(const struct search *x)
{
    const struct condition *best = NULL;

    for (size_t i = 0; i < x->count; i++) {
        const struct condition *c = &x->condition[i];

        if (c->count <= c->few && (!best || c->count < best->count))
            best = c;
    }
    return best;
}

int search_ask(struct search *x)
{
    int rc = ask_labels(x);

    if (!rc && !x->nothing)
        rc = ask_prompt(x);
    ask_date(x);
    ask_others(x);
    return rc || x->nothing ? rc : weigh(x);
}

void search_release(struct search *x)
{
    for (size_t i = 0; i < x->count; i++) {
        buf_release(&x->condition[i].check);
        buf_release(&x->condition[i].from);
    }
    buf_release(&x->grams);
    buf_release(&x->found);
    buf_release(&x->tags);
}
