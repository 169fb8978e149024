/* system.c -- what is no run: the page, health, the machine, metrics, OpenAPI,
 * and the first paint of the page in one answer. */
#include "export/formats.h"
#include "export/metrics/prometheus.h"
#include "os/clock.h"
#include "serve/answer/run_about.h"
#include "serve/assets.h"
#include "serve/openapi.h"
#include "serve/state.h"

#include <string.h>
#include <zlib.h>

/* --- the page ------------------------------------------------------------- */

static const struct asset *asset_of(struct str path)
{
    for (const struct asset *x = assets; x->path; x++)
        if (str_is(path, x->path))
            return x;
    return NULL;
}

/* For who does not take gzip. */
static void unpack(struct buf *out, const struct asset *x)
{
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)x->gzip,
        .avail_in = (unsigned)x->gzip_len };
    unsigned char piece[16384];

    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return;

    int rc;

    do {
        z.next_out = piece;
        z.avail_out = sizeof(piece);
        rc = inflate(&z, Z_NO_FLUSH);
        buf_add(out, piece, sizeof(piece) - z.avail_out);
    } while (rc == Z_OK);
    (void)inflateEnd(&z);
}

static void send_asset(struct call *c, struct answer *a, const struct asset *x)
{
    const struct request *r = c->request;

    a->type = x->type;
    a->cacheable = true;
    buf_printf(&a->headers, "Cache-Control: %s\nETag: %s\nVary: %s\n",
            x->immutable ? "max-age=31536000, immutable" : "no-cache", x->etag,
            "Accept-Encoding");
    if (r->if_none_match.p && str_is(r->if_none_match, x->etag)) {
        a->status = 304;
        return;
    }
    if (r->encoding.p && str_find(r->encoding, "gzip")) {
        buf_add(&a->body, x->gzip, x->gzip_len);
        a->gzipped = true;
    } else {
        unpack(&a->body, x);
    }
}

static void list_routes(struct buf *out)
{
    buf_text(out, "<!doctype html><meta charset=\"utf-8\"><title>ortmeter"
                  "</title><h1>ortmeter</h1><table>");
    for (const struct route *r = routes; r->path; r++)
        buf_printf(out, "<tr><td>%s<td>%s<td>%s<td>%s", r->method, r->path,
                role_name(r->role), r->about);
    buf_text(out, "</table>");
}

/* With what the page first shows, where anybody may see it. */
static void send_page(struct call *c, struct answer *a, const struct asset *x)
{
    struct buf page = { 0 };
    const char *head;
    size_t before;

    unpack(&page, x);
    head = str_find(buf_str(&page), "</head>");
    before = head ? (size_t)(head - page.p) : page.len;
    buf_add(&a->body, page.p, before);
    view_script(c, &a->body);
    buf_add(&a->body, page.p + before, page.len - before);
    a->type = x->type;
    buf_release(&page);
}

void answer_page(struct call *c, struct answer *a)
{
    const struct asset *x = asset_of(str_of("/"));

    if (x && c->store && c->server->open && str_is(c->request->path, "/"))
        send_page(c, a, x);
    else if (x)
        send_asset(c, a, x);
    else
        list_routes(&a->body);
}

void answer_asset(struct call *c, struct answer *a)
{
    const struct asset *x = asset_of(c->request->path);

    if (x)
        send_asset(c, a, x);
    else
        answer_problem(a, 404, "not_found", NULL, "there is no such file");
}

/* --- health and machine --------------------------------------------------- */

void answer_healthz(struct call *c, struct answer *a)
{
    (void)c;
    buf_text(&a->body, "{\"status\":\"ok\"}");
}

void answer_powermetrics(struct call *c, struct answer *a)
{
    (void)c;
    buf_text(&a->body, "{\"available\":false,\"message\":"
                       "\"powermetrics is part of macOS\"}");
}

void answer_openapi(struct call *c, struct answer *a)
{
    (void)c;
    if (!openapi_json(&a->body))
        answer_problem(a, 500, "internal", NULL, "a schema cannot be read");
}

/* A WebSocket never comes here. */
void answer_socket(struct call *c, struct answer *a)
{
    (void)c;
    answer_problem(a, 426, "upgrade_required", NULL,
            "this path speaks WebSocket");
}

static void you(struct json *j, const struct call *c)
{
    json_object(j, "you");
    json_text(j, "role", role_name(c->role));
    if (c->token)
        json_text(j, "token", c->token);
    json_end(j);
}

static size_t live_count(struct server *s)
{
    const struct live_view *v = live_lock(s->live);
    size_t count = 0;

    for (size_t i = 0; i < v->run_count; i++)
        count += !v->runs[i]->ended;
    live_unlock(s->live);
    return count;
}

void answer_system(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    struct server *s = c->server;

    json_object(&j, NULL);
    json_text(&j, "ortmeter_version", ORTMETER_VERSION);
    json_int(&j, "api_version", 1);
    if (s->plan.machine)
        s->plan.machine(s->plan.context, &j);
    json_object(&j, "server");
    json_u64(&j, "started_ns", s->started_wall_ns);
    json_u64(&j, "websocket_clients", atomic_load(&s->sockets));
    json_u64(&j, "live_runs", live_count(s));
    json_text(&j, "bind", s->plan.bind);
    json_bool(&j, "tls", s->plan.tls_cert != NULL);
    json_bool(&j, "token_required", s->plan.require_token);
    json_end(&j);
    you(&j, c);
    json_array(&j, "formats");
    for (const struct export_format *const *f = export_formats; *f; f++)
        json_text(&j, NULL, (*f)->name);
    json_end(&j);
    json_raw(&j, "missing", "[]");
    json_end(&j);
}

void answer_sources(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    uint64_t before = mono_ns();

    json_object(&j, NULL);
    if (c->server->plan.sources)
        c->server->plan.sources(c->server->plan.context, &j);
    else
        json_raw(&j, "sources", "[]");
    json_u64(&j, "looked_ns", wall_ns());
    json_fixed(&j, "took_ms", (double)(mono_ns() - before) / 1e6, 3);
    json_end(&j);
}

/* --- live figures --------------------------------------------------------- */

/* Ours are of no run. */
static void own_metrics(struct buf *out, struct server *s)
{
    prometheus_own(out, METRIC_server_requests_total,
            (double)atomic_load(&s->requests));
    prometheus_own(out, METRIC_server_refusals_total,
            (double)atomic_load(&s->refusals));
    prometheus_own(out, METRIC_server_websocket_clients,
            (double)atomic_load(&s->sockets));
    prometheus_own(out, METRIC_server_merged_ticks_total,
            (double)atomic_load(&s->merged_ticks));
}

/* Of a run that is not live. */
static int run_metrics(struct buf *out, struct store *s, int64_t row,
        struct error *e)
{
    struct run_metrics *f = NULL;
    struct figure_list list = { 0 };
    int rc = run_metrics_read(&f, &list, s, row, e);

    if (!rc)
        prometheus_text(out, run_metrics_about(f), &list);
    figure_list_release(&list);
    run_metrics_free(f);
    return rc;
}

void answer_metrics(struct call *c, struct answer *a)
{
    struct run_about r;
    struct error e;

    if (!query_given(c, "run")) {
        own_metrics(&a->body, c->server);
        live_prometheus(c->server->live, &a->body);
        return;
    }
    if (run_of_query(c, a, &r))
        return;
    own_metrics(&a->body, c->server);
    if (run_metrics(&a->body, c->store, r.row, &e))
        answer_failed(a, &e);
}

void answer_current(struct call *c, struct answer *a)
{
    struct json j = json_line_into(&a->body);
    const char *name = query_text(c, "run");
    const struct live_view *v;
    const struct live_run *with_system = NULL;
    bool found = false;

    json_object(&j, NULL);
    json_u64(&j, "timestamp_ns", wall_ns());
    v = live_lock(c->server->live);
    json_array(&j, "inferences");
    for (size_t i = v->run_count; i--;) {
        const struct live_run *r = v->runs[i];
        bool named = name && strncmp(r->id, name, strlen(name)) == 0;

        if (name ? !named : r->ended)
            continue;
        found = true;
        if (r->currents.len)
            json_raw(&j, NULL, buf_cstr(&r->currents));
        if (r->system.len && !with_system)
            with_system = r;
    }
    json_end(&j);
    if (with_system)
        json_raw(&j, "system", buf_cstr(&with_system->system));
    json_array(&j, "runs");
    for (size_t i = v->run_count; i--;) {
        const struct live_run *r = v->runs[i];
        bool named = name && strncmp(r->id, name, strlen(name)) == 0;

        if ((name ? named : !r->ended) && r->text.len)
            json_raw(&j, NULL, buf_cstr(&r->text));
    }
    json_end(&j);
    live_unlock(c->server->live);
    json_end(&j);
    if (name && !found)
        answer_problem(a, 404, "not_found", "run",
                "there is no such run among those that are live");
}
