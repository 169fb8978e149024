/* dispatch.c -- from a request to its answer, without a socket: the checks in
 * the order of the contract, then the handler. */
#include "os/clock.h"
#include "push/gzip.h"
#include "serve/answer/fleet_runs.h"
#include "serve/state.h"

#include <errno.h>
#include <string.h>

#define PACK_LEAST 1024 /* bytes: less is not worth it */

/* --- before the body ------------------------------------------------------ */

/* Letters, digits and what paths of ours are made of. */
static bool path_is_sound(struct str path)
{
    if (!path.len || path.p[0] != '/' || path.len > 8192)
        return false;
    for (size_t i = 0; i < path.len; i++)
        if ((unsigned char)path.p[i] < 0x21 || (unsigned char)path.p[i] > 0x7e)
            return false;
    return true;
}

static bool preflight(struct server *s, const struct request *r,
        struct answer *a)
{
    if (!str_is(r->method, "OPTIONS") || !r->ask_method.p ||
            !access_is_foreign(s->access, r->origin))
        return false;
    a->status = 204;
    buf_text(&a->headers,
            "Access-Control-Allow-Methods: GET, HEAD, POST, PATCH, DELETE\n"
            "Access-Control-Allow-Headers: Authorization, Content-Type, "
            "Prefer\n"
            "Access-Control-Max-Age: 600\n");
    return true;
}

/* Pages that may show panels load the module that makes elements of them. */
static bool is_embedder(const struct server_plan *p, const struct request *r)
{
    if (!r->origin.p || !str_is(r->path, "/assets/elements.js"))
        return false;
    for (size_t i = 0; i < p->embedder_count; i++)
        if (str_is(r->origin, p->embedders[i]))
            return true;
    return false;
}

/* HTTP, Host, Origin, path and method. */
static bool check_address(struct server *s, struct dispatch *d,
        const struct request *r, struct answer *a)
{
    struct buf allow = { 0 };
    int host = access_host(s->access, r->host);

    if (!path_is_sound(r->path))
        answer_problem(a, 400, "bad_request", NULL, "the path is no path");
    else if (host == 400)
        answer_problem(a, 400, "bad_request", NULL, "there is no Host");
    else if (host)
        answer_problem(a, 421, "wrong_host", NULL,
                "this server has another name: see --host");
    else if (!access_origin(s->access, r->origin) && !is_embedder(&s->plan, r))
        answer_problem(a, 403, "bad_origin", NULL,
                "pages from elsewhere are not allowed: see --allow-origin");
    else if (!preflight(s, r, a)) {
        d->route = route_find(r, &d->id, &allow);
        if (!d->route && allow.len) {
            answer_problem(a, 405, "wrong_method", NULL, "this path takes %s",
                    buf_cstr(&allow));
            buf_printf(&a->headers, "Allow: %s\n", buf_cstr(&allow));
        } else if (!d->route) {
            answer_problem(a, 404, "not_found", NULL, "there is no such path");
        }
    }
    buf_release(&allow);
    return d->route != NULL;
}

static bool check_who(struct server *s, struct dispatch *d,
        const struct request *r, struct answer *a)
{
    uint64_t now = mono_ns();
    int rc = d->route->role == ROLE_NONE
                     ? 0
                     : access_who(s->access, &d->who, r, now);

    if (rc == 401) {
        answer_problem(a, 401, "unauthorized", NULL,
                "a token is needed, or the one that was sent is not valid");
        buf_text(&a->headers, "WWW-Authenticate: Bearer\n");
    } else if (rc == 429) {
        answer_problem(a, 429, "too_many", NULL,
                "too many wrong tokens came from there: wait a minute");
        buf_text(&a->headers, "Retry-After: 60\n");
    } else if (d->who.role < d->route->role) {
        answer_problem(a, 403, "forbidden", NULL, "this takes the role %s",
                role_name(d->route->role));
        rc = 403;
    } else if (!access_rate(s->access, &d->who, r->peer, now)) {
        answer_problem(a, 429, "too_many", NULL, "too many requests a second");
        buf_text(&a->headers, "Retry-After: 1\n");
        rc = 429;
    }
    return rc == 0;
}

bool dispatch_check(struct server *s, struct dispatch *d,
        const struct request *r, struct answer *a)
{
    *d = (struct dispatch){ 0 };
    if (!check_address(s, d, r, a) || !check_who(s, d, r, a))
        return false;
    if ((d->route->flags & ROUTE_SOCKET) && !r->upgrade) {
        answer_problem(a, 426, "upgrade_required", NULL,
                "this path speaks WebSocket");
        buf_text(&a->headers, "Upgrade: websocket\n");
        return false;
    }
    if (r->upgrade && !(d->route->flags & ROUTE_SOCKET)) {
        answer_problem(a, 400, "bad_request", NULL,
                "this path speaks no WebSocket");
        return false;
    }
    return true;
}

/* --- after it ------------------------------------------------------------- */

static bool is_json(struct str type)
{
    return str_is(str_trim(str_before(type, ';')), "application/json");
}

static int open_store(struct server *s, const struct route *r,
        struct store **store, struct answer *a)
{
    enum store_mode mode = r->flags & ROUTE_CHANGES ? STORE_CHANGE : STORE_READ;
    struct error why;

    if (*store || !(r->flags & (ROUTE_STORE | ROUTE_CHANGES)))
        return 0;
    if (s->plan.open_store(s->plan.context, store, mode, &why) == 0 ||
            r->flags & ROUTE_PAGE) /* it comes without, too */
        return 0;
    answer_problem(a, 503, "unavailable", NULL,
            "the database cannot be opened now");
    return -EIO;
}

static void handle(struct server *s, const struct dispatch *d,
        const struct request *r, struct store **store, struct answer *a)
{
    struct call c = {
        .server = s,
        .request = r,
        .route = d->route,
        .role = d->who.role,
        .token = d->who.name[0] ? d->who.name : NULL,
    };

    if (d->id.len <= RUN_ID_LEN)
        memcpy(c.id, d->id.p ? d->id.p : "", d->id.len);
    a->status = 200;
    a->type = d->route->type ? d->route->type : "application/json";
    if (query_read(&c, a) == 0 &&
            (s->plan.fleet ? fleet_open(&c, store, a)
                           : open_store(s, d->route, store, a)) == 0) {
        c.store = *store;
        if (d->id.len > RUN_ID_LEN)
            answer_problem(a, 404, "not_found", NULL, "there is no such run");
        else
            d->route->handle(&c, a);
    }
    query_release(&c);
}

bool dispatch_type_fits(const struct dispatch *d, const struct request *r,
        struct answer *a)
{
    if (!(d->route->flags & ROUTE_BODY) || is_json(r->content_type))
        return true;
    answer_problem(a, 415, "unsupported_type", NULL,
            "the body must be application/json");
    return false;
}

void dispatch_answer(struct server *s, const struct dispatch *d,
        const struct request *r, struct store **store, struct answer *a)
{
    struct store *own = NULL;

    if (!dispatch_type_fits(d, r, a))
        return;
    if (d->route->flags & ROUTE_CHANGES) {
        handle(s, d, r, &own, a);
        store_close(own);
    } else {
        handle(s, d, r, store, a);
    }
}

/* --- what goes out -------------------------------------------------------- */

#define CSP                                                       \
    "default-src 'none'; base-uri 'none'; form-action 'none'; "   \
    "script-src 'self'; style-src 'self'; img-src 'self' data:; " \
    "font-src 'self'; connect-src 'self'; frame-ancestors"

/* Who may show the page in one of their own: only panels, and who was named. */
static void policy(struct buf *out, const struct server_plan *p,
        const struct request *r)
{
    bool panel = str_starts(r->path, "/embed/") && p->embedder_count;

    buf_text(out, "Content-Security-Policy: " CSP);
    if (!panel)
        buf_text(out, " 'none'");
    for (size_t i = 0; panel && i < p->embedder_count; i++)
        buf_printf(out, " %s", p->embedders[i]);
    buf_char(out, '\n');
}

void dispatch_headers(const struct server *s, const struct request *r,
        const struct answer *a, struct buf *out)
{
    buf_text(out, "Ortmeter-Api: 1\n"
                  "X-Content-Type-Options: nosniff\n"
                  "Referrer-Policy: no-referrer\n"
                  "Cross-Origin-Resource-Policy: same-origin\n");
    if (!a->cacheable)
        buf_text(out, "Cache-Control: no-store\n");
    if (a->type && str_starts(str_of(a->type), "text/html"))
        policy(out, &s->plan, r);
    if (a->gzipped)
        buf_text(out, "Content-Encoding: gzip\n");
    if (s->plan.tls_cert)
        buf_text(out, "Strict-Transport-Security: max-age=31536000\n");
    if (r->origin.p && (access_is_foreign(s->access, r->origin) ||
                               is_embedder(&s->plan, r))) {
        buf_text(out, "Access-Control-Allow-Origin: ");
        buf_add(out, r->origin.p, r->origin.len);
        buf_text(out, "\nVary: Origin\n");
    }
    if (a->headers.len)
        buf_add(out, a->headers.p, a->headers.len);
}

void dispatch_pack(const struct request *r, struct answer *a)
{
    struct buf packed = { 0 };

    if (a->gzipped || a->body.len < PACK_LEAST || !r->encoding.p ||
            !str_find(r->encoding, "gzip"))
        return;
    gzip_add(&packed, buf_str(&a->body));
    if (packed.len < a->body.len) {
        buf_release(&a->body);
        a->body = packed;
        a->gzipped = true;
    } else {
        buf_release(&packed);
    }
}
