/* access.h -- who may come in: Host, Origin, tokens, roles and rates, in that
 * order (dispatch.c).  For one thread. */
#pragma once

#include "serve/route.h"
#include "serve/tokens.h"

#define ACCESS_NAMES_MAX 32

struct access_plan {
    const char *bind;
    uint16_t port;
    bool tls;
    bool loopback; /* the bind address is */
    bool require_token;
    double requests_per_s; /* 0: no limit */
    const char *const *hosts;
    size_t host_count;
    const char *const *origins;
    size_t origin_count;
    const char *token_file; /* NULL: there is none */
};

struct access;

/* Makes the admin's token of this start. */
int access_new(struct access **out, const struct access_plan *p,
        struct error *e);
void access_free(struct access *a);
const char *access_owner_token(const struct access *a);

/* Whether the Host is one of ours: 0, 400 (none was sent) or 421. */
int access_host(const struct access *a, struct str host);
/* Whether the Origin is ours, or one that is allowed; none at all is good. */
bool access_origin(const struct access *a, struct str origin);
/* Whether it is one that --allow-origin names. */
bool access_is_foreign(const struct access *a, struct str origin);

struct access_who {
    enum role role;
    char name[TOKEN_NAME_MAX + 1]; /* of the token; "": none */
    uint64_t ends_s;               /* 0: never */
};

/* Who asks.  0; 401: the token is wrong, or one is needed; 429: too many wrong
 * ones came from there. */
int access_who(struct access *a, struct access_who *out,
        const struct request *r, uint64_t now_ns);

/* The token in the headers; empty: none. */
struct str access_token_of(const struct request *r);

/* Whether a token that was good is no more: revoked or expired. */
bool access_is_over(struct access *a, const struct access_who *w);

/* False: too many requests, by that token or from there. */
bool access_rate(struct access *a, const struct access_who *w, const char *peer,
        uint64_t now_ns);
