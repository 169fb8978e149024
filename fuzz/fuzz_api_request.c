/* fuzz_api_request.c -- a request, line by line: method, path, Host, Origin,
 * Authorization, and a parameter a line; through the same checks and reading of
 * parameters as in the server. */
#include "base/json_read.h"
#include "serve/access.h"
#include "serve/live/subscription.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static struct str next(struct str *rest)
{
    struct str line = { 0 };

    (void)str_line(&line, rest);
    return line;
}

/* Also as a message of a WebSocket client, which names no run. */
static void as_message(struct str text)
{
    struct subscription s;
    const char *code;

    if (json_is_sound(text) && json_kind(str_trim(text)) == '{' &&
            !str_find(text, "run") && !str_find(text, "after") &&
            !str_find(text, "\\") &&
            !subscription_read(&s, str_trim(text), NULL, &code))
        subscription_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct access *access;
    struct str rest = { (const char *)bytes, len };
    struct request r = { .peer = "127.0.0.1", .upgrade = len & 1 };
    struct access_who who;
    struct buf allow = { 0 };
    struct answer a = { 0 };
    struct str id;

    if (!access && access_new(&access,
                           &(struct access_plan){ .bind = "127.0.0.1",
                                   .port = 8000,
                                   .loopback = true },
                           NULL))
        abort();
    as_message(rest);
    r.method = next(&rest);
    r.path = next(&rest);
    r.host = next(&rest);
    r.origin = next(&rest);
    r.authorization = next(&rest);
    r.protocols = next(&rest);
    for (struct str line;
            r.query_count <= REQUEST_QUERY_MAX && str_line(&line, &rest);
            r.query_count++)
        if (r.query_count < REQUEST_QUERY_MAX)
            r.query[r.query_count] = (struct query){ str_before(line, '='),
                str_after(line, '=') };
    (void)access_host(access, r.host);
    (void)access_origin(access, r.origin);
    (void)access_who(access, &who, &r, 1);

    struct call c = { .request = &r, .route = route_find(&r, &id, &allow) };

    if (c.route && query_read(&c, &a) && !json_is_sound(buf_str(&a.body)))
        abort();
    query_release(&c);
    answer_release(&a);
    buf_release(&allow);
    return 0;
}
