/* test_json_read.c -- JSON that nobody vouches for: what is sound and what is
 * not, walked, and taken apart in pieces of any size. */
#include "base/json_read.h"

#include "base/json_split.h"
#include "base/utf8.h"
#include "test.h"

#include <errno.h>
#include <string.h>

static void test_sound(void)
{
    static const char *const good[] = { "{}", "[]", " 1 ", "-0.5e+3", "true",
        "null", "\"a\\u00e9\\n\"", "{\"a\":[1,{\"b\":[]}],\"c\":\"\"}",
        "[[],[[]],{}]" };
    static const char *const bad[] = { "", "{", "}", "[1,]", "[,1]", "{\"a\"}",
        "{\"a\":}", "{a:1}", "01", "1.", ".5", "+1", "1e", "tru", "nul",
        "\"\t\"", "\"\\x\"", "\"\\u12g4\"", "\"a", "[1 2]", "{} {}",
        "{\"a\":1,}", "[1]]", "[}", "\"\xff\"" };
    char deep[200];

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        CHECK(json_is_sound(str_of(good[i])));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (json_is_sound(str_of(bad[i])))
            (void)fprintf(stderr, "sound: %s\n", bad[i]);
        CHECK(!json_is_sound(str_of(bad[i])));
    }
    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    CHECK(!json_is_sound((struct str){ deep, 200 }));
    CHECK(json_is_sound((struct str){ deep + 40, 120 }));
}

static void test_walk(void)
{
    struct str rest = str_of(" { \"a\" : [1, 2] , \"b\":\"x\\\"\" } ");
    struct str key, value, item;
    struct buf text = { 0 };

    CHECK_INT(json_next_member(&rest, &key, &value), 1);
    CHECK(str_is(key, "a") && str_is(value, "[1, 2]"));
    CHECK_INT(json_next_element(&value, &item), 1);
    CHECK(str_is(item, "1") && json_kind(item) == '0');
    CHECK_INT(json_next_element(&value, &item), 1);
    CHECK_INT(json_next_element(&value, &item), 0);
    CHECK_INT(json_next_member(&rest, &key, &value), 1);
    CHECK_INT(json_read_text(&text, value), 0);
    CHECK(strcmp(buf_cstr(&text), "x\"") == 0);
    CHECK_INT(json_read_text(&text, str_of("12")), -EINVAL);
    CHECK_INT(json_next_member(&rest, &key, &value), 0);
    rest = str_of("[1[2]]");
    CHECK_INT(json_next_element(&rest, &value), -EINVAL);
    rest = str_of("{\"a\":1 \"b\":2}");
    CHECK_INT(json_next_member(&rest, &key, &value), -EINVAL);
    rest = str_of("17");
    CHECK_INT(json_next_member(&rest, &key, &value), -EINVAL);
    buf_release(&text);
}

static void take(void *to, struct str key, struct str value)
{
    buf_printf(to, "%.*s=%.*s;", (int)key.len, key.p, (int)value.len, value.p);
}

/* Fed in pieces of `step` bytes; what was handed over. */
static int split(const char *text, size_t step, struct buf *out, bool *ended)
{
    struct json_split *s = json_split_new(take, out);
    size_t len = strlen(text);
    int rc = 0;

    buf_clear(out);
    for (size_t at = 0; at < len && !rc; at += step)
        rc = json_split_feed(s, text + at, len - at < step ? len - at : step);
    *ended = json_split_ended(s);
    json_split_free(s);
    return rc;
}

static void test_split(void)
{
    static const char text[] =
            " {\"a\" : 1,\"b\":[ ], \"c\":[{\"x\":\"]}\\\"\"}, 2 ,\"y\"],"
            "\n\"d\":{\"e\":[3]},\"f\":\"g\",\"h\":[null]}\n ";
    struct buf out = { 0 };
    bool ended;

    for (size_t step = 1; step < sizeof(text); step++) {
        CHECK_INT(split(text, step, &out, &ended), 0);
        CHECK(ended);
        CHECK(strcmp(buf_cstr(&out),
                      "a=1;c={\"x\":\"]}\\\"\"};c=2;c=\"y\";d={\"e\":[3]};"
                      "f=\"g\";h=null;") == 0);
    }
    CHECK_INT(split("{}", 1, &out, &ended), 0);
    CHECK(ended && !out.len);
    CHECK_INT(split("{\"a\":[1", 3, &out, &ended), 0);
    CHECK(!ended);
    CHECK_INT(split("[1]", 1, &out, &ended), -EINVAL);
    CHECK_INT(split("{} x", 1, &out, &ended), -EINVAL);
    CHECK_INT(split("{\"a\":[1,]}", 1, &out, &ended), -EINVAL);
    CHECK_INT(split("{\"a\" 1}", 1, &out, &ended), -EINVAL);
    CHECK_INT(split("{\"a\":1,}", 1, &out, &ended), -EINVAL);
    CHECK(!ended);
    buf_release(&out);
}

static void test_utf8(void)
{
    struct buf out = { 0 };

    CHECK(utf8_is_sound(str_of("plain ascii text, long enough")));
    CHECK(utf8_is_sound(
            str_of("12345678\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80")));
    CHECK(!utf8_is_sound(str_of("12345678\xc0\x80")));
    CHECK(!utf8_is_sound(str_of("\xed\xa0\x80")));
    CHECK(!utf8_is_sound(str_of("\xe2\x82")));
    utf8_add(&out, str_of("a\xff"
                          "b\xe2\x82"));
    CHECK(strcmp(buf_cstr(&out), "a\xef\xbf\xbd"
                                 "b\xef\xbf\xbd") == 0);
    buf_release(&out);
}

int main(void)
{
    test_sound();
    test_walk();
    test_split();
    test_utf8();
    return test_result();
}
