/* Settings' files, read and refused. */
#include "base/toml.h"

#include "base/buf.h"
#include "base/compiler.h"
#include "test.h"

#include <string.h>

static void tell(void *to, const struct toml_value *v)
{
    buf_printf(to, "%llu %.*s|%.*s|%.*s\n", (unsigned long long)v->line,
            (int)v->table.len, v->table.p, (int)v->key.len, v->key.p,
            (int)v->text.len, v->text.p);
}

static const struct {
    const char *text, *told, *error;
} cases[] = {
    { "", "", NULL },
    { "# nothing\n\n\t\r\n", "", NULL },
    { "a = 1", "1 |a|1\n", NULL },
    { "a=1\r\nb-c = 'x \\n'#y\n", "1 |a|1\n2 |b-c|x \\n\n", NULL },
    { "[run]\nops = \"a\\\"b\\\\\"\n[ x.y ] # z\nq=true",
            "2 run|ops|a\"b\\\n4 x.y|q|true\n", NULL },
    { "t = [ 'a', # one\n \"b\",\n]\nu = -1.5e3",
            "1 |t|a\n2 |t|b\n4 |u|-1.5e3\n", NULL },
    { "t = []\n", "", NULL },
    { "a = 1 b", "1 |a|1\n", "line 1: there is more on it than one setting" },
    { "\n\na = x", "",
            "line 3: a value is neither a text in quotes, a number, true nor "
            "false" },
    { "a = \"x", "", "line 1: a text does not end on it" },
    { "a = 'x\ny'", "", "line 1: a text does not end on it" },
    { "a = \"\\q\"", "",
            "line 1: a backslash is followed by none of \" \\ b f n r t" },
    { "[a", "", "line 1: a table's name in brackets is not right" },
    { "[]", "", "line 1: a table's name in brackets is not right" },
    { "a", "", "line 1: it is neither `key = value` nor `[table]`" },
    { "= 1", "", "line 1: it is neither `key = value` nor `[table]`" },
    { "t = ['a' 'b']", "1 |t|a\n", "line 1: an array goes on without a comma" },
    { "t = ['a',\n", "1 |t|a\n",
            "line 2: a value is neither a text in quotes, a number, true nor "
            "false" },
    { "d = 2026-11-16", "",
            "line 1: a value is neither a text in quotes, a number, true nor "
            "false" },
};

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++) {
        struct buf told = { 0 };
        struct error e = { 0 };
        int rc = toml_read(str_of(cases[i].text), tell, &told, &e);

        CHECK_INT(rc != 0, cases[i].error != NULL);
        CHECK(strcmp(buf_cstr(&told), cases[i].told) == 0);
        CHECK(strcmp(e.text, cases[i].error ? cases[i].error : "") == 0);
        if (test_failures)
            (void)fprintf(stderr, "case %zu: %s| %s\n", i, buf_cstr(&told),
                    e.text);
        buf_release(&told);
    }
    return test_result();
}
