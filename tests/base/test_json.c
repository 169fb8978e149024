#include "base/compiler.h"
#include "base/json.h"
#include "test.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#define FFFD "\xef\xbf\xbd"

/* Compares and empties `b`. */
static void expect(struct buf *b, const char *want, int line)
{
    if (strcmp(buf_cstr(b), want) != 0) {
        test_failures++;
        (void)fprintf(stderr, "%s:%d: got  %s\nwant %s\n", __FILE__, line,
                buf_cstr(b), want);
    }
    buf_clear(b);
}

#define EXPECT(b, want) expect((b), (want), __LINE__)

static void document(struct json j)
{
    json_object(&j, NULL);
    json_text(&j, "name", "silero");
    json_array(&j, "shape");
    json_int(&j, NULL, -1);
    json_u64(&j, NULL, UINT64_MAX);
    json_array(&j, NULL);
    json_end(&j);
    json_object(&j, NULL);
    json_end(&j);
    json_end(&j);
    json_object(&j, "inner");
    json_bool(&j, "yes", true);
    json_bool(&j, "no", false);
    json_real(&j, "nan", NAN);
    json_fixed(&j, "inf", -INFINITY, 1);
    json_end(&j);
    json_object(&j, "only nan");
    json_real(&j, "nan", NAN);
    json_end(&j);
    json_int(&j, "least", INT64_MIN);
    json_end(&j);
}

static void documents(void)
{
    struct buf b = { 0 };

    document(json_into(&b));
    EXPECT(&b, "{\n"
               "  \"name\": \"silero\",\n"
               "  \"shape\": [\n"
               "    -1,\n"
               "    18446744073709551615,\n"
               "    [],\n"
               "    {}\n"
               "  ],\n"
               "  \"inner\": {\n"
               "    \"yes\": true,\n"
               "    \"no\": false\n"
               "  },\n"
               "  \"only nan\": {},\n"
               "  \"least\": -9223372036854775808\n"
               "}");
    document(json_line_into(&b));
    EXPECT(&b, "{\"name\":\"silero\","
               "\"shape\":[-1,18446744073709551615,[],{}],"
               "\"inner\":{\"yes\":true,\"no\":false},\"only nan\":{},"
               "\"least\":-9223372036854775808}");

    struct json j = json_into(&b);

    json_text(&j, NULL, "alone");
    EXPECT(&b, "\"alone\"");
    buf_release(&b);
}

static void texts(void)
{
    static const struct {
        const char *bytes;
        size_t len; /* 0: up to the terminator */
        const char *want;
    } cases[] = {
        { "", 0, "\"\"" },
        { "a\"b\\c/d", 0, "\"a\\\"b\\\\c/d\"" },
        { "\b\f\n\r\t", 0, "\"\\b\\f\\n\\r\\t\"" },
        { "\x01\x1f\x7f", 0, "\"\\u0001\\u001f\x7f\"" },
        { "x\0y", 3, "\"x\\u0000y\"" },
        /* Each length of UTF-8 at both ends of its range. */
        { "\xc2\x80\xdf\xbf", 0, "\"\xc2\x80\xdf\xbf\"" },
        { "\xe0\xa0\x80\xef\xbf\xbf", 0, "\"\xe0\xa0\x80\xef\xbf\xbf\"" },
        { "\xed\x9f\xbf\xee\x80\x80", 0, "\"\xed\x9f\xbf\xee\x80\x80\"" },
        { "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 0,
                "\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"" },
        /* Not UTF-8. */
        { "\x80", 0, "\"" FFFD "\"" },
        { "\xff\xfe", 0, "\"" FFFD FFFD "\"" },
        { "\xc0\xaf", 0, "\"" FFFD FFFD "\"" },          /* overlong */
        { "\xc1\xbf", 0, "\"" FFFD FFFD "\"" },          /* overlong */
        { "\xe0\x9f\xbf", 0, "\"" FFFD FFFD FFFD "\"" }, /* overlong */
        { "\xf0\x8f\xbf\xbf", 0, "\"" FFFD FFFD FFFD FFFD "\"" },
        { "\xed\xa0\x80", 0, "\"" FFFD FFFD FFFD "\"" }, /* surrogate */
        { "\xf4\x90\x80\x80", 0, "\"" FFFD FFFD FFFD FFFD "\"" },
        { "\xf5\x80", 0, "\"" FFFD FFFD "\"" },
        { "\xe2\x82", 0, "\"" FFFD "\"" }, /* cut short */
        { "\xe2\x82"
          "A",
                0, "\"" FFFD "A\"" },
        { "\xf0\x9f\x98"
          "\"",
                0, "\"" FFFD "\\\"\"" },
        { "\xf0\x9f\x98\x80!\xc3", 0, "\"\xf0\x9f\x98\x80!" FFFD "\"" },
    };
    struct buf b = { 0 };

    for (size_t i = 0; i < LEN(cases); i++) {
        size_t len = cases[i].len ? cases[i].len : strlen(cases[i].bytes);
        struct json j = json_into(&b);

        json_str(&j, NULL, (struct str){ cases[i].bytes, len });
        EXPECT(&b, cases[i].want);
    }

    struct json j = json_line_into(&b);

    json_object(&j, NULL);
    json_str(&j, "a \"key\"\n", (struct str){ NULL, 0 });
    json_end(&j);
    EXPECT(&b, "{\"a \\\"key\\\"\\n\":\"\"}");
    buf_release(&b);
}

static void numbers(void)
{
    static const struct {
        double value;
        const char *real;
        int decimals;
        const char *fixed;
    } cases[] = {
        { 0, "0", 0, "0" },
        { -0.0, "-0", 1, "0.0" },
        { 1, "1", 3, "1.000" },
        { 0.1, "0.1", 1, "0.1" },
        { 0.1 + 0.2, "0.30000000000000004", 2, "0.30" },
        { 1.0 / 3, "0.3333333333333333", 4, "0.3333" },
        { -2.5e-7, "-2.5e-07", 6, "0.000000" },
        { 123456789012345680.0, "1.2345678901234568e+17", 0,
                "123456789012345680" },
        { 1e15, "1e+15", 0, "1000000000000000" },
        { DBL_MAX, "1.7976931348623157e+308", -1, NULL },
        { DBL_TRUE_MIN, "4.94065645841247e-324", -1, NULL },
        { DBL_EPSILON, "2.220446049250313e-16", 20, "0.00000000000000022204" },
        { 9007199254740993.0, "9007199254740992", 1, "9007199254740992.0" },
    };
    struct buf b = { 0 };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct json j = json_into(&b);

        json_real(&j, NULL, cases[i].value);
        EXPECT(&b, cases[i].real);
        if (!cases[i].fixed)
            continue;
        j = json_into(&b);
        json_fixed(&j, NULL, cases[i].value, cases[i].decimals);
        EXPECT(&b, cases[i].fixed);
    }

    struct json j = json_into(&b);

    json_fixed(&j, NULL, -DBL_MAX, 64);
    CHECK_INT(b.len, 1 + 309 + 1 + 64);
    buf_release(&b);
}

static void deep(void)
{
    struct buf b = { 0 };
    struct json j = json_line_into(&b);

    for (int i = 0; i < 63; i++)
        json_array(&j, NULL);
    json_int(&j, NULL, 1);
    json_int(&j, NULL, 2);
    for (int i = 0; i < 63; i++)
        json_end(&j);
    CHECK_INT(j.depth, 0);
    CHECK_INT(b.len, 63 + 3 + 63);
    CHECK(!memcmp(b.p + 61, "[[1,2]]", 7));
    buf_release(&b);
}

int main(void)
{
    documents();
    texts();
    numbers();
    deep();
    /* Once more where the point is a comma, and where it is two bytes long, if
     * this machine knows such a place. */
    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        numbers();
    if (setlocale(LC_ALL, "ps_AF.UTF-8"))
        numbers();
    return test_result();
}
