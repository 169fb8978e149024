#include "fleet/address.h"

#include "base/compiler.h"
#include "test.h"

#include <errno.h>
#include <string.h>

#define SAME(got, want) CHECK(strcmp(got, want) == 0)

static void good(void)
{
    static const struct {
        const char *text, *user, *password, *host, *database, *cluster, *name;
        uint32_t port;
        bool tls;
    } cases[] = {
        { "clickhouse://meter@db.example:9123/runs", "meter", "apart",
                "db.example", "runs", NULL, "clickhouse://db.example:9123/runs",
                9123, false },
        { "clickhouse://db/m", "default", "apart", "db", "m", NULL,
                "clickhouse://db:8123/m", 8123, false },
        { "clickhouses://db/m", "default", "apart", "db", "m", NULL,
                "clickhouses://db:8443/m", 8443, true },
        { "clickhouse://a:b%40c%3A@h/d_1", "a", "b@c:", "h", "d_1", NULL,
                "clickhouse://h:8123/d_1", 8123, false },
        { "clickhouse://a:p@w@h:1/d", "a", "p@w", "h", "d", NULL,
                "clickhouse://h:1/d", 1, false },
        { "clickhouse://u:@[::1]:8124/d?cluster=two-shards", "u", "apart",
                "[::1]", "d", "two-shards",
                "clickhouse://[::1]:8124/d?cluster=two-shards", 8124, false },
        { "clickhouse://u@[fe80::1]/d", "u", "apart", "[fe80::1]", "d", NULL,
                "clickhouse://[fe80::1]:8123/d", 8123, false },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct address a, b;
        struct error e = { 0 };

        CHECK_INT(address_parse(&a, str_of(cases[i].text), "apart", &e), 0);
        if (*e.text) {
            (void)fprintf(stderr, "%s: %s\n", cases[i].text, e.text);
            continue;
        }
        address_copy(&b, &a);
        address_release(&a);
        SAME(b.user, cases[i].user);
        SAME(b.password, cases[i].password);
        SAME(b.host, cases[i].host);
        SAME(b.database, cases[i].database);
        SAME(b.name, cases[i].name);
        CHECK(!b.cluster == !cases[i].cluster);
        if (b.cluster && cases[i].cluster)
            SAME(b.cluster, cases[i].cluster);
        CHECK_INT(b.port, cases[i].port);
        CHECK_INT(b.tls, cases[i].tls);
        CHECK(!strstr(b.name, b.password) || !*b.password);
        address_release(&b);
    }
}

static void bad(void)
{
    static const char *const cases[][2] = {
        { "", "does not begin with" },
        { "http://h/d", "does not begin with" },
        { "clickhouse:/h/d", "does not begin with" },
        { "clickhouse:///d", "no host" },
        { "clickhouse://u@/d", "no host" },
        { "clickhouse://h", "no database" },
        { "clickhouse://h/", "no database" },
        { "clickhouse://h/?cluster=x", "no database" },
        { "clickhouse://h/a`b", "database that cannot be read" },
        { "clickhouse://h/a.b", "database that cannot be read" },
        { "clickhouse://h h/d", "host that cannot be read" },
        { "clickhouse://[::1/d", "host that cannot be read" },
        { "clickhouse://[::1]x/d", "host that cannot be read" },
        { "clickhouse://h:0/d", "port that is none" },
        { "clickhouse://h:65536/d", "port that is none" },
        { "clickhouse://h:x/d", "port that is none" },
        { "clickhouse://h/d?cluster=", "behind '?'" },
        { "clickhouse://h/d?cluster='x'", "behind '?'" },
        { "clickhouse://h/d?ttl=3", "behind '?'" },
        { "clickhouse://u:%4@h/d", "cannot be read" },
        { "clickhouse://u:%zz@h/d", "cannot be read" },
        { "clickhouse://u:%00@h/d", "cannot be read" },
        { "clickhouse://u:a%0d%0aX@h/d", "cannot be read" },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct address a;
        struct error e = { 0 };

        CHECK_INT(address_parse(&a, str_of(cases[i][0]), NULL, &e), -EINVAL);
        CHECK(strstr(e.text, cases[i][1]) != NULL);
        if (!strstr(e.text, cases[i][1]))
            (void)fprintf(stderr, "%s: %s\n", cases[i][0], e.text);
        CHECK(a.host == NULL);
        address_release(&a);
    }
}

int main(void)
{
    good();
    bad();
    return test_result();
}
