/* test_control.c -- wishes for a run that goes on, as JSON. */
#include "model/control.h"

#include "base/compiler.h"
#include "test.h"

#include <string.h>

static void check_wishes(void)
{
    static const char *const good[] = { "{}", " { } ", "{\"paused\":true}",
        "{\"paused\":false,\"rate_hz\":1,\"ops\":\"off\",\"stop\":true}",
        "{\"ops\":1}", "{\"ops\":100000000}", "{\"rate_hz\":1000}",
        "{\"rate_hz\":2.5}" };
    static const char *const bad[] = { "", "[]", "{", "{\"paused\":1}",
        "{\"paused\":\"true\"}", "{\"rate_hz\":0}", "{\"rate_hz\":1001}",
        "{\"rate_hz\":\"10\"}", "{\"ops\":0}", "{\"ops\":\"16\"}",
        "{\"ops\":100000001}", "{\"ops\":\"some\"}", "{\"ops\":1e2}",
        "{\"stop\":false}", "{\"other\":1}",
        "{\"paused\":true,\"paused\":true}", "{\"ops\":null}" };
    struct control_wish w;

    for (size_t i = 0; i < LEN(good); i++)
        CHECK(control_wish_read(&w, str_of(good[i])) == NULL);
    for (size_t i = 0; i < LEN(bad); i++)
        CHECK(control_wish_read(&w, str_of(bad[i])) != NULL);
}

/* What is written is read again. */
static void check_round(void)
{
    struct control_wish w = { .has_paused = true,
        .paused = true,
        .rate_hz = 12.5,
        .ops = "16" };
    struct control c = { .paused = true, .rate_hz = 5000, .ops = "auto" };
    struct control_wish again;
    struct control held;
    struct buf text = { 0 };
    struct json j = json_line_into(&text);
    struct str content;

    json_object(&j, NULL);
    control_wish_json(&j, "control", &w);
    json_end(&j);
    CHECK_INT(control_message_read(&content, buf_str(&text)), CONTROL_WISH);
    CHECK(control_wish_read(&again, content) == NULL);
    CHECK(again.has_paused && again.paused && !again.stop);
    CHECK(again.rate_hz == 12.5 && strcmp(again.ops, "16") == 0);

    buf_clear(&text);
    j = json_line_into(&text);
    json_object(&j, NULL);
    control_members(&j, &c);
    json_end(&j);
    CHECK_INT(control_read(&held, buf_str(&text)), 0);
    CHECK(held.paused && held.rate_hz == 5000 && strcmp(held.ops, "auto") == 0);
    CHECK(control_read(&held, str_of("{\"paused\":true}")) < 0);
    buf_release(&text);
}

static void check_messages(void)
{
    struct str content;

    CHECK_INT(control_message_read(&content, str_of("{\"subscribe\":true}")),
            CONTROL_SUBSCRIBE);
    CHECK_INT(control_message_read(&content, str_of("{\"new\":true}")),
            CONTROL_NEW);
    CHECK_INT(control_message_read(&content, str_of("{\"error\":\"no\"}")),
            CONTROL_ERROR);
    CHECK(str_is(content, "\"no\""));
    CHECK_INT(control_message_read(&content, str_of("{\"control\":1}")),
            CONTROL_NONE);
    CHECK_INT(control_message_read(&content, str_of("{}")), CONTROL_NONE);
    CHECK_INT(control_message_read(&content, str_of("new")), CONTROL_NONE);
}

int main(void)
{
    check_wishes();
    check_round();
    check_messages();
    return test_result();
}
