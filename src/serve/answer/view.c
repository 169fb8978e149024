/* view.c -- /api/view: what the page first shows, in one answer, each part as
 * its own route writes it. */
#include "base/json_read.h"
#include "os/clock.h"
#include "serve/answer/run_about.h"
#include "serve/state.h"

#include <stdio.h>
#include <string.h>

#define WIDTH_USUAL 240
static const char shown_series[] =
        "host_busy_ratio,process_cpu_cores,process_resident_bytes,"
        "zone_power_watts,inferences_total";

/* What another route answers to a query of pairs. */
static bool ask(struct call *c, const char *path, const char *const *pairs,
        struct answer *out)
{
    struct request r = *c->request;
    struct buf allow = { 0 };
    struct call inner = *c;
    struct str id = { 0 };

    *out = (struct answer){ .status = 200 };
    r.path = str_of(path);
    r.method = str_of("GET");
    r.query_count = 0;
    for (; pairs[0]; pairs += 2)
        if (pairs[1])
            r.query[r.query_count++] =
                    (struct query){ str_of(pairs[0]), str_of(pairs[1]) };
    memset(inner.text, 0, sizeof(inner.text));
    inner.request = &r;
    inner.route = route_find(&r, &id, &allow);
    buf_release(&allow);
    memset(inner.id, 0, sizeof(inner.id));
    if (inner.route && id.len <= RUN_ID_LEN)
        memcpy(inner.id, id.p ? id.p : "", id.len);
    if (!inner.route)
        out->status = 404;
    else if (query_read(&inner, out) == 0)
        inner.route->handle(&inner, out);
    query_release(&inner);
    return out->status == 200;
}

/* A member of an answer, as a member. */
static void copy_member(struct json *j, const struct answer *a,
        const char *name, const char *otherwise)
{
    struct str rest = str_trim(buf_str(&a->body)), key, value;

    while (a->status == 200 && json_next_member(&rest, &key, &value) > 0)
        if (str_is(key, name)) {
            json_raw_str(j, name, value);
            return;
        }
    if (otherwise)
        json_raw(j, name, otherwise);
}

/* The elements of a list that several answers have, in one. */
static void copy_lists(struct json *j, const char *name,
        const struct answer *answers, size_t count)
{
    json_array(j, name);
    for (size_t i = 0; i < count; i++) {
        struct str rest = str_trim(buf_str(&answers[i].body)), key, value;

        while (answers[i].status == 200 &&
                json_next_member(&rest, &key, &value) > 0)
            if (str_is(key, name)) {
                struct str element;

                while (json_next_element(&value, &element) > 0)
                    json_raw_str(j, NULL, element);
            }
    }
    json_end(j);
}

static void nothing(struct json *j)
{
    static const char *const lists[] = { "runs", "processes", "sessions",
        "series", "events", "findings", "meters", "missing" };

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        json_raw(j, lists[i], "[]");
    json_raw(j, "operators", "{}");
}

struct window {
    char from[32], to[32], width[16];
};

/* The last minute of a live run; all of a stored one. */
static void usual_window(struct window *w, const struct run_about *r)
{
    uint64_t from = r->start_wall_ns;

    if (r->live && r->end_wall_ns > from + UINT64_C(60000000000))
        from = r->end_wall_ns - UINT64_C(60000000000);
    (void)snprintf(w->from, sizeof(w->from), "%llu", (unsigned long long)from);
    (void)snprintf(w->to, sizeof(w->to), "%llu",
            (unsigned long long)r->end_wall_ns + 1);
    (void)snprintf(w->width, sizeof(w->width), "%d", WIDTH_USUAL);
}

static void series(struct call *c, struct json *j, const char *run,
        const char *from, const char *to, const char *width)
{
    struct answer a[2];

    (void)ask(c, "/metrics/history",
            (const char *[]){ "run", run, "from", from, "to", to, "width",
                    width, "metric", shown_series, "form", "pieces", NULL },
            &a[0]);
    (void)ask(c, "/metrics/history",
            (const char *[]){ "run", run, "from", from, "to", to, "width",
                    width, "metric", "inference_duration_seconds", "agg",
                    "buckets,count", "form", "pieces", NULL },
            &a[1]);
    copy_member(j, &a[0], "from_ns", NULL);
    copy_member(j, &a[0], "to_ns", NULL);
    copy_member(j, &a[0], "step_s", NULL);
    copy_lists(j, "series", a, 2);
    answer_release(&a[0]);
    answer_release(&a[1]);
}

/* How it is, or was, recorded. */
static void meters(struct call *c, struct json *j, const char *run)
{
    struct answer a;
    char path[96];

    (void)snprintf(path, sizeof(path), "/api/profiling/run/%s/control", run);
    json_array(j, "meters");
    if (ask(c, path, (const char *[]){ NULL }, &a))
        json_raw_str(j, NULL, str_trim(buf_str(&a.body)));
    json_end(j);
    answer_release(&a);
}

static void write_view(struct call *c, struct json *j,
        const struct run_about *r)
{
    struct window w = { 0 };
    struct answer a;
    const char *run = r->id;
    struct error e;

    usual_window(&w, r);
    if (query_given(c, "from"))
        (void)snprintf(w.from, sizeof(w.from), "%s", query_text(c, "from"));
    if (query_given(c, "to"))
        (void)snprintf(w.to, sizeof(w.to), "%s", query_text(c, "to"));
    if (query_given(c, "width"))
        (void)snprintf(w.width, sizeof(w.width), "%s", query_text(c, "width"));
    json_array(j, "runs");
    (void)run_row_json(j, NULL, c->store, r->row, false, &e);
    json_end(j);
    (void)ask(c, "/api/sessions", (const char *[]){ "run", run, NULL }, &a);
    copy_member(j, &a, "processes", "[]");
    copy_member(j, &a, "sessions", "[]");
    answer_release(&a);
    series(c, j, run, w.from, w.to, w.width);
    (void)ask(c, "/api/operators",
            (const char *[]){ "run", run, "by", "same", "limit", "40", NULL },
            &a);
    if (a.status == 200)
        json_raw_str(j, "operators", str_trim(buf_str(&a.body)));
    else
        json_raw(j, "operators", "{}");
    answer_release(&a);
    (void)ask(c, "/api/events",
            (const char *[]){ "run", run, "from", w.from, "to", w.to, NULL },
            &a);
    copy_member(j, &a, "events", "[]");
    answer_release(&a);
    (void)ask(c, "/api/findings", (const char *[]){ "run", run, NULL }, &a);
    copy_member(j, &a, "findings", "[]");
    copy_lists(j, "missing", &a, 1);
    answer_release(&a);
    meters(c, j, run);
}

void answer_view(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct answer no = { .status = 200 };
    struct run_about r;
    bool found;

    found = run_of_query(c, &no, &r) == 0;
    if (!found && query_given(c, "run")) {
        answer_release(a);
        *a = no;
        return;
    }
    json_object(&j, NULL);
    json_u64(&j, "timestamp_ns", wall_ns());
    json_object(&j, "you");
    json_text(&j, "role", role_name(c->role));
    if (c->token)
        json_text(&j, "token", c->token);
    json_end(&j);
    if (c->server->plan.recorded)
        json_bool(&j, "recorded", true);
    if (found)
        write_view(c, &j, &r);
    else
        nothing(&j);
    json_end(&j);
    answer_release(&no);
}

void view_script(struct call *c, struct buf *out)
{
    struct call viewer = *c;
    struct answer a;

    viewer.role = ROLE_VIEWER;
    if (!ask(&viewer, "/api/view", (const char *[]){ NULL }, &a)) {
        answer_release(&a);
        return;
    }
    buf_text(out, "<script type=\"application/json\" id=\"view\">");
    for (size_t i = 0; i < a.body.len; i++) {
        if (a.body.p[i] == '<') /* nothing in it ends the element */
            buf_text(out, "\\u003c");
        else
            buf_char(out, a.body.p[i]);
    }
    buf_text(out, "</script>");
    answer_release(&a);
}
