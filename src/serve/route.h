/* route.h -- what the server answers: one table of routes, and what a handler
 * gets and gives.
 *
 * A route is a line in routes.c: method, path, least role, parameters with
 * their limits, handler, and the schema of its answer.  The router, OpenAPI
 * (openapi.c) and docs/api.md are made from the table, so they cannot differ.
 *
 * Nothing here knows of sockets: lws_server.c makes a struct request of what
 * came, and sends the struct answer. */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "model/run.h"
#include "serve/answer/moment.h"
#include "store/store.h"

#define ROUTE_PARAMS_MAX  16
#define REQUEST_QUERY_MAX 32
#define BODY_BYTES_MAX    (1 << 20)

enum role { ROLE_NONE, ROLE_VIEWER, ROLE_OPERATOR, ROLE_ADMIN, ROLES };

/* "none", "viewer", "operator", "admin". */
const char *role_name(enum role role);
/* -EINVAL: there is none of that name. */
int role_find(enum role *out, struct str name);

enum param_kind {
    PARAM_TEXT,   /* 1 to `most` bytes */
    PARAM_INT,    /* `least` to `most` */
    PARAM_REAL,   /* the same */
    PARAM_CHOICE, /* one of `words` */
    PARAM_LIST,   /* of `words`, with commas; or any, where there are none */
    PARAM_TIME,   /* moment.h */
    PARAM_RUN,    /* an id, its beginning, or "last" */
};

struct param {
    const char *name;
    enum param_kind kind;
    double least, most;
    const char *words; /* "date|duration|energy" */
    const char *usual; /* what holds when it is not given, for people */
    bool required;
    const char *about;
};

/* A name and a value, as they came, without escapes. */
struct query {
    struct str name, value;
};

/* What came.  Texts are borrowed; a header that was not sent has no `p`. */
struct request {
    struct str method, path;
    struct query query[REQUEST_QUERY_MAX];
    size_t query_count; /* REQUEST_QUERY_MAX + 1: there were more */
    struct str host, origin, authorization, content_type, encoding, protocols;
    struct str if_none_match, ask_method, prefer;
    struct str body;
    bool upgrade;     /* to a WebSocket */
    bool tls;         /* it came through TLS */
    const char *peer; /* the address it came from */
};

struct answer {
    int status;
    const char *type; /* static */
    struct buf body;
    struct buf headers; /* "Name: value\n", more than every answer has */
    bool cacheable;     /* no `Cache-Control: no-store`: headers say which */
    bool gzipped;       /* the body is, already */
};

void answer_release(struct answer *a);

/* Makes a problem (RFC 9457) of the answer; `parameter` may be NULL. */
void answer_problem(struct answer *a, int status, const char *code,
        const char *parameter, const char *fmt, ...) PRINTF_LIKE(5, 6);

struct server; /* server.h */
struct route;

/* One request on its way through a handler. */
struct call {
    struct server *server;
    const struct request *request;
    const struct route *route;
    enum role role;
    const char *token; /* its name; NULL: none */
    struct store *store;
    char id[RUN_ID_LEN + 1]; /* what stands in the path's {run_id} */
    /* By the place in route->params; NULL: not given. */
    char *text[ROUTE_PARAMS_MAX];
    int64_t number[ROUTE_PARAMS_MAX];
    double real[ROUTE_PARAMS_MAX];
    struct moment moment[ROUTE_PARAMS_MAX];
};

typedef void handler(struct call *c, struct answer *a);

enum route_flag {
    ROUTE_STORE = 1,      /* it reads the database */
    ROUTE_CHANGES = 2,    /* and writes it: it is opened for that */
    ROUTE_SOCKET = 4,     /* a WebSocket */
    ROUTE_BODY = 8,       /* takes a body of JSON */
    ROUTE_PAGE = 16,      /* its query is the page's, unchecked */
    ROUTE_ONE_RUN = 32,   /* 404, 409: of a run that it names */
    ROUTE_NEEDS_ID = 64,  /* the full id only */
    ROUTE_QUICK = 128,    /* answered at once, without a worker */
    ROUTE_COMPARES = 256, /* names two runs, that must both be there */
    ROUTE_GENERATES = 512 /* takes its time: generations.h */
};

struct route {
    const char *method; /* GET stands for HEAD, too */
    const char *path;   /* may hold one {name} */
    enum role role;
    unsigned flags;
    const char *about;
    const struct param *params; /* ends with a name of NULL; NULL: none */
    const char *answer;         /* schemas.c; NULL: no JSON */
    const char *type;           /* of the answer; NULL: application/json */
    handler *handle;            /* NULL: generations.h answers */
};

/* Ends with a path of NULL. */
extern const struct route routes[];

/* The schema of the body that it takes; NULL: none. */
const char *route_body(const struct route *r);

/* What is asked for, by the route's table.  Their names must be there. */
const char *query_text(const struct call *c, const char *name);
bool query_given(const struct call *c, const char *name);
int64_t query_number(const struct call *c, const char *name, int64_t usual);
double query_real(const struct call *c, const char *name, double usual);
const struct moment *query_moment(const struct call *c, const char *name);
/* Whether a list that was given has the word; true where none was. */
bool query_lists(const struct call *c, const char *name, const char *word);

/* Reads and checks the query by the table.  -EINVAL: the answer is a problem
 * that names the parameter.  query_release() in any case. */
int query_read(struct call *c, struct answer *a);
void query_release(struct call *c);

/* Which route is meant.  NULL: none has that path, or `allow`, which is
 * cleared, names the methods that it has. */
const struct route *route_find(const struct request *r, struct str *id,
        struct buf *allow);
