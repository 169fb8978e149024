#include "serve/lws_request.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <libwebsockets.h>
#include <stddef.h>
#include <string.h>

#define MAPPED "::ffff:" /* before an IPv4 address */
#define PREFER "prefer:"

static const struct {
    enum lws_token_indexes token;
    const char *method;
} methods[] = {
    { WSI_TOKEN_GET_URI, "GET" },
    { WSI_TOKEN_POST_URI, "POST" },
    { WSI_TOKEN_HEAD_URI, "HEAD" },
    { WSI_TOKEN_DELETE_URI, "DELETE" },
    { WSI_TOKEN_PATCH_URI, "PATCH" },
    { WSI_TOKEN_PUT_URI, "PUT" },
    { WSI_TOKEN_OPTIONS_URI, "OPTIONS" },
    { WSI_TOKEN_CONNECT, "CONNECT" },
};

static const struct {
    enum lws_token_indexes token;
    size_t at;
} headers[] = {
    { WSI_TOKEN_HOST, offsetof(struct request, host) },
    { WSI_TOKEN_ORIGIN, offsetof(struct request, origin) },
    { WSI_TOKEN_HTTP_AUTHORIZATION, offsetof(struct request, authorization) },
    { WSI_TOKEN_HTTP_CONTENT_TYPE, offsetof(struct request, content_type) },
    { WSI_TOKEN_HTTP_ACCEPT_ENCODING, offsetof(struct request, encoding) },
    { WSI_TOKEN_PROTOCOL, offsetof(struct request, protocols) },
    { WSI_TOKEN_HTTP_IF_NONE_MATCH, offsetof(struct request, if_none_match) },
};

/* Copies a header to where the texts go on. */
static struct str copy(struct lws *wsi, char **to, enum lws_token_indexes token)
{
    int len = lws_hdr_total_length(wsi, token);
    struct str s = { *to, (size_t)len };

    if (lws_hdr_copy(wsi, *to, len + 1, token) < 0)
        s.len = 0;
    *to += len + 1;
    return s;
}

/* The same of one that lws does not know. */
static struct str copy_custom(struct lws *wsi, char **to, const char *name)
{
    int len = lws_hdr_custom_length(wsi, name, (int)strlen(name));
    struct str s = { *to, len > 0 ? (size_t)len : 0 };

    if (len <= 0)
        return (struct str){ 0 };
    if (lws_hdr_custom_copy(wsi, *to, len + 1, name, (int)strlen(name)) < 0)
        s.len = 0;
    *to += len + 1;
    return s;
}

static size_t texts_needed(struct lws *wsi)
{
    int prefer = lws_hdr_custom_length(wsi, PREFER, (int)strlen(PREFER));
    size_t sum = 64 + (prefer > 0 ? (size_t)prefer + 1 : 0);

    for (size_t i = 0; i < LWS_ARRAY_SIZE(methods); i++)
        sum += (size_t)lws_hdr_total_length(wsi, methods[i].token) + 1;
    for (size_t i = 0; i < LWS_ARRAY_SIZE(headers); i++)
        sum += (size_t)lws_hdr_total_length(wsi, headers[i].token) + 1;
    /* Each fragment ends with a zero of its own. */
    return sum +
           2 * (size_t)lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_URI_ARGS) +
           (size_t)2 * REQUEST_QUERY_MAX;
}

static void read_query(struct lws *wsi, struct request *r, char *to,
        const char *end)
{
    for (int n = 0;; n++) {
        int len = lws_hdr_copy_fragment(wsi, to, (int)(end - to),
                WSI_TOKEN_HTTP_URI_ARGS, n);
        struct str both = { to, len > 0 ? (size_t)len : 0 };

        if (len < 0)
            return;
        if (r->query_count == REQUEST_QUERY_MAX) {
            r->query_count++;
            return;
        }
        r->query[r->query_count++] = (struct query){
            str_before(both, '='),
            str_after(both, '='),
        };
        to += len + 1;
    }
}

const char *lws_request_peer(struct lws *wsi, char *room, size_t size)
{
    (void)lws_get_peer_simple(wsi, room, size);
    return str_starts(str_of(room), MAPPED) ? room + sizeof(MAPPED) - 1 : room;
}

struct job *lws_request_read(struct lws *wsi, bool upgrade)
{
    struct job *j = alloc_zero(1, sizeof(*j));
    struct request *r = &j->request;
    size_t room = texts_needed(wsi);
    char *to = j->texts_of = alloc_zero(1, room);
    char *end = to + room;

    j->came_ns = mono_ns();
    r->peer = lws_request_peer(wsi, j->peer, sizeof(j->peer));
    r->upgrade = upgrade;
    r->tls = lws_is_ssl(wsi);
    for (size_t i = 0; i < LWS_ARRAY_SIZE(methods) && !r->method.p; i++)
        if (lws_hdr_total_length(wsi, methods[i].token)) {
            r->method = str_of(methods[i].method);
            r->path = copy(wsi, &to, methods[i].token);
        }
    for (size_t i = 0; i < LWS_ARRAY_SIZE(headers); i++)
        if (lws_hdr_total_length(wsi, headers[i].token))
            *(struct str *)(void *)((char *)r + headers[i].at) =
                    copy(wsi, &to, headers[i].token);
    if (lws_hdr_custom_length(wsi, "access-control-request-method:", 30) > 0)
        r->ask_method = str_of("there");
    r->prefer = copy_custom(wsi, &to, PREFER);
    read_query(wsi, r, to, end);
    return j;
}

bool lws_request_has_zero(struct lws *wsi, const char *path, size_t len)
{
    bool asks = lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_URI_ARGS) > 0;
    size_t zeros = 0;

    if (!lws_hdr_total_length(wsi, WSI_TOKEN_HTTP))
        return true;
    while (zeros < 3 && !path[len + zeros])
        zeros++;
    return zeros == 3 || (zeros == 2 && !asks &&
                                 strncmp(path + len + zeros, "HTTP/", 5) == 0);
}
