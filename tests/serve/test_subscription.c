/* test_subscription.c -- what a client of /ws/metrics may ask for, and how its
 * rate follows what it takes. */
#include "serve/live/subscription.h"

#include "base/compiler.h"
#include "test.h"

#include <string.h>

#define S UINT64_C(1000000000)

static void test_good(void)
{
    struct subscription s;
    const char *code;

    CHECK(!subscription_read(&s,
            str_of("{\"type\":\"subscribe\",\"id\":\"a\","
                   "\"metrics\":[\"host_*\",\"inferences_total\"],"
                   "\"events\":[\"system\",\"inference\"],\"runs\":[\"live\"],"
                   "\"rate_hz\":20,\"buckets\":true,\"after\":{}}"),
            NULL, &code));
    CHECK(strcmp(s.id, "a") == 0);
    CHECK(s.live && s.buckets);
    CHECK_INT(s.events, SEND_SYSTEM | SEND_INFERENCES);
    CHECK(s.wanted_hz == 20);
    CHECK(strcmp(buf_cstr(&s.metrics), "host_*\ninferences_total\n") == 0);
    subscription_release(&s);
}

static void test_bad(void)
{
    static const struct {
        const char *message, *code;
    } bad[] = {
        { "{\"id\":\"a\"}", "bad_message" },
        { "{\"events\":[\"system\"]}", "bad_message" },
        { "{\"id\":\"\",\"events\":[\"system\"]}", "bad_message" },
        { "{\"id\":5,\"events\":[\"system\"]}", "bad_message" },
        { "{\"id\":\"a\",\"events\":[\"sytem\"]}", "bad_message" },
        { "{\"id\":\"a\",\"events\":\"system\"}", "bad_message" },
        { "{\"id\":\"a\",\"metrics\":[\"nothing_*\"]}", "unknown_metric" },
        { "{\"id\":\"a\",\"metrics\":[5]}", "unknown_metric" },
        { "{\"id\":\"a\",\"metrics\":[\"host_*\\u0000\"]}", "unknown_metric" },
        { "{\"id\":\"a\",\"events\":[\"system\"],\"rate_hz\":0}",
                "bad_message" },
        { "{\"id\":\"a\",\"events\":[\"system\"],\"rate_hz\":101}",
                "bad_message" },
        { "{\"id\":\"a\",\"events\":[\"system\"],\"x\":1}", "bad_message" },
        { "{\"id\":\"a\",\"events\":[\"system\"],\"after\":[]}",
                "bad_message" },
        { "{\"id\":\"a\",\"events\":[\"system\"],\"buckets\":1}",
                "bad_message" },
    };

    for (size_t i = 0; i < LEN(bad); i++) {
        struct subscription s;
        const char *code = "";

        CHECK(subscription_read(&s, str_of(bad[i].message), NULL, &code) !=
                NULL);
        CHECK(strcmp(code, bad[i].code) == 0);
    }
}

/* Who takes less than half gets half; ten seconds without a hitch: the double.
 */
static void test_rate(void)
{
    struct subscription s = { .wanted_hz = 10,
        .hz = 10,
        .window_ns = S,
        .clean_ns = S };
    uint64_t now = S;

    for (int i = 0; i < 30; i++)
        subscription_tick(&s, i % 3 != 0, now += S / 10);
    CHECK(s.hz == 5);
    CHECK(s.tell_rate && !s.restored);
    s.tell_rate = false;
    for (int i = 0; i < 120; i++)
        subscription_tick(&s, false, now += S / 10);
    CHECK(s.hz == 10);
    CHECK(s.tell_rate && s.restored);
    for (int i = 0; i < 1000; i++)
        subscription_tick(&s, true, now += S / 10);
    CHECK(s.hz == 1);
}

int main(void)
{
    test_good();
    test_bad();
    test_rate();
    return test_result();
}
