#include "base/json_text.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define FFFD "\xef\xbf\xbd"

static const struct {
    const char *escaped;
    const char *text;
} cases[] = {
    { "", "" },
    { "plain", "plain" },
    { "a\\\"b\\\\c\\/d", "a\"b\\c/d" },
    { "\\b\\f\\n\\r\\t", "\b\f\n\r\t" },
    { "\\u0041\\u00e9\\u20AC", "A\xc3\xa9\xe2\x82\xac" },
    { "\\ud83d\\ude00", "\xf0\x9f\x98\x80" },
    { "\\udbff\\udfff", "\xf4\x8f\xbf\xbf" },
    /* half a pair: the first, the second, two firsts, at the end */
    { "\\ud83dx", FFFD "x" },
    { "\\ude00\\ud83d", FFFD FFFD },
    { "\\ud83d\\ud83d\\ude00", FFFD "\xf0\x9f\x98\x80" },
    { "\\ud83d\\u", FFFD "u" },
    { "\\ud83d\\n", FFFD "\n" },
    /* no escapes of JSON's */
    { "\\u12", "u12" },
    { "\\u12g4", "u12g4" },
    { "\\q\\", "q\\" },
};

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++) {
        struct str text = str_of(cases[i].escaped);
        char *copy = alloc_zero(text.len, 1), *to = alloc_zero(text.len, 1);

        memcpy(copy, text.p, text.len);

        size_t len = json_unescape(to, (struct str){ copy, text.len });
        bool same = str_is((struct str){ to, len }, cases[i].text);

        CHECK(same);
        if (!same)
            (void)fprintf(stderr, "%s is %.*s\n", cases[i].escaped, (int)len,
                    to);
        free(copy);
        free(to);
    }
    return test_result();
}
