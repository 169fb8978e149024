#include "serve/answer/run_about.h"

#include "analyse/generation/pipeline.h"
#include "analyse/summary.h"
#include "base/digits.h"
#include "base/json_member.h"
#include "base/json_read.h"
#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- runs ----------------------------------------------------------------- */

static void take_about(void *to, const struct run *r)
{
    struct run_about *out = to;

    *out = (struct run_about){
        .row = r->row,
        .status = r->status,
        .live = r->status == RUN_RUNNING,
        .start_wall_ns = r->started_wall_ns,
        .end_wall_ns = r->started_wall_ns + r->duration_ns,
        .start_mono_ns = r->start_mono_ns,
    };
    memcpy(out->id, r->id, sizeof(out->id));
    if (out->live)
        out->end_wall_ns = wall_ns();
}

/* An interrupted one has no duration: it lasted to its last inference. */
static void take_last(void *to, const struct inference *i)
{
    struct run_about *out = to;
    uint64_t end = out->start_wall_ns + i->start_ns + i->duration_ns;

    if (out->end_wall_ns < end)
        out->end_wall_ns = end;
}

static void take_live(void *to, const struct run_line *l)
{
    int64_t *row = to;

    if (!*row && l->run->status == RUN_RUNNING)
        *row = l->run->row;
}

static int find_usual(struct store *s, int64_t *row, struct error *e)
{
    struct run_filter f = { .has_status = true,
        .status = RUN_RUNNING,
        .limit = 10 };
    int rc;

    *row = 0;
    rc = store_list_runs(s, &f, take_live, row, e);
    return rc || *row ? rc : store_find_run_id(s, "last", row, e);
}

int run_named(struct call *c, struct answer *a, const char *name,
        struct run_about *out)
{
    struct error e = { 0 };
    int64_t row = 0;
    int rc = name ? store_find_run_id(c->store, name, &row, &e)
                  : find_usual(c->store, &row, &e);

    if (!rc)
        rc = store_read_run(c->store, row, take_about, out, &e);
    if (!rc && !out->live && out->end_wall_ns == out->start_wall_ns)
        rc = store_each_newest_inference(c->store, row, take_last, out, &e);
    if (rc == -ENOENT)
        answer_problem(a, 404, "not_found", NULL, "there is no such run");
    else if (rc == -ENOTUNIQ)
        answer_problem(a, 409, "ambiguous", NULL,
                "several runs begin with that: give more of the id");
    else if (rc)
        answer_failed(a, &e);
    return rc;
}

int run_of_path(struct call *c, struct answer *a, struct run_about *out)
{
    bool whole = strlen(c->id) == RUN_ID_LEN;

    if ((c->route->flags & ROUTE_NEEDS_ID && !whole) || strlen(c->id) < 4) {
        answer_problem(a, 404, "not_found", NULL, "there is no such run");
        return -ENOENT;
    }
    return run_named(c, a, c->id, out);
}

int run_of_query(struct call *c, struct answer *a, struct run_about *out)
{
    return run_named(c, a, query_text(c, "run"), out);
}

void answer_failed(struct answer *a, const struct error *e)
{
    (void)e; /* it names files of ours */
    answer_problem(a, 500, "internal", NULL,
            "the run could not be read: see the server's machine");
}

/* --- time ----------------------------------------------------------------- */

int range_of_query(struct call *c, struct answer *a, const struct run_about *r,
        uint64_t *from_ns, uint64_t *to_ns)
{
    const struct moment *from = query_moment(c, "from");
    const struct moment *to = query_moment(c, "to");
    uint64_t start = r->start_wall_ns, end = r->end_wall_ns;
    uint64_t first = from ? moment_wall(from, start, end) : start;
    uint64_t last = to ? moment_wall(to, start, end) : end;

    if (from && to && last < first) {
        answer_problem(a, 400, "bad_parameter", "from",
                "from must not be after to");
        return -EINVAL;
    }
    *from_ns = first > start ? first - start : 0;
    *to_ns = last > start ? last - start : 0;
    if (!to)
        *to_ns += 1; /* what ends with the run is in it */
    if (*from_ns > *to_ns)
        *from_ns = *to_ns;
    return 0;
}

/* --- rows ----------------------------------------------------------------- */

struct run_totals run_totals(struct store *s, const struct run *r)
{
    struct run_totals t = {
        .has_duration = r->duration_ns != 0,
        .duration_ms = (double)r->duration_ns / 1e6,
        .has_energy = r->has_energy,
        .energy_mj = r->energy_mj,
    };
    struct pipeline p;

    if (pipeline_read(&p, s, r->row, NULL))
        return t;
    t.has_duration = true;
    t.duration_ms = (double)p.total.duration_ns / 1e6;
    t.has_energy = p.total.has_energy;
    t.energy_mj = p.total.energy_mj;
    pipeline_release(&p);
    return t;
}

static void text_if(struct json *j, const char *key, const char *text)
{
    if (text && *text)
        json_text(j, key, text);
}

static void models(struct json *j, const char *paths)
{
    struct str rest = str_of(paths), line, first = str_before(rest, '\n');

    if (first.len) {
        struct buf path = { 0 };

        buf_add(&path, first.p, first.len);

        char *name = summary_model_name(buf_cstr(&path));

        json_text(j, "model_name", name);
        free(name);
        buf_release(&path);
    }
    json_array(j, "models");
    while (str_line(&line, &rest))
        json_str(j, NULL, line);
    json_end(j);
}

static void energy(struct json *j, struct store *s, const struct run *r)
{
    struct run_totals t = run_totals(s, r);

    if (t.has_duration)
        json_fixed(j, "total_duration_ms", t.duration_ms, 6);
    if (!t.has_energy)
        return;
    json_real(j, "total_energy_mj", t.energy_mj);
    if (t.has_duration && t.duration_ms > 0)
        json_real(j, "avg_power_mw", t.energy_mj / t.duration_ms * 1000);
    json_text(j, "energy_method",
            reading_method_name((enum reading_method)r->energy_method));
}

static void whole_members(struct json *j, const struct run *r)
{
    text_if(j, "directory", r->directory);
    text_if(j, "note", r->note);
    json_text(j, "version", r->version ? r->version : "");
    json_if_sound(j, "host", r->host);
}

static void end_members(struct json *j, const struct run *r)
{
    if (r->ended && !r->signal)
        json_int(j, "exit_code", r->exit_code);
    if (r->signal)
        json_int(j, "signal", r->signal);
    if (r->peak_rss_bytes)
        json_u64(j, "peak_rss_bytes", r->peak_rss_bytes);
    if (r->input_tokens || r->output_tokens) {
        json_u64(j, "input_tokens", r->input_tokens);
        json_u64(j, "output_tokens", r->output_tokens);
    }
}

void run_members(struct json *j, struct store *s, const struct run_line *l,
        bool whole)
{
    const struct run *r = l->run;
    char time[DIGITS_TIME_LEN];
    struct buf name = { 0 };

    json_text(j, "run_id", r->id);
    json_str(j, "timestamp",
            (struct str){ time,
                    digits_time(time, (int64_t)r->started_wall_ns) });
    json_text(j, "status", run_status_name(r->status));
    models(j, l->models);
    text_if(j, "prompt", r->prompt);
    text_if(j, "response", r->response);
    text_if(j, "experiment_name", r->experiment);
    text_if(j, "tags", r->tags);
    text_if(j, "profiling_depth", r->depth);
    energy(j, s, r);
    json_text(j, "command", r->command ? r->command : "");
    if (r->duration_ns)
        json_u64(j, "duration_ns", r->duration_ns);
    end_members(j, r);
    if (r->host && json_member_text(&name, str_of(r->host), "hostname"))
        json_str(j, "host_name", buf_str(&name));
    buf_release(&name);
    json_u64(j, "inferences", l->inferences);
    json_u64(j, "failed", l->failed);
    if (whole)
        whole_members(j, r);
}

struct row_writing {
    struct json *json;
    struct store *store;
    const char *key;
    bool whole;
};

static void write_row(void *to, const struct run_line *l)
{
    struct row_writing *w = to;

    json_object(w->json, w->key);
    run_members(w->json, w->store, l, w->whole);
    json_end(w->json);
}

int run_row_json(struct json *j, const char *key, struct store *s, int64_t row,
        bool whole, struct error *e)
{
    struct run_filter f = { .row = row, .limit = 1 };
    struct row_writing w = { j, s, key, whole };

    return store_list_runs(s, &f, write_row, &w, e);
}
