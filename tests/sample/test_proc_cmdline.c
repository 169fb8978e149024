/* No secret gets through, and what is none stays. */
#include "base/command/proc_cmdline.h"

#include "base/compiler.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* Arguments end with '|' here, which stands for a zero byte. */
static const struct {
    const char *given;
    const char *shown;
} cases[] = {
    { "node|app.js|", "node app.js" },
    { "node|app.js", "node app.js" }, /* cut short */
    { "sh|-c|sleep 1|", "sh -c 'sleep 1'" },
    { "a||b|", "a '' b" },
    { "a\nb|\033[1m|", "'a?b' ?[1m" },
    { "", "" },
    { "srv|--password=hunter2|", "srv --password=***" },
    { "srv|--password=a b,c;d|", "srv '--password=***'" },
    { "srv|--password==:\" '|", "srv '--password=***'" },
    { "srv|--db-password|hunter2|-v|", "srv --db-password *** -v" },
    { "srv|--token|--verbose|", "srv --token --verbose" },
    { "env|PGPASSWORD=x|psql|", "env PGPASSWORD=*** psql" },
    { "srv|--api-key|k|", "srv --api-key ***" },
    { "srv|--apiKey=k|", "srv --apiKey=***" },
    { "srv|-DclientSecret=k|", "srv -DclientSecret=***" },
    { "srv|--hf_token=k|", "srv --hf_token=***" },
    /* Of a language model, and of files. */
    { "gen|--max-tokens|64|--tokenizer|t.json|",
            "gen --max-tokens 64 --tokenizer t.json" },
    { "gen|--tokens=1,2,3|", "gen --tokens=1,2,3" },
    { "srv|--tls-key|/etc/key.pem|", "srv --tls-key /etc/key.pem" },
    { "srv|--key=certs/server.pem|", "srv --key=certs/server.pem" },
    { "srv|--key=0123456789abcdef01|", "srv --key=***" },
    { "srv|--monkey=0123456789|", "srv --monkey=0123456789" },
    /* Addresses. */
    { "curl|https://me:pw@host/x?y=1|", "curl https://me:***@host/x?y=1" },
    { "curl|https://me:p@w@host/|", "curl https://me:***@host/" },
    { "curl|http://host:80/a@b|", "curl http://host:80/a@b" },
    { "curl|http://h/?access_token=T&x=1|",
            "curl http://h/?access_token=***&x=1" },
    { "curl|-u|me:pw|", "curl -u me:***" },
    { "curl|--user|me|", "curl --user me" },
    { "curl|-H|Authorization: Bearer T0|", "curl -H 'Authorization: Bearer "
                                           "***'" },
    { "curl|-H|X-Api-Key: T0|", "curl -H 'X-Api-Key: ***'" },
    { "curl|-d|{\"password\": \"pw\", \"a\": 1}|",
            "curl -d '{\"password\": \"***\", \"a\": 1}'" },
    { "app|Server=h;Uid=me;Pwd=pw;|", "app Server=h;Uid=me;Pwd=***;" },
    { "app|--pwd=/home/me|", "app --pwd=/home/me" },
    { "sh|-c|srv --password pw --port 1|",
            "sh -c 'srv --password *** --port 1'" },
    { "/usr/bin/mysql|-psecret|-u|root|", "/usr/bin/mysql -p*** -u root" },
    { "ssh|-p2222|host|", "ssh -p2222 host" },
    /* By their shape. */
    { "x|ghp_0123456789abcdefABCDEF|", "x ***" },
    { "x|https://ghp_0123456789abcdefABCDEF@github.com/a|",
            "x https://***@github.com/a" },
    { "x|hf_abcdefghijklmnopqrst|", "x ***" },
    { "x|hf_hub|", "x hf_hub" },
    { "x|Bearer T0k|", "x 'Bearer ***'" },
    { "x|Bearer|T0k|a|", "x Bearer *** a" },
    { "x|token=T0k|tokens=5|--max-tokens|5|",
            "x token=*** tokens=5 --max-tokens 5" },
    { "x|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc|", "x ***" },
};

static void check(const char *given, const char *shown)
{
    struct buf bytes = { 0 }, out = { 0 };

    for (const char *p = given; *p; p++)
        buf_char(&bytes, *p == '|' ? 0 : *p);
    proc_cmdline_text(&out, buf_str(&bytes));
    CHECK(strcmp(buf_cstr(&out), shown) == 0);
    if (strcmp(buf_cstr(&out), shown) != 0)
        (void)fprintf(stderr, "  %s\n  %s\n", buf_cstr(&out), shown);
    buf_release(&bytes);
    buf_release(&out);
}

/* The same as words, and as a program's arguments. */
static void other_ways(void)
{
    const char *const argv[] = { "node", "a b.js", "--password", "p w", "$x",
        "-HAuthorization: Bearer T0k", NULL };
    struct buf out = { 0 };

    proc_cmdline_argv(&out, (char *const *)argv);
    CHECK(strcmp(buf_cstr(&out), "node 'a b.js' --password '***' '$x'"
                                 " '-HAuthorization: Bearer ***'") == 0);

    char *line = proc_cmdline_masked(
            "curl -H Authorization: Bearer T0k --api-key k https://u:pw@h/ "
            "--max-tokens 5");

    CHECK(strcmp(line, "curl -H Authorization: Bearer *** --api-key *** "
                       "https://u:***@h/ --max-tokens 5") == 0);
    free(line);
    buf_release(&out);
}

int main(void)
{
    other_ways();
    for (size_t i = 0; i < LEN(cases); i++)
        check(cases[i].given, cases[i].shown);
    return test_result();
}
