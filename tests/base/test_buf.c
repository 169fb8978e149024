#include "base/buf.h"
#include "test.h"

#include <string.h>

static void empty(void)
{
    struct buf b = { 0 };

    CHECK(!strcmp(buf_cstr(&b), ""));
    CHECK(str_is(buf_str(&b), ""));
    buf_clear(&b);
    buf_release(&b);
    buf_add(&b, NULL, 0);
    buf_printf(&b, "%s", "");
    buf_text(&b, "");
    CHECK_INT(b.len, 0);
    CHECK(!strcmp(buf_cstr(&b), ""));
    buf_release(&b);
    CHECK(!b.p && !b.len && !b.cap);
}

static void adding(void)
{
    struct buf b = { 0 };

    buf_text(&b, "one");
    buf_char(&b, ' ');
    buf_printf(&b, "%d-%s", 2, "two");
    buf_add(&b, "\0x", 2);
    CHECK_INT(b.len, 11);
    CHECK(!memcmp(b.p, "one 2-two\0x", 12)); /* and the zero behind it */
    CHECK(str_eq(buf_str(&b), (struct str){ "one 2-two\0x", 11 }));

    char *before = b.p;

    buf_clear(&b);
    CHECK_INT(b.len, 0);
    CHECK(!strcmp(buf_cstr(&b), ""));
    buf_text(&b, "again");
    CHECK(b.p == before); /* kept its memory */
    CHECK(!strcmp(buf_cstr(&b), "again"));
    buf_release(&b);
    buf_text(&b, "after release");
    CHECK(!strcmp(buf_cstr(&b), "after release"));
    buf_release(&b);
}

/* Every length, so every way the end can lie to the room that is left. */
static void growing(void)
{
    struct buf by_char = { 0 }, by_printf = { 0 };

    for (size_t i = 0; i < 1009; i++) {
        struct buf once = { 0 };

        buf_char(&by_char, (char)('a' + i % 26));
        buf_printf(&by_printf, "%c", (char)('a' + i % 26));
        buf_printf(&once, "%s", by_char.p);
        CHECK_INT(by_char.len, i + 1);
        CHECK_INT(once.len, i + 1);
        CHECK_INT(strlen(by_char.p), i + 1);
        CHECK(by_char.cap > by_char.len && once.cap > once.len);
        CHECK(str_eq(buf_str(&by_char), buf_str(&by_printf)));
        CHECK(str_eq(buf_str(&by_char), buf_str(&once)));
        buf_release(&once);
    }
    CHECK_INT(by_char.p[1008], 'a' + 1008 % 26);
    buf_release(&by_char);
    buf_release(&by_printf);
}

int main(void)
{
    empty();
    adding();
    growing();
    return test_result();
}
