/* server.h -- the HTTP and WebSocket server: `ortmeter serve`, `run --serve`.
 *
 * One thread speaks with the clients (libwebsockets), two answer what needs the
 * database, one follows runs that are being recorded (live.h).  None of them
 * waits for a client. */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

struct address; /* fleet/address.h */
struct server;

struct server_plan {
    const char *bind; /* NULL: 127.0.0.1 */
    uint16_t port;    /* 0: 8000, or the next that is free */
    const char *tls_cert, *tls_key;
    bool self_signed; /* a certificate of our own making, in `folder` */
    bool require_token;
    double requests_per_s; /* 0: as is usual for the bind address */
    const char *const *hosts;
    size_t host_count;
    const char *const *origins;
    size_t origin_count;
    const char *const *embedders; /* pages that may show /embed/... in them */
    size_t embedder_count;
    bool recorded; /* what is served is a recording that came with ortmeter */
    const char *folder; /* for tokens and the audit log; NULL: neither */
    /* A store of many machines, whose runs are served instead of those of the
     * database, which is then never asked; NULL: none. */
    const struct address *fleet;
    /* Opens the database; called by several threads. */
    int (*open_store)(void *context, struct store **out, enum store_mode mode,
            struct error *e);
    /* Adds members of /api/sources and of /api/system: what only the commands
     * know. */
    void (*sources)(void *context, struct json *j);
    void (*machine)(void *context, struct json *j);
    /* Whether energy can be measured here: 0, or why not. */
    int (*energy)(void *context, struct error *why);
    /* The command that makes texts, to which a request's options are added;
     * ends with NULL.  NULL: none are made. */
    char *const *generate;
    const char *const *model_roots; /* folders with models for it */
    size_t model_root_count;
    void *context;
};

/* Starts to serve.  -EINVAL: another address than loopback without TLS.
 * -EADDRINUSE, -EACCES: the port. */
int server_start(struct server **out, const struct server_plan *p,
        struct error *e);
/* A run of this process has ended: waits until those who listen could hear of
 * it, ten seconds at most. */
void server_settle(struct server *s);

/* Says goodbye to all clients, and waits for the threads.  NULL is welcome. */
void server_stop(struct server *s);

/* "http://127.0.0.1:8000/#token=..." */
const char *server_url(const struct server *s);
