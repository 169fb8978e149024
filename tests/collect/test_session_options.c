#include "collect/session_options.h"

#include "test.h"

#include <string.h>

static void check_json(const struct session_options *o, const char *providers,
        const char *options)
{
    struct buf b = { 0 };

    session_options_providers_json(o, &b);
    CHECK(strcmp(buf_cstr(&b), providers) == 0);
    buf_clear(&b);
    session_options_json(o, &b);
    CHECK(strcmp(buf_cstr(&b), options) == 0);
    buf_release(&b);
}

static void defaults(void)
{
    struct session_options *o = session_options_new();

    check_json(NULL, "[\"CPUExecutionProvider\"]", "{}");
    check_json(o, "[\"CPUExecutionProvider\"]", "{}");
    session_options_free(o);
    session_options_free(NULL);
}

static void set_again(void)
{
    struct session_options *o = session_options_new();

    session_options_set_number(o, "threads", 4);
    session_options_set(o, "name", "a \"b\"");
    session_options_set_number(o, "big", INT64_MIN);
    check_json(o, "[\"CPUExecutionProvider\"]",
            "{\"threads\":4,\"name\":\"a \\\"b\\\"\","
            "\"big\":-9223372036854775808}");
    session_options_set(o, "threads", "many");
    session_options_set_number(o, "name", 0);
    session_options_set(o, "big", "");
    check_json(o, "[\"CPUExecutionProvider\"]",
            "{\"threads\":\"many\",\"name\":0,\"big\":\"\"}");
    session_options_free(o);
}

static void providers(void)
{
    struct session_options *o = session_options_new();

    session_options_provider(o, "CUDAExecutionProvider");
    session_options_provider(o, "TensorrtExecutionProvider");
    check_json(o,
            "[\"CUDAExecutionProvider\",\"TensorrtExecutionProvider\","
            "\"CPUExecutionProvider\"]",
            "{}");
    session_options_provider(o, "CPUExecutionProvider"); /* not twice */
    check_json(o,
            "[\"CUDAExecutionProvider\",\"TensorrtExecutionProvider\","
            "\"CPUExecutionProvider\"]",
            "{}");
    session_options_free(o);
}

/* A copy is its own. */
static void copies(void)
{
    struct session_options *o = session_options_new();

    session_options_set_number(o, "n", 1);
    session_options_set(o, "t", "x");
    session_options_provider(o, "A");

    struct session_options *copy = session_options_copy(o);

    session_options_set_number(o, "n", 2);
    session_options_provider(o, "B");
    session_options_set(copy, "t", "y");
    check_json(copy, "[\"A\",\"CPUExecutionProvider\"]",
            "{\"n\":1,\"t\":\"y\"}");
    check_json(o, "[\"A\",\"B\",\"CPUExecutionProvider\"]",
            "{\"n\":2,\"t\":\"x\"}");
    session_options_free(o);
    check_json(copy, "[\"A\",\"CPUExecutionProvider\"]",
            "{\"n\":1,\"t\":\"y\"}");
    session_options_free(copy);
}

static size_t count_of(const char *text, char c)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == c;
    return n;
}

/* What comes beyond the most is not kept; what is kept can still change. */
static void most(void)
{
    static char keys[1009][16];
    struct session_options *o = session_options_new();
    struct buf b = { 0 };

    for (int i = 0; i < 1009; i++) {
        (void)snprintf(keys[i], sizeof(keys[i]), "k%04d", i);
        session_options_set_number(o, keys[i], i);
        session_options_provider(o, keys[i]);
    }
    session_options_set(o, "k0000", "changed");
    session_options_set(o, "k1008", "changed, but it is not there");
    session_options_json(o, &b);
    CHECK_INT(count_of(buf_cstr(&b), ':'), 256);
    CHECK(strstr(buf_cstr(&b), "\"k0000\":\"changed\",\"k0001\":1,"));
    CHECK(strstr(buf_cstr(&b), "\"k0255\":255}"));
    buf_clear(&b);
    session_options_providers_json(o, &b);
    CHECK_INT(count_of(buf_cstr(&b), ','), 256); /* and the CPU */
    buf_release(&b);
    session_options_free(o);
}

/* A program that sets long ones does not fill the disk. */
static void large(void)
{
    static char text[60001], names[40][12];
    struct session_options *o = session_options_new();
    struct buf b = { 0 };

    memset(text, 'x', sizeof(text) - 1);
    for (int i = 0; i < 40; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "name%d", i);
        session_options_set(o, names[i], text);
        session_options_provider(o, text);
    }
    session_options_set(o, names[0], "short");
    session_options_set(o, names[1], "again");
    session_options_json(o, &b);
    CHECK(strcmp(buf_cstr(&b), "{\"name0\":\"short\",\"name1\":\"again\"}") ==
            0);
    buf_clear(&b);
    session_options_providers_json(o, &b);
    CHECK(b.len < 1000);
    buf_release(&b);
    session_options_free(o);
}

int main(void)
{
    large();
    defaults();
    set_again();
    providers();
    copies();
    most();
    return test_result();
}
