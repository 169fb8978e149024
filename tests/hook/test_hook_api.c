/* test_hook_api.c -- ortmeter.h: what programs tell, and that it is nothing
 * where nobody listens. */
#include "hooked.h"
#include "ortmeter.h"
#include "os/clock.h"

static void heard(void)
{
    hooked_listen();
    channel_init();
    CHECK_INT(ortmeter_listening(), 1);

    uint64_t before_ns = mono_ns();
    struct ortmeter_section s = ortmeter_section_begin(ORTMETER_PRE, "outer");
    struct ortmeter_section inner =
            ortmeter_section_begin(ORTMETER_DECODE, "inner");

    CHECK_INT(hooked_count(RECORD_SECTION), 0);
    ortmeter_section_end(&inner);

    const struct record *r = hooked_last(RECORD_SECTION);

    CHECK(hooked_text(r->section.name, "inner"));
    CHECK_INT(record_phase(r), PHASE_DECODE);
    ortmeter_section_end(&s);
    r = hooked_last(RECORD_SECTION);
    CHECK(hooked_text(r->section.name, "outer"));
    CHECK_INT(record_phase(r), PHASE_PRE);
    CHECK(r->section.start >= before_ns);
    CHECK(r->section.end >= r->section.start);
    CHECK_INT(r->section.thread, getpid());
    ortmeter_section_end(&s); /* twice is once */
    ortmeter_section_end(NULL);
    CHECK_INT(hooked_count(RECORD_SECTION), 2);
}

static void other_calls(void)
{
    hooked_listen();
    channel_init();
    ortmeter_batch(8, 2, 31);
    CHECK_INT(hooked_last(RECORD_BATCH)->batch.thread, getpid());
    CHECK_INT(hooked_last(RECORD_BATCH)->batch.size, 8);
    CHECK_INT(hooked_last(RECORD_BATCH)->batch.padding, 2);
    CHECK_INT(hooked_last(RECORD_BATCH)->batch.queue_depth, 31);

    ortmeter_batch_lasting(16, 1, 2);
    CHECK_INT(hooked_last(RECORD_BATCH)->flags, BATCH_LASTS);
    CHECK_INT(hooked_last(RECORD_BATCH)->batch.size, 16);

    ortmeter_token(4, -7, "Hallo");
    CHECK_INT(hooked_last(RECORD_TOKEN)->token.index, 4);
    CHECK_INT(hooked_last(RECORD_TOKEN)->token.id, -7);
    CHECK(hooked_text(hooked_last(RECORD_TOKEN)->token.text, "Hallo"));
    CHECK(hooked_last(RECORD_TOKEN)->token.time > 0);
    ortmeter_token(5, 8, NULL);
    CHECK_INT(hooked_last(RECORD_TOKEN)->token.text, 0);

    ortmeter_mark("now");
    CHECK(hooked_text(hooked_last(RECORD_MARK)->mark.text, "now"));
    ortmeter_thread_name("worker");
    CHECK(hooked_text(hooked_last(RECORD_THREAD)->mark.text, "worker"));
    CHECK_INT(hooked_last(RECORD_THREAD)->mark.thread, getpid());
    ortmeter_mark(NULL);
    CHECK_INT(hooked_last(RECORD_MARK)->mark.text, 0);

    /* A phase that is none. */
    struct ortmeter_section s =
            ortmeter_section_begin((enum ortmeter_phase)99, NULL);

    ortmeter_section_end(&s);
    CHECK_INT(record_phase(hooked_last(RECORD_SECTION)), PHASE_OTHER);
    CHECK_INT(hooked_last(RECORD_SECTION)->section.name, 0);
}

static void not_followed(void)
{
    CHECK(unsetenv("ORTMETER_DIR") == 0);
    channel_init();
    CHECK_INT(ortmeter_listening(), 0);

    struct ortmeter_section s = ortmeter_section_begin(ORTMETER_PRE, "x");

    CHECK_INT(s.start, 0);
    ortmeter_section_end(&s);
    ortmeter_batch(1, 2, 3);
    ortmeter_token(1, 2, "x");
    ortmeter_mark("x");
    ortmeter_thread_name("x");
    CHECK(channel_ring() == NULL);
}

static void versions(void)
{
    CHECK(strcmp(ortmeter_version(), ORTMETER_VERSION) == 0);
}

int main(void)
{
    HOOKED(heard);
    HOOKED(other_calls);
    HOOKED(not_followed);
    HOOKED(versions);
    return test_result();
}
