/* test_hook_ticks.c -- records whose times are ticks are told as mono_ns()
 * would have. */
#include "hooked.h"
#include "ortmeter.h"
#include "os/clock.h"
#include "os/ticks.h"

#include <stdio.h>

/* How far both clocks may be apart, a few milliseconds after the first look. */
#define APART_NS 20000

static struct ort_session *const session = (struct ort_session *)0x7000;
static struct ort_status failure = { 2, "no" };
static uint64_t before_ns;

static bool is_now(uint64_t told_ns)
{
    return told_ns + APART_NS >= before_ns && told_ns <= mono_ns() + APART_NS;
}

static void listen_for_ticks(void)
{
    char ticks[16];

    hooked_listen();
    /* Some time must pass between two looks at the clocks. */
    uint64_t end_ns = mono_ns() + 5000000;

    while (mono_ns() < end_ns)
        ;
    (void)snprintf(ticks, sizeof(ticks), "%u",
            rings_ticks_per_us(hooked.rings));
    CHECK(setenv("ORTMETER_TICKS", ticks, 1) == 0);
    before_ns = mono_ns();
    hooked_enter("1.30.0");
    CHECK_INT(channel_ticks_per_us != 0, ticks_are_steady());
}

static void objects(void)
{
    listen_for_ticks();
    CHECK(is_now(hooked_last(RECORD_LIBRARY)->library_found.time));

    struct ort_session *made = NULL;

    CHECK(!CALL(CreateSession)(NULL, "model.onnx", NULL, &made));

    const struct record *r = hooked_last(RECORD_SESSION);

    CHECK(is_now(r->session.start) && is_now(r->session.end));
    CHECK(r->session.end >= r->session.start);
    CALL(ReleaseSession)(made);
    CHECK(is_now(hooked_last(RECORD_SESSION_END)->session.end));
}

static uint64_t in_the_middle_ns;

static void wait_a_millisecond(void)
{
    uint64_t end_ns = mono_ns() + 1000000;

    while (mono_ns() < end_ns)
        ;
    in_the_middle_ns = mono_ns();
}

static void runs(void)
{
    listen_for_ticks();
    fake.during = wait_a_millisecond;
    for (int i = 0; i < 20; i++) {
        before_ns = mono_ns();
        fake.status = i == 7 ? &failure : NULL;
        CHECK(CALL(Run)(session, NULL, NULL, NULL, 0, NULL, 0, NULL) ==
                fake.status);

        const struct record *r = hooked_last(RECORD_RUN);

        CHECK(is_now(r->run.start) && is_now(r->run.end));
        CHECK(r->run.start + 1000000 <= in_the_middle_ns + APART_NS);
        CHECK(r->run.end + APART_NS >= in_the_middle_ns);
        CHECK(r->run.end - r->run.start >= 999000); /* 1 ms, and rounding */
    }
}

static void what_programs_tell(void)
{
    listen_for_ticks();

    struct ortmeter_section s = ortmeter_section_begin(ORTMETER_PRE, "outer");

    ortmeter_section_end(&s);
    ortmeter_mark("here");
    ortmeter_thread_name("me");

    const struct record *r = hooked_last(RECORD_SECTION);

    CHECK(is_now(r->section.start) && is_now(r->section.end));
    CHECK(r->section.end >= r->section.start);
    CHECK(is_now(hooked_last(RECORD_MARK)->mark.time));
    CHECK(is_now(hooked_last(RECORD_THREAD)->mark.time));
}

/* Nobody offers to count ticks, or says nonsense. */
static void no_ticks(void)
{
    CHECK(setenv("ORTMETER_TICKS", "fast", 1) == 0);
    hooked_listen();
    before_ns = mono_ns();
    hooked_enter("1.30.0");
    CHECK_INT(channel_ticks_per_us, 0);

    uint64_t told = hooked_last(RECORD_LIBRARY)->library_found.time;

    CHECK(told >= before_ns && told <= mono_ns());
}

int main(void)
{
    HOOKED(objects);
    HOOKED(runs);
    HOOKED(what_programs_tell);
    HOOKED(no_ticks);
    return test_result();
}
