/* address.h -- where the store of many machines is.
 *
 *     clickhouse://USER[:PASSWORD]@HOST[:PORT]/DATABASE[?cluster=NAME]
 *
 * `clickhouses://` speaks TLS.  The port is 8123, or 8443 with TLS, unless
 * told; without USER it is ClickHouse's own `default`.  Special characters in
 * user and password are written as %xx.  With a cluster, rows are spread over
 * its shards.  A HOST that is an IPv6 address stands in brackets. */
#pragma once

#include "base/error.h"
#include "base/str.h"

struct address {
    bool tls;
    char *user;
    char *password; /* "" when there is none */
    char *host;
    uint32_t port;
    char *database;
    char *cluster; /* NULL: none */
    char *name;    /* what to call it by: the address without the password */
};

/* A password in the address may be read by whoever lists processes, so one may
 * be given apart; the address's own comes first.  NULL: none.  -EINVAL with a
 * sentence; `out` is then empty. */
int address_parse(struct address *out, struct str text, const char *password,
        struct error *e);
void address_copy(struct address *to, const struct address *from);
void address_release(struct address *a);
