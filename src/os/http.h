/* http.h -- HTTP requests, one after another, over a connection that is kept.
 * By libcurl, which is the same on every system.
 *
 * One thread at a time uses a struct http.  Nothing is ever sent elsewhere than
 * the address says: redirections are not followed. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#include <stdatomic.h>

struct http;

/* NULL headers are none; else they end with NULL: "Name: value". */
struct http_request {
    const char *url;
    const char *const *headers;
    struct str body; /* is posted */
    /* Gets the answer piece by piece when the status is 200; not 0 gives up.
     * NULL: the answer is kept in the reply. */
    int (*take)(void *context, struct str piece);
    void *context;
    uint32_t timeout_ms; /* for all of it; 0: as long as bytes come and go */
    const atomic_bool *cancel; /* NULL, or: give up when it becomes true */
};

struct http_reply {
    int status;
    uint64_t retry_after_ms; /* the pause that it asks for; 0: none */
    struct buf text;         /* its first 64 KiB, where nobody takes it */
};

/* -ENOMEM, which is all that can go wrong here. */
int http_open(struct http **out, struct error *e);
/* NULL is welcome. */
void http_close(struct http *h);

/* 0: there was an answer, of whatever status.  -EHOSTUNREACH: nobody listens
 * there.  -ETIMEDOUT.  -ECANCELED: `take` gave up, or `cancel` became true.
 * -EIO: the connection broke, or what came is not HTTP.  The reply starts
 * zeroed or used; its text is the caller's to release. */
int http_post(struct http *h, const struct http_request *r,
        struct http_reply *reply, struct error *e);

/* Adds a text as it may stand in a query: letters, digits, the rest in %xx. */
void http_escape(struct buf *out, const char *text);
