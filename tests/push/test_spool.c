/* test_spool.c -- the limit holds, the oldest goes, all is counted. */
#include "push/spool.h"

#include "test.h"

static void put(struct spool *s, const char *text, uint64_t items)
{
    struct buf b = { 0 };

    buf_text(&b, text);
    spool_put(s, &b, items);
    CHECK(!b.p && !b.len);
}

static void takes(struct spool *s, const char *text, uint64_t items)
{
    struct buf b = { 0 };
    uint64_t got = 0;

    CHECK(spool_take(s, &b, &got));
    CHECK(str_is(buf_str(&b), text));
    CHECK_INT(got, items);
    buf_release(&b);
}

int main(void)
{
    struct spool *s = spool_new(10);
    struct buf b = { 0 };
    uint64_t items = 3;

    CHECK(!spool_take(s, &b, &items));
    CHECK_INT(items, 3);
    put(s, "1234", 1);
    put(s, "5678", 2);
    CHECK_INT(spool_bytes(s), 8);
    CHECK_INT(spool_count(s), 2);
    put(s, "90a", 4); /* has no room beside both */
    CHECK_INT(spool_count(s), 2);
    CHECK_INT(spool_dropped(s), 1);
    CHECK_INT(spool_items(s), 6);
    takes(s, "5678", 2);
    takes(s, "90a", 4);
    CHECK_INT(spool_bytes(s), 0);

    /* One that has no room by itself takes nobody with it. */
    put(s, "ab", 1);
    put(s, "more than ten", 100);
    CHECK_INT(spool_dropped(s), 101);
    takes(s, "ab", 1);
    put(s, "exactly 10", 1);
    takes(s, "exactly 10", 1);

    for (int i = 0; i < 1000; i++) {
        put(s, "abc", 1);
        CHECK(spool_bytes(s) <= 10);
    }
    CHECK_INT(spool_dropped(s), 101 + 997);
    CHECK_INT(spool_items(s), 3);
    spool_free(s);
    spool_free(NULL);
    return test_result();
}
