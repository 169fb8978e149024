/* runs.c -- /api/profiling: the list of runs, one of them, its export, what
 * changes it. */
#include "analyse/generation/pipeline.h"
#include "base/alloc.h"
#include "base/json_read.h"
#include "export/formats.h"
#include "export/json/json_depth.h"
#include "export/json/pipeline_json.h"
#include "export/json/row_json.h"
#include "export/table/tables.h"
#include "push/gzip.h"
#include "serve/answer/fleet_runs.h"
#include "serve/answer/run_about.h"
#include "serve/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LIST_USUAL 100

/* --- the list ------------------------------------------------------------- */

struct listing {
    struct json *json;
    struct store *store;
    const struct metric *metric;
};

static void take_line(void *to, const struct run_line *l)
{
    struct listing *x = to;

    json_object(x->json, NULL);
    run_members(x->json, x->store, l, false);
    if (x->metric) {
        json_object(x->json, "figures");
        if (l->has_value)
            json_real(x->json, x->metric->name, l->value);
        json_end(x->json);
    }
    json_end(x->json);
}

static int status_of(const char *name)
{
    for (int i = 0; i <= RUN_STATUS_LAST; i++)
        if (strcmp(run_status_name((enum run_status)i), name) == 0)
            return i;
    return 0;
}

static void read_filter(struct call *c, struct run_filter *f)
{
    const struct moment *from = query_moment(c, "date_from");
    const struct moment *to = query_moment(c, "date_to");
    const char *sort = query_text(c, "sort_by"),
               *status = query_text(c, "status");

    *f = (struct run_filter){
        .model = query_text(c, "model"),
        .tag_parts = query_text(c, "tags"),
        .experiment = query_text(c, "experiment"),
        .prompt = query_text(c, "prompt"),
        .host = query_text(c, "host"),
        .text = query_text(c, "q"),
        .has_status = status != NULL,
        .limit = (uint64_t)query_number(c, "limit", LIST_USUAL),
        .offset = (uint64_t)query_number(c, "offset", 0),
        .ascending = query_given(c, "order") &&
                     strcmp(query_text(c, "order"), "asc") == 0,
        .order = !sort || strcmp(sort, "date") == 0 ? RUN_BY_DATE
                 : strcmp(sort, "duration") == 0    ? RUN_BY_DURATION
                                                    : RUN_BY_ENERGY,
    };
    if (status)
        f->status = (enum run_status)status_of(status);
    if (from)
        f->from_wall_ns = from->ns;
    if (to) /* to the end of that day, or that moment included */
        f->to_wall_ns = to->ns + (to->whole_day ? UINT64_C(86400000000000) : 1);
}

void answer_runs(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    const char *figure = query_text(c, "figures");
    struct listing x = { &j, c->store, NULL };
    struct run_filter f;
    struct error e;
    uint64_t total = 0;

    read_filter(c, &f);
    if (figure && !(f.metric = metric_find(str_of(figure)))) {
        answer_problem(a, 400, "bad_parameter", "figures",
                "figures must be a metric of a run");
        return;
    }
    x.metric = f.metric;

    bool fleet = c->server->plan.fleet != NULL;
    int rc = fleet ? fleet_list(c, &f, &x.store, &total, &e)
                   : store_count_runs(c->store, &f, &total, &e);

    json_object(&j, NULL);
    json_array(&j, "runs");
    if (!rc)
        rc = store_list_runs(x.store, &f, take_line, &x, &e);
    json_end(&j);
    if (fleet)
        store_close(x.store);
    json_u64(&j, "total", total);
    json_u64(&j, "limit", f.limit);
    json_u64(&j, "offset", f.offset);
    json_end(&j);
    if (rc)
        answer_failed(a, &e);
}

/* --- one run, nested ------------------------------------------------------ */

struct nested {
    struct json *json;
    struct json_depth depth;
    const struct table *table;
    struct column columns[ROW_COLUMNS_MAX];
};

/* EP calls the number of a row its id; what the vocabulary has is another. */
static void rename_columns(struct nested *n)
{
    const struct row_type *t = n->table->type;

    memcpy(n->columns, t->columns, t->count * sizeof(*t->columns));
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(n->columns[i].name, "number") == 0)
            n->columns[i].name = "id";
        if (n->table == &token_table &&
                strcmp(n->columns[i].name, "token_id") == 0)
            n->columns[i].name = "vocabulary_id";
    }
}

static void take_row(void *to, const struct cell *cells)
{
    struct nested *n = to;

    json_object(n->json, NULL);
    row_json(n->json, n->columns, n->table->type->count, cells);
    if (n->table == &token_table)
        json_depth_layers(&n->depth, n->json, (uint64_t)cells[0].number);
    json_end(n->json);
}

void answer_run(struct call *c, struct answer *a)
{
    static const struct table *const parts[] = { &power_sample_table,
        &section_table, &token_table };
    struct json j = json_line_into(&a->body);
    struct nested n = { .json = &j };
    struct run_about r;
    struct error e;

    if (run_of_path(c, a, &r))
        return;
    json_object(&j, NULL);

    int rc = json_depth_read(&n.depth, c->store, r.row, &e);

    if (!rc && query_lists(c, "parts", "run"))
        rc = run_row_json(&j, "run", c->store, r.row, true, &e);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !rc; i++) {
        n.table = parts[i];
        if (!query_lists(c, "parts", n.table->type->name))
            continue;
        rename_columns(&n);
        json_array(&j, n.table->type->name);
        rc = table_each_row(n.table, c->store, r.row, take_row, &n, &e);
        json_end(&j);
    }
    json_end(&j);
    json_depth_release(&n.depth);
    if (rc)
        answer_failed(a, &e);
}

void answer_pipeline(struct call *c, struct answer *a)
{
    struct run_about r;
    struct pipeline p;
    struct error e;

    if (run_of_path(c, a, &r))
        return;

    int rc = pipeline_read(&p, c->store, r.row, &e);

    if (rc == -ENOENT) {
        answer_problem(a, 404, "no_pipeline", NULL,
                "the program marked no sections");
    } else if (rc) {
        answer_failed(a, &e);
    } else {
        pipeline_json(&a->body, &p, r.id);
        pipeline_release(&p);
    }
}

/* --- export --------------------------------------------------------------- */

static const struct export_shape *shape_of(const struct export_format *f,
        const char *name)
{
    for (const struct export_shape *x = f->shapes; x && x->name; x++)
        if (strcmp(x->name, name) == 0)
            return x;
    return NULL;
}

static const char *type_of(const struct export_format *f)
{
    static const struct {
        const char *ending, *type;
    } types[] = {
        { ".json", "application/json" },
        { ".csv", "text/csv; charset=utf-8" },
        { ".jsonl", "application/jsonl" },
        { ".md", "text/markdown; charset=utf-8" },
        { ".html", "text/html; charset=utf-8" },
        { ".xml", "application/xml" },
        { ".prom", "text/plain; charset=utf-8" },
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i].ending, f->ending) == 0)
            return types[i].type;
    return "application/octet-stream";
}

static int write_export(struct call *c, struct answer *a, struct sink *to,
        const struct export_format *f, int64_t row, struct error *e)
{
    const char *table = query_text(c, "table"), *shape = query_text(c, "shape");
    const struct export_shape *x = shape ? shape_of(f, shape) : NULL;
    const struct table *t = table ? table_find(table) : NULL;

    if (shape && !x)
        answer_problem(a, 400, "bad_parameter", "shape",
                "shape must be one that the format has");
    else if (table && (!t || !f->write_table))
        answer_problem(a, 400, "bad_parameter", "table",
                "table must be one of a run's, in a format with tables");
    else if (!table && !f->write)
        answer_problem(a, 400, "bad_parameter", "table",
                "table must be given: this format holds one a file");
    else
        return t   ? f->write_table(to, t, c->store, row, EXPORT_ZSTD, e)
               : x ? x->write(to, c->store, row, e)
                   : f->write(to, c->store, row, e);
    return -EINVAL;
}

void answer_export(struct call *c, struct answer *a)
{
    const char *name = query_text(c, "format");
    const struct export_format *f = export_format_find(name ? name : "json");
    bool gzip = query_given(c, "compress");
    struct buf out = { 0 }, packed = { 0 };
    struct sink *to;
    struct run_about r;
    struct error e;

    if (run_of_path(c, a, &r))
        return;
    to = sink_into(&out);

    int rc = write_export(c, a, to, f, r.row, &e);

    (void)sink_close(to, true, NULL);
    if (rc && a->status == 200)
        answer_failed(a, &e);
    if (!rc) {
        a->type = gzip ? "application/gzip" : type_of(f);
        buf_printf(&a->headers,
                "Content-Disposition: attachment; "
                "filename=\"profiling_run_%s%s%s\"\n",
                r.id, f->ending, gzip ? ".gz" : "");
        if (gzip)
            gzip_add(&packed, buf_str(&out));
        a->body = gzip ? packed : out;
    }
    if (rc || gzip)
        buf_release(&out);
}

/* --- changing ------------------------------------------------------------- */

void answer_delete(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct run_about r;
    struct error e;

    if (run_of_path(c, a, &r))
        return;

    int rc = store_delete_run(c->store, r.row, &e);

    if (!rc)
        (void)store_forget(c->store, NULL);
    if (rc == -EBUSY) {
        answer_problem(a, 409, "still_recording", NULL,
                "the run is still being recorded");
        return;
    }
    if (rc) {
        answer_failed(a, &e);
        return;
    }
    json_object(&j, NULL);
    json_bool(&j, "success", true);
    json_text(&j, "message", "the run and all that belongs to it is deleted");
    json_text(&j, "run_id", r.id);
    json_end(&j);
}

enum { PATCH_TAGS, PATCH_EXPERIMENT, PATCH_NOTE, PATCHES };
static const char *const patch_names[PATCHES] = { "tags", "experimentName",
    "note" };
#define PATCH_TEXT_MAX 4096

struct patch {
    struct buf text[PATCHES];
    bool given[PATCHES];
};

/* NULL, or what is wrong with it. */
static const char *read_patch(struct patch *p, struct str body)
{
    struct str rest = body, key, value;
    int rc;

    if (!json_is_sound(body) || json_kind(str_trim(body)) != '{')
        return "the body must be a JSON object";
    while ((rc = json_next_member(&rest, &key, &value)) > 0) {
        int i = 0;

        while (i < PATCHES && !str_is(key, patch_names[i]))
            i++;
        if (i == PATCHES)
            return "the body may have tags, experimentName and note only";
        if (p->given[i])
            return "a member of the body is there twice";
        if (json_kind(value) != '"' || json_read_text(&p->text[i], value) ||
                p->text[i].len > PATCH_TEXT_MAX ||
                strlen(buf_cstr(&p->text[i])) != p->text[i].len)
            return "members of the body must be texts of at most 4096 bytes";
        p->given[i] = true;
    }
    return rc ? "the body must be a JSON object" : NULL;
}

static int write_patch(struct store *s, int64_t row, const struct patch *p,
        struct error *e)
{
    static int (*const set[PATCHES])(struct store *, int64_t, const char *,
            struct error *) = { store_set_tags, store_set_experiment,
        store_set_note };
    int rc = 0;

    for (int i = 0; i < PATCHES && !rc; i++)
        if (p->given[i])
            rc = set[i](s, row, p->text[i].len ? buf_cstr(&p->text[i]) : NULL,
                    e);
    return rc;
}

void answer_patch(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct patch p = { 0 };
    struct run_about r;
    struct error e;
    const char *wrong = read_patch(&p, c->request->body);
    int rc = 0;

    if (wrong)
        answer_problem(a, 400, "bad_body", NULL, "%s", wrong);
    else if (run_of_path(c, a, &r) == 0) {
        rc = write_patch(c->store, r.row, &p, &e);
        if (!rc)
            rc = run_row_json(&j, NULL, c->store, r.row, false, &e);
        if (rc)
            answer_failed(a, &e);
    }
    for (int i = 0; i < PATCHES; i++)
        buf_release(&p.text[i]);
}
