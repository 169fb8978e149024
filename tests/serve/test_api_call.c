/* test_api_call.c -- routes are found, and parameters read strictly. */
#include "serve/route.h"

#include "base/compiler.h"
#include "test.h"

#include <errno.h>
#include <string.h>

static const struct route *find(const char *method, const char *path,
        const char *want_allow)
{
    struct request r = { .method = str_of(method), .path = str_of(path) };
    struct buf allow = { 0 };
    struct str id = { 0 };
    const struct route *found = route_find(&r, &id, &allow);

    CHECK(str_is(buf_str(&allow), found ? "" : want_allow) || found);
    buf_release(&allow);
    return found;
}

static void test_routes(void)
{
    static const char *const none[] = { "/x", "/metrics/", "/METRICS",
        "/api/profiling/run/", "/api/profiling/run/a/b/summary", "//metrics",
        "/assets/../x", "" };

    CHECK(find("GET", "/metrics", "") != NULL);
    CHECK(find("HEAD", "/metrics", "") != NULL);
    CHECK(find("PUT", "/metrics", "GET, HEAD") == NULL);
    CHECK(find("DELETE", "/api/profiling/run/0123", "") != NULL);
    CHECK(find("POST", "/api/profiling/run/0123", "GET, HEAD, PATCH, DELETE") ==
            NULL);
    for (size_t i = 0; i < LEN(none); i++)
        CHECK(find("GET", none[i], "") == NULL);

    /* Routes of one path stand together: OpenAPI relies on it. */
    for (const struct route *r = routes; r->path; r++)
        for (const struct route *x = r + 1; x->path; x++)
            CHECK(strcmp(r->path, x->path) != 0 ||
                    strcmp(x[-1].path, x->path) == 0);
}

/* 0, or the parameter that the problem names. */
static void read_as(const char *path, const char *name, const char *value,
        const char *wrong)
{
    struct request r = { .method = str_of("GET"),
        .path = str_of(path),
        .query = { { str_of(name), str_of(value) } },
        .query_count = 1 };
    struct buf allow = { 0 };
    struct answer a = { 0 };
    struct str id;
    struct call c = { .request = &r, .route = route_find(&r, &id, &allow) };
    struct buf want = { 0 };
    int rc = query_read(&c, &a);

    CHECK_INT(rc, wrong ? -EINVAL : 0);
    if (wrong) {
        buf_printf(&want, "\"parameter\":\"%s\"", wrong);
        CHECK_INT(a.status, 400);
        CHECK(strstr(buf_cstr(&a.body), buf_cstr(&want)) != NULL);
    }
    query_release(&c);
    answer_release(&a);
    buf_release(&allow);
    buf_release(&want);
}

static void test_params(void)
{
    const char *runs = "/api/profiling/runs";

    read_as(runs, "limit", "1000", NULL);
    read_as(runs, "limit", "1001", "limit");
    read_as(runs, "limit", "0", "limit");
    read_as(runs, "limit", "1e2", "limit");
    read_as(runs, "limit", " 5", "limit");
    read_as(runs, "limit", "", "limit");
    read_as(runs, "sort_by", "energy", NULL);
    read_as(runs, "sort_by", "date|duration", "sort_by");
    read_as(runs, "tags", "a,b", NULL);
    read_as(runs, "tags", "a,,b", "tags");
    read_as(runs, "tags", "a,", "tags");
    read_as(runs, "model", "caf\xc3\xa9", NULL);
    read_as(runs, "model", "\xc0\xaf", "model");
    read_as(runs, "model", "a\nb", "model");
    read_as(runs, "date_from", "2026-01-31", NULL);
    read_as(runs, "date_from", "yesterday", "date_from");
    read_as(runs, "other", "1", "other");
    read_as("/metrics/history", "step", "0.001", NULL);
    read_as("/metrics/history", "step", "0", NULL);
    read_as("/metrics/history", "step", "-1", "step");
    read_as("/metrics/history", "step", "nan", "step");
    read_as("/api/report", "run", "las", "run");
    read_as("/api/compare", "a", "last", "b"); /* both are needed */
    read_as("/healthz", "x", "1", "x");
    read_as("/", "x", "1", NULL); /* the page's own */
}

static void test_repeated(void)
{
    struct request r = { .method = str_of("GET"),
        .path = str_of("/api/report"),
        .query = { { str_of("run"), str_of("last") },
                { str_of("run"), str_of("last") } },
        .query_count = 2 };
    struct buf allow = { 0 };
    struct answer a = { 0 };
    struct str id;
    struct call c = { .request = &r, .route = route_find(&r, &id, &allow) };

    CHECK_INT(query_read(&c, &a), -EINVAL);
    query_release(&c);
    r.query_count = REQUEST_QUERY_MAX + 1;
    CHECK_INT(query_read(&c, &a), -EINVAL);
    query_release(&c);
    answer_release(&a);
    buf_release(&allow);
}

int main(void)
{
    test_routes();
    test_params();
    test_repeated();
    return test_result();
}
