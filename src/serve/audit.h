/* audit.h -- who asked for what, and what came of it: a file that is only added
 * to.
 *
 * A line is a JSON object: time, peer, token's name, role, method, path,
 * status, and how long it took.  Never a token, a query or a body.  At 10 MB
 * the file becomes audit.log.1, and so on to .5.  For one thread. */
#pragma once

#include "base/error.h"
#include "serve/route.h"

struct audit;

/* NULL path: nothing is written. */
int audit_open(struct audit **out, const char *path, struct error *e);
void audit_close(struct audit *a);

struct audit_entry {
    const char *peer, *token; /* NULL: none */
    enum role role;
    struct str method, path;
    int status; /* 0: the connection was closed before there was an answer */
    uint64_t took_ns;
};

void audit_add(struct audit *a, const struct audit_entry *x);
