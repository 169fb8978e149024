/* state.h -- what the parts of the server share.  Not for others. */
#pragma once

#include "os/thread.h"
#include "serve/access.h"
#include "serve/audit.h"
#include "serve/live/live.h"
#include "serve/server.h"

#include <stdatomic.h>
#include <threads.h>

#define WORKERS 2

struct dispatch {
    const struct route *route;
    struct access_who who;
    struct str id; /* in the path */
};

/* A request that a worker answers.  The connection may be gone by then. */
struct job {
    struct request request;
    struct dispatch what;
    struct answer answer;
    struct connection *connection; /* of the service thread; NULL: it is gone */
    struct lws *wsi;               /* likewise */
    struct job *beside;            /* in server.open_jobs */
    bool closes;                   /* a body that nobody reads may follow */
    struct buf body;
    char *texts_of; /* what the request borrows from */
    char peer[64];
    uint64_t came_ns;
    bool given;    /* it is with the workers */
    bool answered; /* they are done */
    bool noted;    /* in the audit log */
    struct job *next;
};

struct server {
    struct server_plan plan;
    struct access *access;
    struct audit *audit;
    struct live *live;
    struct lws_context *lws;
    struct connection *clients; /* WebSockets; of the service thread */
    struct job *open_jobs;      /* of connections; of the service thread */
    struct buf url, token_file, audit_file;
    struct buf cert_file, key_file; /* of our own making */
    uint64_t cert_looked_ns;        /* when was looked whether it is another */
    int64_t cert_changed;           /* its time, and its key's */
    uint64_t started_wall_ns;
    bool open; /* who comes without a token is a viewer */
    struct thread *service, *worker[WORKERS];
    struct generations *generations;
    mtx_t mutex;
    cnd_t wake;
    struct job *waiting, **waiting_end, *done; /* under the mutex */
    bool stops;                                /* under the mutex */
    atomic_bool ends;
    atomic_uint sockets;       /* WebSocket clients */
    atomic_ulong requests;     /* that were answered */
    atomic_ulong refusals;     /* of them with 4xx */
    atomic_ulong merged_ticks; /* that found a client's last message unsent */
};

/* The checks that need neither a body nor the database, in the order of the
 * contract.  False: the answer is there. */
bool dispatch_check(struct server *s, struct dispatch *d,
        const struct request *r, struct answer *a);

/* False: the body is no JSON where it must be, and the answer says so. */
bool dispatch_type_fits(const struct dispatch *d, const struct request *r,
        struct answer *a);

/* The rest, and the handler.  `store` is opened when it is needed, and stays
 * so for the next. */
void dispatch_answer(struct server *s, const struct dispatch *d,
        const struct request *r, struct store **store, struct answer *a);

/* Adds the headers that every answer has, a line each. */
void dispatch_headers(const struct server *s, const struct request *r,
        const struct answer *a, struct buf *out);

/* Packs the body where the client takes that and it pays. */
void dispatch_pack(const struct request *r, struct answer *a);

/* The protocol of /ws/metrics and /ws/profiling (socket.c). */
struct socket;

struct socket *socket_new(struct server *s, const struct dispatch *d);
void socket_free(struct socket *k);
/* A whole message of the client. */
void socket_take(struct socket *k, struct str text);
/* The next message to send, if any is due: into `out`. */
bool socket_next(struct socket *k, struct buf *out, uint64_t now_ns);
/* What to close it with; 0: it stays open. */
int socket_close_code(struct socket *k, uint64_t now_ns);
/* A tick found the last message unsent. */
void socket_choked(struct socket *k, uint64_t now_ns);
