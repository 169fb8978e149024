/* test_generate_request.c -- what POST generate takes, and the options that
 * become of it. */
#include "serve/answer/generate_request.h"

#include "test.h"

#include <string.h>

#define P "\"prompt\":\"a\",\"modelPath\":\"m\""

static bool has(const struct buf *options, const char *one)
{
    for (const char *p = options->p; p && p < options->p + options->len;
            p += strlen(p) + 1)
        if (strcmp(p, one) == 0)
            return true;
    return false;
}

static const char *read(const char *body)
{
    struct generate_request r;
    const char *wrong = generate_request_read(&r, str_of(body));

    generate_request_release(&r);
    return wrong;
}

static void check_bad(void)
{
    static const char *const bad[] = { "", "[]", "{}", "{\"prompt\":\"a\"}",
        "{\"prompt\":\"\",\"modelPath\":\"m\"}", "{" P ",\"x\":1}",
        "{" P ",\"profilingDepth\":\"all\"}", "{" P ",\"config\":[]}",
        "{" P ",\"config\":{\"temperature\":11}}",
        "{" P ",\"config\":{\"top_p\":0}}",
        "{" P ",\"config\":{\"max_new_tokens\":0}}",
        "{" P ",\"config\":{\"max_new_tokens\":1.5}}",
        "{" P ",\"config\":{\"stop\":\"x\"}}",
        "{" P ",\"config\":{\"stop\":[1]}}",
        "{" P ",\"config\":{\"system\":\"x\"}}", "{" P ",\"requireEnergy\":1}",
        "{" P ",\"tags\":[\"a\"]}",
        "{\"prompt\":\"a\\u0000b\",\"modelPath\":\"m\"}" };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK(read(bad[i]) != NULL);
    CHECK(read("{" P "}") == NULL);
}

static void check_options(void)
{
    struct generate_request r;
    struct buf options = { 0 };

    CHECK(!generate_request_read(&r,
            str_of("{" P ",\"tags\":\"x, y\",\"config\":{\"temperature\":0.5,"
                   "\"top_k\":40,\"seed\":7,\"stop\":[\"end\"],"
                   "\"chat\":true,\"system\":\"be kind\"}}")));
    generate_request_options(&options, &r);
    CHECK(has(&options, "--temperature=0.5"));
    CHECK(has(&options, "--top-k=40"));
    CHECK(has(&options, "--seed=7"));
    CHECK(has(&options, "--max-tokens=128"));
    CHECK(has(&options, "--stop=end"));
    CHECK(has(&options, "--chat"));
    CHECK(has(&options, "--depth=module"));
    CHECK(has(&options, "--tag=x"));
    CHECK(has(&options, "--tag=y"));
    CHECK(!has(&options, "--greedy"));
    /* What somebody wrote is not for everybody to read. */
    for (size_t i = 0; i < options.len; i++)
        CHECK(strncmp(options.p + i, "kind", 4) != 0);
    generate_request_release(&r);
    buf_clear(&options);

    CHECK(!generate_request_read(&r, str_of("{" P ",\"profilingDepth\":\"off\","
                                            "\"config\":{\"greedy\":true}}")));
    generate_request_options(&options, &r);
    CHECK(has(&options, "--greedy"));
    CHECK(has(&options, "--depth=off"));
    CHECK(!has(&options, "--temperature=1"));
    CHECK(!has(&options, "--seed=0"));
    generate_request_release(&r);
    buf_release(&options);
}

int main(void)
{
    check_bad();
    check_options();
    return test_result();
}
