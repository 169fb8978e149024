/* server.c -- starts and stops the server: its threads, the workers and what
 * they answer. */
#include "serve/server.h"

#include "base/alloc.h"
#include "os/clock.h"
#include "os/process/pause.h"
#include "os/process/self.h"
#include "serve/answer/generations.h"
#include "serve/certificate.h"
#include "serve/lws_service.h"
#include "serve/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_PORT    8000
#define PORTS_TRIED   100
#define USUAL_BIND    "127.0.0.1"
#define REQUESTS_OFF  100 /* a second, of others than loopback */
#define SETTLE_NS     UINT64_C(10000000000)
#define LAST_WORDS_NS UINT64_C(1000000000)

/* --- workers -------------------------------------------------------------- */

static struct job *take_job(struct server *s)
{
    struct job *j;

    (void)mtx_lock(&s->mutex);
    while (!s->waiting && !s->stops)
        (void)cnd_wait(&s->wake, &s->mutex);
    j = s->stops ? NULL : s->waiting;
    if (j) {
        s->waiting = j->next;
        if (!s->waiting)
            s->waiting_end = &s->waiting;
    }
    (void)mtx_unlock(&s->mutex);
    return j;
}

static void work(void *to)
{
    struct server *s = to;
    struct store *store = NULL;
    struct job *j;

    while ((j = take_job(s))) {
        dispatch_answer(s, &j->what, &j->request, &store, &j->answer);
        dispatch_pack(&j->request, &j->answer);
        server_answered(s, j);
    }
    store_close(store);
}

void server_answered(struct server *s, struct job *j)
{
    (void)mtx_lock(&s->mutex);
    j->next = s->done;
    s->done = j;
    (void)mtx_unlock(&s->mutex);
    lws_service_wake(s);
}

void server_give(struct server *s, struct job *j)
{
    (void)mtx_lock(&s->mutex);
    j->next = NULL;
    *s->waiting_end = j;
    s->waiting_end = &j->next;
    (void)cnd_signal(&s->wake);
    (void)mtx_unlock(&s->mutex);
}

void job_free(struct job *j)
{
    if (!j)
        return;
    answer_release(&j->answer);
    buf_release(&j->body);
    free(j->texts_of);
    free(j);
}

static void free_jobs(struct job *j)
{
    while (j) {
        struct job *next = j->next;

        job_free(j);
        j = next;
    }
}

/* --- start and stop ------------------------------------------------------- */

static bool is_loopback(const char *bind)
{
    return str_starts(str_of(bind), "127.") || strcmp(bind, "::1") == 0 ||
           strcmp(bind, "localhost") == 0;
}

/* "https://example.org:8443": it becomes part of a header. */
static bool is_origin(const char *text)
{
    const char *host = strstr(text, "://");

    return (str_starts(str_of(text), "https://") ||
                   str_starts(str_of(text), "http://")) &&
           host[3] &&
           !host[3 + strspn(host + 3, "abcdefghijklmnopqrstuvwxyz"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789.:-[]")];
}

static int sign_self(struct server *s, struct error *e)
{
    struct server_plan *p = &s->plan;
    const char *names[ACCESS_NAMES_MAX + 3] = { "localhost", "127.0.0.1",
        p->bind };
    size_t count = 3;

    if (!p->folder)
        return fail(e, -ENOENT, "there is no folder for a certificate");
    for (size_t i = 0; i < p->host_count && i < ACCESS_NAMES_MAX; i++)
        names[count++] = p->hosts[i];
    buf_printf(&s->cert_file, "%s/tls-cert.pem", p->folder);
    buf_printf(&s->key_file, "%s/tls-key.pem", p->folder);
    p->tls_cert = buf_cstr(&s->cert_file);
    p->tls_key = buf_cstr(&s->key_file);
    return certificate_make(p->tls_cert, p->tls_key, names, count, e);
}

static int check_tls(struct server *s, struct error *e)
{
    struct server_plan *p = &s->plan;

    if (p->self_signed && (p->tls_cert || p->tls_key))
        return fail(e, -EINVAL,
                "--tls-self-signed makes a certificate: it goes with neither "
                "--tls-cert nor --tls-key");
    if (!p->tls_cert != !p->tls_key)
        return fail(e, -EINVAL, "--tls-cert and --tls-key belong together");
    if (p->tls_cert && !certificate_fits(p->tls_cert, p->tls_key))
        return fail(e, -EINVAL,
                "%.100s and %.100s cannot be read, or are no certificate and "
                "its key",
                p->tls_cert, p->tls_key);
    return p->self_signed ? sign_self(s, e) : 0;
}

static int check_plan(struct server *s, struct error *e)
{
    struct server_plan *p = &s->plan;
    int rc;

    if (!p->bind)
        p->bind = USUAL_BIND;
    if (strcmp(p->bind, "localhost") == 0)
        p->bind = USUAL_BIND;
    for (size_t i = 0; i < p->embedder_count; i++)
        if (!is_origin(p->embedders[i]))
            return fail(e, -EINVAL,
                    "--embed-origin takes https://NAME, not '%.100s'",
                    p->embedders[i]);
    rc = check_tls(s, e);
    if (rc)
        return rc;
    if (!is_loopback(p->bind) && !p->tls_cert)
        return fail(e, -EINVAL,
                "%s is no loopback address: others may only connect by TLS, so "
                "--tls-cert and --tls-key are needed, or --tls-self-signed",
                p->bind);
    return 0;
}

static int open_parts(struct server *s, uint16_t port, struct error *e)
{
    struct server_plan *p = &s->plan;
    bool loopback = is_loopback(p->bind);
    struct access_plan who = {
        .bind = p->bind,
        .port = port,
        .tls = p->tls_cert != NULL,
        .loopback = loopback,
        .require_token = p->require_token || !loopback,
        .requests_per_s = p->requests_per_s > 0 ? p->requests_per_s
                          : loopback            ? 0
                                                : REQUESTS_OFF,
        .hosts = p->hosts,
        .host_count = p->host_count,
        .origins = p->origins,
        .origin_count = p->origin_count,
        .token_file = p->folder ? buf_cstr(&s->token_file) : NULL,
    };

    s->open = !who.require_token;
    access_free(s->access);
    s->access = NULL;
    return access_new(&s->access, &who, e);
}

static int listen_somewhere(struct server *s, struct error *e)
{
    uint16_t first = s->plan.port ? s->plan.port : USUAL_PORT;
    int tries = s->plan.port ? 1 : PORTS_TRIED;

    for (int i = 0; i < tries; i++) {
        uint16_t port = (uint16_t)(first + i);
        int rc = open_parts(s, port, e);

        if (!rc)
            rc = lws_service_open(s, port, e);
        if (!rc)
            buf_printf(&s->url, "%s://%s%s%s:%u/#token=%s",
                    s->plan.tls_cert ? "https" : "http",
                    strchr(s->plan.bind, ':') ? "[" : "", s->plan.bind,
                    strchr(s->plan.bind, ':') ? "]" : "", port,
                    access_owner_token(s->access));
        if (rc != -EADDRINUSE)
            return rc;
    }
    return -EADDRINUSE;
}

static void wake_clients(void *to)
{
    lws_service_wake(to);
}

static int start_threads(struct server *s, struct error *e)
{
    int rc = live_start(&s->live, s->plan.open_store, s->plan.context,
            wake_clients, s, e);

    for (int i = 0; i < WORKERS && !rc; i++)
        rc = thread_start(&s->worker[i], work, s);
    if (!rc)
        rc = generations_start(&s->generations, s, e);
    if (!rc)
        rc = thread_start(&s->service, lws_service_run, s);
    return rc;
}

int server_start(struct server **out, const struct server_plan *p,
        struct error *e)
{
    struct server *s = alloc_zero(1, sizeof(*s));
    struct store *store = NULL;
    int rc;

    s->plan = *p;
    s->waiting_end = &s->waiting;
    s->started_wall_ns = wall_ns();
    (void)mtx_init(&s->mutex, mtx_plain);
    (void)cnd_init(&s->wake);
    self_raise_file_limit();
    if (p->folder) {
        buf_printf(&s->token_file, "%s/tokens", p->folder);
        buf_printf(&s->audit_file, "%s/audit.log", p->folder);
    }
    rc = check_plan(s, e);
    if (!rc) /* one that is not there yet is made */
        rc = p->open_store(p->context, &store, STORE_WRITE, e);
    store_close(store);
    if (!rc)
        rc = audit_open(&s->audit, p->folder ? buf_cstr(&s->audit_file) : NULL,
                e);
    if (!rc)
        rc = listen_somewhere(s, e);
    if (!rc)
        rc = start_threads(s, e);
    if (rc) {
        server_stop(s);
        return rc;
    }
    *out = s;
    return 0;
}

static bool runs_go_on(struct server *s)
{
    const struct live_view *v = live_lock(s->live);
    bool any = false;

    for (size_t i = 0; i < v->run_count; i++)
        any |= !v->runs[i]->ended;
    live_unlock(s->live);
    return any;
}

void server_settle(struct server *s)
{
    uint64_t until = mono_ns() + SETTLE_NS;

    while (atomic_load(&s->sockets) && runs_go_on(s) && mono_ns() < until)
        (void)sleep_until(mono_ns() + LAST_WORDS_NS / 10);
    /* Each client hangs up when it was told, or has had the time. */
    for (int i = 0; i < 10 && atomic_load(&s->sockets); i++)
        (void)sleep_until(mono_ns() + LAST_WORDS_NS / 10);
}

void server_stop(struct server *s)
{
    if (!s)
        return;
    atomic_store(&s->ends, true);
    lws_service_wake(s);
    thread_join(s->service);
    (void)mtx_lock(&s->mutex);
    s->stops = true;
    (void)cnd_broadcast(&s->wake);
    (void)mtx_unlock(&s->mutex);
    for (int i = 0; i < WORKERS; i++)
        thread_join(s->worker[i]);
    generations_stop(s->generations);
    live_stop(s->live);
    lws_service_close(s);
    free_jobs(s->waiting);
    free_jobs(s->done);
    access_free(s->access);
    audit_close(s->audit);
    buf_release(&s->url);
    buf_release(&s->token_file);
    buf_release(&s->audit_file);
    buf_release(&s->cert_file);
    buf_release(&s->key_file);
    mtx_destroy(&s->mutex);
    cnd_destroy(&s->wake);
    free(s);
}

const char *server_url(const struct server *s)
{
    return buf_cstr(&s->url);
}
