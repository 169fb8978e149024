#include "serve/lws_service.h"

#include "base/alloc.h"
#include "os/clock.h"
#include "os/file.h"
#include "serve/answer/generations.h"
#include "serve/certificate.h"
#include "serve/lws_request.h"

#include <errno.h>
#include <libwebsockets.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTIONS_MAX 1024
#define WHOLE_IN_S      10 /* a header, or a header and its body */
#define HEADER_BYTES    16384
#define CHUNK           65536
#define FRAME_MAX       65536 /* of a client */
#define GOODBYE_NS      UINT64_C(1000000000)
#define SUBPROTOCOL     "ortmeter.v1"

/* What lws keeps for us of a connection; zeroed at its beginning. */
struct connection {
    struct lws *wsi;
    struct job *job;
    size_t sent; /* of the body */
    bool headed; /* the headers are sent */
    /* A WebSocket: */
    struct socket *socket;
    struct connection *next, **link;
    struct buf in, out; /* `out` has LWS_PRE bytes before the message */
    int close_code;
    bool asked; /* for a chance to write, and did not get it yet */
    bool too_large;
};

static struct server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* --- what goes out -------------------------------------------------------- */

static int add_header(struct lws *wsi, struct str line, unsigned char **p,
        unsigned char *end)
{
    struct buf name = { 0 };
    struct str value = str_trim(str_after(line, ':'));

    for (size_t i = 0; i < line.len && line.p[i] != ':'; i++)
        buf_char(&name,
                (char)(line.p[i] >= 'A' && line.p[i] <= 'Z' ? line.p[i] | 32
                                                            : line.p[i]));
    buf_char(&name, ':');

    int rc = lws_add_http_header_by_name(wsi,
            (const unsigned char *)buf_cstr(&name),
            (const unsigned char *)value.p, (int)value.len, p, end);

    buf_release(&name);
    return rc;
}

/* Not 0: there is no room, which cannot be. */
static int add_headers(struct lws *wsi, struct server *s, struct job *j,
        unsigned char **p, unsigned char *end)
{
    struct answer *a = &j->answer;
    struct buf all = { 0 };
    int rc = lws_add_http_header_status(wsi, (unsigned)a->status, p, end);

    dispatch_headers(s, &j->request, a, &all);
    if (a->type && a->status != 204)
        buf_printf(&all, "Content-Type: %s\n", a->type);
    if (j->closes)
        buf_text(&all, "Connection: close\n");

    struct str rest = buf_str(&all), line;

    while (!rc && str_line(&line, &rest))
        rc = add_header(wsi, line, p, end);
    buf_release(&all);
    if (!rc)
        rc = lws_add_http_header_content_length(wsi, a->body.len, p, end);
    return rc ? rc : lws_finalize_http_header(wsi, p, end);
}

/* A line of the audit log; 0: the connection was closed without an answer. */
static void note(struct server *s, struct job *j, int status)
{
    j->noted = true;
    atomic_fetch_add(&s->requests, 1);
    if (status >= 400 && status < 500)
        atomic_fetch_add(&s->refusals, 1);
    audit_add(s->audit, &(struct audit_entry){
                                .peer = j->request.peer,
                                .token = j->what.who.name,
                                .role = j->what.who.role,
                                .method = j->request.method,
                                .path = j->request.path,
                                .status = status,
                                .took_ns = mono_ns() - j->came_ns,
                        });
}

/* --- who came, and asked for nothing -------------------------------------- */

/* Of a connection, from its beginning: the library closes some before there is
 * a request, or answers itself what it cannot read. */
struct visitor {
    char room[64];
    const char *peer;
    uint64_t came_ns;
    bool asked;
};

static void welcome(struct lws *wsi)
{
    struct visitor *v = alloc_zero(1, sizeof(*v));

    v->peer = lws_request_peer(wsi, v->room, sizeof(v->room));
    v->came_ns = mono_ns();
    lws_set_opaque_user_data(wsi, v);
}

static void see_asking(struct lws *wsi)
{
    struct visitor *v = lws_get_opaque_user_data(wsi);

    if (v)
        v->asked = true;
}

static void see_off(struct server *s, struct lws *wsi)
{
    struct visitor *v = lws_get_opaque_user_data(wsi);

    if (v && !v->asked)
        audit_add(s->audit, &(struct audit_entry){
                                    .peer = v->peer,
                                    .took_ns = mono_ns() - v->came_ns,
                            });
    lws_set_opaque_user_data(wsi, NULL);
    free(v);
}

/* --- jobs ----------------------------------------------------------------- */

/* libwebsockets does not tell of every connection that it closes, but of every
 * one that it frees: so what waits for one is found by it. */
static void keep_job(struct server *s, struct job *j)
{
    j->beside = s->open_jobs;
    s->open_jobs = j;
}

static void leave_job(struct server *s, const struct job *j)
{
    struct job **at = &s->open_jobs;

    while (*at && *at != j)
        at = &(*at)->beside;
    if (*at)
        *at = j->beside;
}

static void end_job(struct server *s, struct job *j)
{
    leave_job(s, j);
    job_free(j);
}

/* The connection is gone; what a worker holds stays his. */
static void drop_job(struct server *s, struct job *j)
{
    leave_job(s, j);
    j->connection = NULL;
    if (j->given)
        return;
    if (!j->noted)
        note(s, j, 0);
    job_free(j);
}

static void forget_wsi(struct server *s, struct lws *wsi)
{
    for (struct job *j = s->open_jobs, *next; j; j = next) {
        next = j->beside;
        if (j->wsi == wsi)
            drop_job(s, j);
    }
    see_off(s, wsi);
}

/* Headers, and a body that is small; the rest follows as the client takes it.
 * Returns what a callback does. */
static int send_answer(struct lws *wsi, struct connection *c, struct job *j)
{
    struct server *s = server_of(wsi);
    unsigned char *all = alloc_zero(1, LWS_PRE + 2 * HEADER_BYTES);
    unsigned char *start = all + LWS_PRE, *p = start;
    unsigned char *end = start + HEADER_BYTES;
    bool head = str_is(j->request.method, "HEAD");
    size_t len = head ? 0 : j->answer.body.len;
    int rc = add_headers(wsi, s, j, &p, end);

    note(s, j, j->answer.status);
    if (!rc && len <= HEADER_BYTES && len) {
        memcpy(p, j->answer.body.p, len);
        p += len;
    }
    if (!rc && lws_write(wsi, start, (size_t)(p - start),
                       LWS_WRITE_HTTP_HEADERS) < 0)
        rc = -1;
    free(all);
    if (rc || !c)
        return rc ? -1 : 0;
    c->headed = true;
    c->sent = 0;
    if (len > HEADER_BYTES) {
        (void)lws_callback_on_writable(wsi);
        return 0;
    }

    bool closes = j->closes;

    end_job(server_of(wsi), j);
    c->job = NULL;
    return closes || lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int send_more(struct lws *wsi, struct connection *c)
{
    struct job *j = c->job;
    size_t left = j->answer.body.len - c->sent;
    size_t piece = left < CHUNK ? left : CHUNK;
    unsigned char *bytes = alloc_zero(1, LWS_PRE + piece);

    memcpy(bytes + LWS_PRE, j->answer.body.p + c->sent, piece);

    int n = lws_write(wsi, bytes + LWS_PRE, piece,
            piece == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP);

    free(bytes);
    if (n < 0)
        return -1;
    c->sent += piece;
    if (piece < left) {
        (void)lws_callback_on_writable(wsi);
        return 0;
    }

    bool closes = j->closes;

    end_job(server_of(wsi), j);
    c->job = NULL;
    return closes || lws_http_transaction_completed(wsi) ? -1 : 0;
}

/* --- requests ------------------------------------------------------------- */

/* Lets the workers answer, or answers at once. */
static int proceed(struct lws *wsi, struct connection *c)
{
    struct server *s = server_of(wsi);
    struct job *j = c->job;
    struct store *none = NULL;

    j->request.body = buf_str(&j->body);
    if (j->what.route->flags & ROUTE_GENERATES) {
        if (!generations_take(s->generations, j))
            return send_answer(wsi, c, j);
        j->given = true;
        /* However long it takes. */
        lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);
        return 0;
    }
    if (!(j->what.route->flags & ROUTE_QUICK)) {
        j->given = true;
        server_give(s, j);
        return 0;
    }
    dispatch_answer(s, &j->what, &j->request, &none, &j->answer);
    dispatch_pack(&j->request, &j->answer);
    return send_answer(wsi, c, j);
}

static void let_go(struct server *s, struct connection *c)
{
    struct job *j = c->job;

    c->job = NULL;
    if (j)
        drop_job(s, j);
}

static int take_request(struct lws *wsi, struct connection *c, bool cut)
{
    struct server *s = server_of(wsi);
    struct job *j;
    char text[24];
    uint64_t length = 0;
    int len = lws_hdr_copy(wsi, text, sizeof(text),
            WSI_TOKEN_HTTP_CONTENT_LENGTH);
    bool odd =
            lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) ||
            (len > 0 && str_u64(&length, (struct str){ text, (size_t)len })) ||
            (len <= 0 &&
                    lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH));

    /* One behind another that is not answered yet, which no client of ours
     * sends: neither is. */
    if (c->job) {
        let_go(s, c);
        return -1;
    }
    j = lws_request_read(wsi, false);
    c->wsi = wsi;
    c->job = j;
    c->headed = false;
    if (cut)
        j->request.path.len = 0; /* which is no path */
    j->connection = c;
    j->wsi = wsi;
    keep_job(s, j);
    /* Before and behind a body the library may take the next request for a
     * part of it; so only one whose body was read goes on. */
    j->closes = odd || length > 0 ||
                (!str_is(j->request.method, "GET") &&
                        !str_is(j->request.method, "HEAD"));
    if (odd) {
        answer_problem(&j->answer, 400, "bad_request", NULL,
                "a body needs a Content-Length");
        return send_answer(wsi, c, j);
    }
    if (!dispatch_check(s, &j->what, &j->request, &j->answer))
        return send_answer(wsi, c, j);
    if (length > BODY_BYTES_MAX) {
        answer_problem(&j->answer, 413, "too_large", NULL,
                "a body has at most %d bytes", BODY_BYTES_MAX);
        return send_answer(wsi, c, j);
    }
    if (!length)
        return proceed(wsi, c);
    j->closes = false; /* it is read */
    return 0;
}

static int take_body(struct connection *c, const void *bytes, size_t len)
{
    struct job *j = c->job;

    if (!len) /* the end of an empty one */
        return 0;
    if (!j || c->headed || j->given || j->answered)
        return -1;
    if (j->body.len + len > BODY_BYTES_MAX)
        return -1;
    /* The library's patience begins anew with every byte. */
    if (mono_ns() - j->came_ns > WHOLE_IN_S * UINT64_C(1000000000))
        return -1;
    buf_add(&j->body, bytes, len);
    return 0;
}

static void take_answers(struct server *s)
{
    struct job *j, *next;

    (void)mtx_lock(&s->mutex);
    j = s->done;
    s->done = NULL;
    (void)mtx_unlock(&s->mutex);
    for (; j; j = next) {
        next = j->next;
        if (!j->connection) {
            note(s, j, 0);
            job_free(j);
        } else {
            (void)lws_callback_on_writable(j->wsi);
            j->given = false;
            j->answered = true;
        }
    }
}

/* --- WebSockets ----------------------------------------------------------- */

static int confirm_upgrade(struct lws *wsi)
{
    struct server *s = server_of(wsi);
    struct job *j = lws_request_read(wsi, true);
    int rc = 0;

    if (!dispatch_check(s, &j->what, &j->request, &j->answer))
        rc = send_answer(wsi, NULL, j) ? -1 : 1;
    job_free(j);
    return rc;
}

static int begin_socket(struct lws *wsi, struct connection *c,
        struct connection **list)
{
    struct server *s = server_of(wsi);
    struct job *j = lws_request_read(wsi, true);

    *c = (struct connection){ .wsi = wsi };
    if (dispatch_check(s, &j->what, &j->request, &j->answer)) {
        c->socket = socket_new(s, &j->what);
        c->next = *list;
        c->link = list;
        if (c->next)
            c->next->link = &c->next;
        *list = c;
        atomic_fetch_add(&s->sockets, 1);
        note(s, j, 101);
        c->asked = true;
        (void)lws_callback_on_writable(wsi);
    }
    job_free(j);
    return c->socket ? 0 : -1;
}

static void end_socket(struct lws *wsi, struct connection *c)
{
    struct server *s = server_of(wsi);

    if (!c->socket)
        return;
    socket_free(c->socket);
    c->socket = NULL;
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    buf_release(&c->in);
    buf_release(&c->out);
    atomic_fetch_sub(&s->sockets, 1);
}

static int take_frame(struct lws *wsi, struct connection *c, const void *bytes,
        size_t len)
{
    if (c->close_code)
        return 0;
    if (lws_frame_is_binary(wsi))
        c->close_code = 1003;
    else if (c->in.len + len > FRAME_MAX)
        c->close_code = 1009;
    if (c->close_code) {
        c->asked = true;
        (void)lws_callback_on_writable(wsi);
        return 0;
    }
    buf_add(&c->in, bytes, len);
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi))
        return 0;
    socket_take(c->socket, buf_str(&c->in));
    buf_clear(&c->in);
    c->asked = true;
    (void)lws_callback_on_writable(wsi);
    return 0;
}

static int write_frame(struct lws *wsi, struct connection *c)
{
    static const char room[LWS_PRE];
    uint64_t now = mono_ns();

    c->asked = false;
    if (!c->close_code)
        c->close_code = socket_close_code(c->socket, now);
    if (c->close_code) {
        lws_close_reason(wsi, (enum lws_close_status)c->close_code, NULL, 0);
        return -1;
    }
    buf_clear(&c->out);
    buf_add(&c->out, room, sizeof(room));
    if (!socket_next(c->socket, &c->out, now))
        return 0;
    if (lws_write(wsi, (unsigned char *)c->out.p + LWS_PRE,
                c->out.len - LWS_PRE, LWS_WRITE_TEXT) < 0)
        return -1;
    c->asked = true;
    (void)lws_callback_on_writable(wsi);
    return 0;
}

/* A tick: everybody may have something to say. */
static void wake_sockets(struct connection *list)
{
    uint64_t now = mono_ns();

    for (struct connection *c = list; c; c = c->next) {
        if (c->asked && lws_send_pipe_choked(c->wsi)) {
            socket_choked(c->socket, now);
            if (socket_close_code(c->socket, now) == 1013)
                lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK,
                        LWS_TO_KILL_ASYNC);
        }
        c->asked = true;
        (void)lws_callback_on_writable(c->wsi);
    }
}

/* --- the certificate ------------------------------------------------------ */

#define CERT_LOOK_NS UINT64_C(1000000000)

/* Whether the files are others than when it was looked last; then they are
 * taken, if they fit. */
static void look_at_certificate(struct server *s)
{
    const struct server_plan *p = &s->plan;
    uint64_t now = mono_ns();
    int64_t changed;

    if (!p->tls_cert || now - s->cert_looked_ns < CERT_LOOK_NS)
        return;
    s->cert_looked_ns = now;
    changed = file_changed_ns(p->tls_cert) ^ file_changed_ns(p->tls_key);
    if (s->cert_changed && changed != s->cert_changed &&
            certificate_fits(p->tls_cert, p->tls_key))
        (void)lws_tls_cert_updated(s->lws, p->tls_cert, p->tls_key, NULL, 0,
                NULL, 0);
    else if (s->cert_changed && changed != s->cert_changed)
        return; /* half of it is there: the next one looks again */
    s->cert_changed = changed;
}

/* --- libwebsockets -------------------------------------------------------- */

static int take_http(struct lws *wsi, enum lws_callback_reasons reason,
        struct connection *c, void *in, size_t len)
{
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        see_asking(wsi);
        return take_request(wsi, c, lws_request_has_zero(wsi, in, len));
    case LWS_CALLBACK_HTTP_BODY: return take_body(c, in, len);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        /* It also comes behind a body of no bytes, whose request is under
         * way. */
        return c->job && !c->headed && !c->job->given && !c->job->answered
                       ? proceed(wsi, c)
                       : 0;
    case LWS_CALLBACK_HTTP_WRITEABLE:
        if (c->job && c->headed)
            return send_more(wsi, c);
        if (c->job && c->job->answered)
            return send_answer(wsi, c, c->job);
        return 0;
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_CLOSED_HTTP:
        if (c)
            let_go(server_of(wsi), c);
        return 0;
    default: return lws_callback_http_dummy(wsi, reason, c, in, len);
    }
}

static int take(struct lws *wsi, enum lws_callback_reasons reason, void *user,
        void *in, size_t len)
{
    struct connection *c = user;

    switch (reason) {
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        take_answers(server_of(wsi));
        wake_sockets(server_of(wsi)->clients);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY: forget_wsi(server_of(wsi), wsi); return 0;
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        look_at_certificate(server_of(wsi));
        return 0;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: welcome(wsi); return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        see_asking(wsi);
        return confirm_upgrade(wsi);
    case LWS_CALLBACK_ESTABLISHED:
        return begin_socket(wsi, c, &server_of(wsi)->clients);
    case LWS_CALLBACK_RECEIVE: return take_frame(wsi, c, in, len);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return c->socket ? write_frame(wsi, c) : 0;
    case LWS_CALLBACK_CLOSED: end_socket(wsi, c); return 0;
    default: return take_http(wsi, reason, c, in, len);
    }
}

static const struct lws_protocols protocols[] = {
    { "http", take, sizeof(struct connection), CHUNK, 0, NULL, CHUNK },
    { SUBPROTOCOL, take, sizeof(struct connection), CHUNK, 0, NULL, CHUNK },
    { NULL, NULL, 0, 0, 0, NULL, 0 },
};

static const lws_retry_bo_t patience = {
    .secs_since_valid_ping = 20,
    .secs_since_valid_hangup = 60,
};

int lws_service_open(struct server *s, uint16_t port, struct error *e)
{
    struct lws_context_creation_info info = {
        .port = port,
        .iface = s->plan.bind,
        .protocols = protocols,
        .server_string = "ortmeter",
        .user = s,
        .fd_limit_per_thread = CONNECTIONS_MAX + 8,
        .max_http_header_data = HEADER_BYTES,
        .max_http_header_pool = CONNECTIONS_MAX,
        .pt_serv_buf_size = CHUNK,
        .timeout_secs = WHOLE_IN_S,
        .keepalive_timeout = 30,
        .retry_and_idle_policy = &patience,
        .options = LWS_SERVER_OPTION_VALIDATE_UTF8 |
                   LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS,
    };

    lws_set_log_level(0, NULL);
    if (s->plan.tls_cert) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = s->plan.tls_cert;
        info.ssl_private_key_filepath = s->plan.tls_key;
        info.ssl_options_set = SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1;
        info.ssl_cipher_list = "ECDHE+AESGCM:ECDHE+CHACHA20";
        info.alpn = "http/1.1";
    }
    s->lws = lws_create_context(&info);
    look_at_certificate(s);
    s->cert_looked_ns = 0;
    if (s->lws)
        return 0;
    return fail(e, -EADDRINUSE, "cannot serve at %s port %u: it is taken%s",
            s->plan.bind, port,
            s->plan.tls_cert ? ", or the certificate or its key cannot be read"
                             : ", or not an address of this machine");
}

void lws_service_close(struct server *s)
{
    if (s->lws)
        lws_context_destroy(s->lws);
    s->lws = NULL;
}

/* Each gets its goodbye, as far as it takes it. */
static void say_goodbye(struct server *s)
{
    uint64_t until = mono_ns() + GOODBYE_NS;

    for (struct connection *c = s->clients; c; c = c->next) {
        c->close_code = 1001;
        (void)lws_callback_on_writable(c->wsi);
    }
    while (s->clients && mono_ns() < until)
        (void)lws_service(s->lws, 0);
}

void lws_service_run(void *to)
{
    struct server *s = to;

    while (!atomic_load(&s->ends) && lws_service(s->lws, 0) >= 0)
        ;
    say_goodbye(s);
}

void lws_service_wake(struct server *s)
{
    if (s->lws)
        lws_cancel_service(s->lws);
}
