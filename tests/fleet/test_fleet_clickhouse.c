#include "fleet/clickhouse.h"

#include "base/compiler.h"
#include "fake_clickhouse.h"

#include <errno.h>
#include <stdio.h>

#define OLD                               \
    FAKE(200, "18.16.1\nLowCardinality\n" \
              "allow_experimental_low_cardinality_type\n")
#define NEW FAKE(200, "26.7.2.14\nasync_insert\nLowCardinality\n")

static void address(struct address *out, const struct fake *f,
        const char *behind)
{
    char text[128];

    (void)snprintf(text, sizeof(text),
            "clickhouse://me:se%%20cret@127.0.0.1:%u"
            "/d%s",
            f->port, behind);
    CHECK_INT(address_parse(out, str_of(text), NULL, NULL), 0);
}

static int open_fake(struct clickhouse **out, const struct fake *f,
        const char *behind, struct error *e)
{
    struct address a;

    *out = NULL;
    address(&a, f, behind);

    int rc = clickhouse_open(out, &a, e);

    address_release(&a);
    return rc;
}

static void traits(void)
{
    struct fake f;
    struct clickhouse *c;

    fake_start(&f, (struct fake_answer[]){ OLD, { 0 } });
    CHECK_INT(open_fake(&c, &f, "", NULL), 0);
    if (c) {
        const struct clickhouse_traits *t = clickhouse_traits(c);

        CHECK(strcmp(t->version, "18.16.1") == 0);
        CHECK(t->low_cardinality && t->low_cardinality_asked);
        CHECK(!t->codecs && !t->ttl && !t->async_insert);
    }
    clickhouse_close(c);
    fake_stop(&f);

    fake_start(&f, (struct fake_answer[]){ NEW, { 0 } });
    CHECK_INT(open_fake(&c, &f, "", NULL), 0);
    if (c) {
        const struct clickhouse_traits *t = clickhouse_traits(c);

        CHECK(t->low_cardinality && !t->low_cardinality_asked);
        CHECK(t->codecs && t->ttl && t->async_insert);
    }
    clickhouse_close(c);
    fake_stop(&f);
}

/* The password goes in a header, and nowhere else. */
static void asked(void)
{
    struct fake f;
    struct clickhouse *c;
    struct buf answer = { 0 };

    fake_start(&f, (struct fake_answer[]){ NEW, FAKE(200, "1\n"), FAKE(200, ""),
                           { 0 } });
    CHECK_INT(open_fake(&c, &f, "?cluster=two", NULL), 0);
    CHECK_INT(clickhouse_run(c, "SELECT 1", &answer, NULL), 0);
    CHECK(strcmp(buf_cstr(&answer), "1\n") == 0);
    CHECK_INT(clickhouse_insert(c, "INSERT INTO `t` FORMAT RowBinary",
                      (struct str){ "a\0b", 3 }, NULL),
            0);
    CHECK(strstr(f.asked.p, "X-ClickHouse-User: me\r\n") != NULL);
    CHECK(strstr(f.asked.p, "X-ClickHouse-Key: se cret\r\n") != NULL);
    CHECK(strstr(f.asked.p, "se%20cret") == NULL);
    CHECK(strstr(f.asked.p, "/?database=d&insert_distributed_sync=1&async_"
                            "insert=0&query=INSERT%20INTO%20%60t%60") != NULL);
    CHECK(memcmp(f.asked.p + f.asked.len - 3, "a\0b", 3) == 0);
    clickhouse_close(c);
    buf_release(&answer);
    fake_stop(&f);
}

static void refusals(void)
{
    static const struct {
        struct fake_answer answer;
        int rc;
        const char *words;
    } cases[] = {
        { FAKE(401, "Code: 193, e.displayText() = DB::Exception: Wrong"),
                -EACCES, "does not let the user 'me' in" },
        { FAKE(403, "Code: 516. DB::Exception: me: Authentication failed"),
                -EACCES, "does not let" },
        { FAKE(404, "Code: 81, e.displayText() = DB::Exception: no"), -ENOENT,
                "no database 'd'" },
        { FAKE(404, "Code: 60, e.displayText() = DB::Exception: Table d.x"),
                -ENOENT, "Table d.x" },
        { FAKE(500,
                  "Code: 252, e.displayText() = DB::Exception: Too many parts"),
                -EAGAIN, "Too many parts" },
        { FAKE(500, "Code: 279. DB::Exception: All connection tries failed"),
                -EAGAIN, "tries failed" },
        { FAKE(500,
                  "Code: 33, e.displayText() = DB::Exception: Cannot read\nx"),
                -EPROTO, "Cannot read" },
        { FAKE(404, "<html>not here</html>"), -EPROTO, "no ClickHouse server" },
        { FAKE(200, "<html>hello</html>"), -EPROTO, "no ClickHouse server" },
        { FAKE(0, ""), -EAGAIN, "is away" },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct fake f;
        struct clickhouse *c;
        struct error e = { 0 };

        fake_start(&f, (struct fake_answer[]){ cases[i].answer, { 0 } });
        CHECK_INT(open_fake(&c, &f, "", &e), cases[i].rc);
        CHECK(!c && strstr(e.text, cases[i].words) && !strchr(e.text, '\n'));
        if (!strstr(e.text, cases[i].words))
            (void)fprintf(stderr, "%s\n", e.text);
        clickhouse_close(c);
        fake_stop(&f);
    }
}

static int give_up(void *to, struct str piece, struct error *e)
{
    (void)to;
    (void)piece;
    return fail(e, -EBADMSG, "enough");
}

/* Whoever reads may give up; a moment that has passed is not waited for. */
static void ends(void)
{
    struct fake f;
    struct clickhouse *c;
    struct error e = { 0 };

    fake_start(&f, (struct fake_answer[]){ OLD, FAKE(200, "rows"), { 0 } });
    CHECK_INT(open_fake(&c, &f, "", NULL), 0);
    CHECK_INT(clickhouse_select(c, "SELECT", give_up, NULL, &e), -EBADMSG);
    CHECK(strcmp(e.text, "enough") == 0);
    clickhouse_deadline(c, 1);
    CHECK_INT(clickhouse_run(c, "SELECT 1", NULL, &e), -EAGAIN);
    clickhouse_close(c);
    fake_stop(&f);
}

static void numbers(void)
{
    CHECK_INT(clickhouse_error_code(str_of("Code: 81, e.display")), 81);
    CHECK_INT(clickhouse_error_code(str_of("\n Code: 516. DB::")), 516);
    CHECK_INT(clickhouse_error_code(str_of("Code: ")), 0);
    CHECK_INT(clickhouse_error_code(str_of("Code: x")), 0);
    CHECK_INT(clickhouse_error_code(str_of("Code: 99999999999999999999")), 0);
    CHECK_INT(clickhouse_error_code(str_of("")), 0);
    CHECK_INT(clickhouse_version_number(str_of("18.16.1")), 18016);
    CHECK_INT(clickhouse_version_number(str_of("26.7.2.1-lts")), 26007);
    CHECK_INT(clickhouse_version_number(str_of("26")), 0);
    CHECK_INT(clickhouse_version_number(str_of("async_insert")), 0);
}

int main(void)
{
    (void)setenv("no_proxy", "127.0.0.1", 1);
    traits();
    asked();
    refusals();
    ends();
    numbers();
    return test_result();
}
