/* fetch_list.c -- those of many runs that are to be listed. */
#include "fleet/fetch.h"
#include "fleet/fetch_copy.h"

#include <errno.h>

/* The server is asked about so many runs at a time. */
#define RUNS_AT_ONCE 1000

/* A condition `before` 'text' `behind`. */
static void add_condition(struct buf *out, const char *before, struct str text,
        const char *behind)
{
    buf_printf(out, " AND %s", before);
    clickhouse_quote(out, text);
    buf_text(out, behind);
}

static void add_filter(struct buf *out, const struct run_filter *f)
{
    buf_printf(out, " WHERE `timestamp` >= %llu",
            (unsigned long long)f->from_wall_ns);
    if (f->to_wall_ns)
        buf_printf(out, " AND `timestamp` < %llu",
                (unsigned long long)f->to_wall_ns);
    if (f->has_status)
        buf_printf(out, " AND `status` = %d", (int)f->status);
    if (f->experiment)
        add_condition(out, "`experiment_name` = ", str_of(f->experiment), "");
    if (f->prompt)
        add_condition(out, "positionCaseInsensitiveUTF8(ifNull(`prompt`, ''), ",
                str_of(f->prompt), ") > 0");
    if (f->model) /* GLOBAL: of all shards, to all shards */
        add_condition(out,
                "`run_id` GLOBAL IN (SELECT `run_id` FROM `sessions` WHERE "
                "positionCaseInsensitiveUTF8(ifNull(`model`, ''), ",
                str_of(f->model), ") > 0)");
    for (struct str rest = str_of(f->tags ? f->tags : ""); rest.len;
            rest = str_after(rest, ',')) {
        struct str tag = str_trim(str_before(rest, ','));

        if (tag.len)
            add_condition(out,
                    "has(splitByChar(',', replaceRegexpAll(ifNull(`tags`, ''),"
                    " ' *, *', ',')), ",
                    tag, ")");
    }
}

/* What the server cannot be asked, as the store asks it: then all others are
 * brought, and the store finds those that are meant. */
static bool is_for_store(const struct run_filter *f)
{
    return f->tag_parts || f->host || f->text;
}

static void add_order(struct buf *out, const struct run_filter *f)
{
    static const char *const columns[] = {
        [RUN_BY_DATE] = "timestamp",
        [RUN_BY_DURATION] = "duration_ns",
        [RUN_BY_ENERGY] = "total_energy_mj",
    };

    const char *way = f->ascending ? "ASC" : "DESC";
    uint64_t count = f->limit > UINT64_MAX - f->offset ? UINT64_MAX
                                                       : f->offset + f->limit;

    if (is_for_store(f))
        count = UINT32_MAX;
    buf_printf(out,
            " ORDER BY `%s` %s NULLS LAST, `timestamp` %s, `run_id` LIMIT "
            "%llu",
            columns[f->order], way, way, (unsigned long long)count);
}

struct ids {
    struct fetch_copy *copying;
    struct buf list;   /* 'id', 'id' ... */
    struct buf unsure; /* those of them that do not tell their inferences */
    size_t count;
    struct error *e;
    int rc;
};

/* Runs that have ended know how many inferences they had; of the others, the
 * server counts what has come. */
static int count_inferences(struct ids *ids)
{
    struct fetch_copy *x = ids->copying;
    struct buf sql = { 0 }, answer = { 0 };
    struct str rest, line;

    if (!ids->unsure.len)
        return 0;
    buf_printf(&sql,
            "SELECT `run_id`, count(), countIf(bitAnd(`flags`, 1) = 1) FROM "
            "`inferences` FINAL WHERE `run_id` IN (%s) GROUP BY `run_id`",
            buf_cstr(&ids->unsure));

    int rc = clickhouse_run(x->clickhouse, buf_cstr(&sql), &answer, ids->e);

    rest = buf_str(&answer);
    while (!rc && str_line(&line, &rest)) {
        struct str counts = str_after(line, '\t');
        uint64_t count = 0, failed = 0;

        if (str_u64(&count, str_before(counts, '\t')) ||
                str_u64(&failed, str_after(counts, '\t')))
            continue;
        rc = store_count_copied(x->store, str_before(line, '\t'), count, failed,
                ids->e);
    }
    buf_release(&sql);
    buf_release(&answer);
    return rc;
}

/* What `list` shows of runs beside themselves. */
static void copy_listed(struct ids *ids)
{
    static const char *const names[] = { "pipeline_sections", "run_figures",
        "sessions", NULL };
    struct fetch_copy *x = ids->copying;

    if (ids->count && !ids->rc) {
        buf_clear(&x->where);
        buf_printf(&x->where, " WHERE `run_id` IN (%s)", buf_cstr(&ids->list));
        ids->rc = fetch_copy_others(x, names, ids->e);
        if (!ids->rc)
            ids->rc = count_inferences(ids);
    }
    buf_clear(&ids->list);
    buf_clear(&ids->unsure);
    ids->count = 0;
}

static void take_id(void *to, const struct run_line *l)
{
    struct ids *ids = to;

    bool sure = l->run->status == RUN_COMPLETE ||
                l->run->status == RUN_KILLED ||
                l->run->status == RUN_INTERRUPTED;

    buf_printf(&ids->list, "%s'%s'", ids->count ? ", " : "", l->run->id);
    if (!sure)
        buf_printf(&ids->unsure, "%s'%s'", ids->unsure.len ? ", " : "",
                l->run->id);
    if (++ids->count == RUNS_AT_ONCE)
        copy_listed(ids);
}

int fetch_runs(struct store **out, struct clickhouse *c,
        const struct run_filter *f, struct error *e)
{
    struct fetch_copy x = { 0 };
    struct ids ids = { .copying = &x, .e = e };
    struct buf order = { 0 };
    int rc = fetch_copy_open(&x, c, e);

    if (!rc) {
        add_filter(&x.where, f);
        add_order(&order, f);
        rc = fetch_copy_runs(&x, buf_cstr(&order), e);
    }
    if (!rc)
        rc = store_list_runs(x.store,
                &(struct run_filter){ .limit = INT64_MAX }, take_id, &ids, e);
    if (!rc) {
        copy_listed(&ids);
        rc = ids.rc;
    }
    if (!rc)
        rc = store_end_copy(x.store, e);
    fetch_copy_end(&x, rc, out);
    buf_release(&ids.list);
    buf_release(&ids.unsure);
    buf_release(&order);
    return rc;
}

int fetch_count_runs(uint64_t *count, struct clickhouse *c, struct store *runs,
        const struct run_filter *f, struct error *e)
{
    struct buf sql = { 0 }, answer = { 0 };
    int rc;

    if (is_for_store(f))
        return store_count_runs(runs, f, count, e);
    buf_text(&sql, "SELECT count() FROM `profiling_runs` FINAL");
    add_filter(&sql, f);
    rc = clickhouse_run(c, buf_cstr(&sql), &answer, e);
    if (!rc && str_u64(count, str_trim(buf_str(&answer))))
        rc = fail(e, -EPROTO, "%s does not count", clickhouse_address(c)->name);
    buf_release(&sql);
    buf_release(&answer);
    return rc;
}
