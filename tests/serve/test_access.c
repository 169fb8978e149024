/* test_access.c -- who may come in: Host, Origin, tokens, lock-out, rates. */
#include "serve/access.h"

#include "base/compiler.h"
#include "test.h"

#include <string.h>

#define S UINT64_C(1000000000)

static const char *const hosts[] = { "meter.example" };
static const char *const origins[] = { "https://other.example" };

static struct access_plan plan = {
    .bind = "127.0.0.1",
    .port = 8000,
    .loopback = true,
    .hosts = hosts,
    .host_count = 1,
    .origins = origins,
    .origin_count = 1,
};

static void test_names(struct access *a)
{
    static const char *const good[] = { "localhost:8000", "127.0.0.1:8000",
        "[::1]:8000", "meter.example:8000" };
    static const char *const wrong[] = { "localhost", "localhost:8001",
        "evil.example:8000", "127.0.0.1:8000.evil.example", "127.0.0.1:8000:1",
        "localhost:", ":8000", "[::1", "LOCALHOST:8000x" };

    for (size_t i = 0; i < LEN(good); i++)
        CHECK_INT(access_host(a, str_of(good[i])), 0);
    for (size_t i = 0; i < LEN(wrong); i++)
        CHECK_INT(access_host(a, str_of(wrong[i])), 421);
    CHECK_INT(access_host(a, (struct str){ 0 }), 400);

    CHECK(access_origin(a, (struct str){ 0 }));
    CHECK(access_origin(a, str_of("http://localhost:8000")));
    CHECK(access_origin(a, str_of("https://other.example")));
    CHECK(!access_origin(a, str_of("null")));
    CHECK(!access_origin(a, str_of("https://localhost:8000")));
    CHECK(!access_origin(a, str_of("http://evil.example:8000")));
    CHECK(!access_origin(a, str_of("http://localhost:8000.evil.example")));
    CHECK(access_is_foreign(a, str_of("https://other.example")));
    CHECK(!access_is_foreign(a, str_of("http://localhost:8000")));
}

static int ask(struct access *a, const char *token, enum role *role,
        uint64_t now)
{
    struct buf header = { 0 };
    struct request r = { .peer = "127.0.0.1" };
    struct access_who who;

    buf_printf(&header, "Bearer %s", token ? token : "");
    if (token)
        r.authorization = buf_str(&header);

    int rc = access_who(a, &who, &r, now);

    *role = who.role;
    buf_release(&header);
    return rc;
}

static void test_who(struct access *a)
{
    char wrong[TOKEN_LEN + 1];
    enum role role;

    CHECK_INT(ask(a, NULL, &role, S), 0);
    CHECK_INT(role, ROLE_VIEWER);
    CHECK_INT(ask(a, access_owner_token(a), &role, S), 0);
    CHECK_INT(role, ROLE_ADMIN);

    /* Ten wrong ones are refused, the next locks out; also the right one. */
    memcpy(wrong, access_owner_token(a), sizeof(wrong));
    wrong[10] ^= 1;
    for (int i = 0; i < 10; i++)
        CHECK_INT(ask(a, wrong, &role, 2 * S), 401);
    CHECK_INT(ask(a, wrong, &role, 2 * S), 429);
    CHECK_INT(ask(a, access_owner_token(a), &role, 30 * S), 429);
    CHECK_INT(ask(a, access_owner_token(a), &role, 63 * S), 0);
    CHECK_INT(ask(a, "", &role, 200 * S), 401);
}

static void test_protocols(struct access *a)
{
    struct buf text = { 0 };
    struct request r = { .upgrade = true, .peer = "x" };
    struct access_who who;

    buf_printf(&text, "ortmeter.v1, ortmeter.token.%s", access_owner_token(a));
    r.protocols = buf_str(&text);
    CHECK_INT(access_who(a, &who, &r, S), 0);
    CHECK_INT(who.role, ROLE_ADMIN);
    r.upgrade = false; /* it is for WebSockets only */
    CHECK_INT(access_who(a, &who, &r, S), 0);
    CHECK_INT(who.role, ROLE_VIEWER);
    buf_release(&text);
}

static void test_rate(void)
{
    struct access_who who = { .role = ROLE_VIEWER };
    struct access_plan limited = plan;
    struct access *a = NULL;
    int let = 0;

    limited.requests_per_s = 10;
    limited.require_token = true;
    CHECK_INT(access_new(&a, &limited, NULL), 0);
    for (int i = 0; i < 100; i++)
        let += access_rate(a, &who, "10.0.0.1", S);
    CHECK_INT(let, 20);
    CHECK(access_rate(a, &who, "10.0.0.2", S));
    CHECK(access_rate(a, &who, "10.0.0.1", 2 * S));

    struct request r = { .peer = "x" };

    CHECK_INT(access_who(a, &who, &r, S), 401);
    access_free(a);
}

int main(void)
{
    struct access *a = NULL;

    CHECK_INT(access_new(&a, &plan, NULL), 0);
    test_names(a);
    test_protocols(a);
    test_who(a);
    access_free(a);
    test_rate();
    return test_result();
}
