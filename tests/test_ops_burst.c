#include "fake_ops.h"

#include <pthread.h>

static const struct ort_api *api;
static struct ort_session *session;

static void start(const char *asked)
{
    api = fake_start(asked, 23);
    session = fake_load(api, fake_env(), NULL);
    CHECK(session != NULL && !session->ep);
    CHECK_INT(fake.options, 0);
    (void)fake_count(RECORD_NONE);
}

/* --- the first runs ------------------------------------------------------- */

static const struct size {
    const char *asked;
    int runs;
} sizes[] = { { "10", 8 }, { "2", 8 }, { "1", 128 }, { "all", 128 } };

static const struct size *now;

static void first_runs(void)
{
    struct record r;

    start(now->asked);
    CHECK(session->profiled);
    for (int i = 0; i < 200; i++) {
        CHECK_INT(session->ended, i >= now->runs);
        CHECK(fake_run(api, session, NULL));
        CHECK(fake_record(&r) && r.kind == RECORD_RUN);
        CHECK_INT(r.flags & (FLAG_SAMPLED | FLAG_BURST),
                i < now->runs ? FLAG_SAMPLED | FLAG_BURST : 0);
        if (i != now->runs - 1)
            continue;
        /* What it wrote is told right behind the last of them. */
        CHECK(fake_record(&r) && r.kind == RECORD_PROFILE);
        CHECK(r.profile.session == (uintptr_t)session);
        CHECK(strcmp(fake_text(r.profile.path), "/folder/profile.json") == 0);
    }
    ORT(api, ReleaseSession)(session);
    CHECK_INT(fake.ended, 1);
    CHECK_INT(fake.run_options, 0);
    CHECK_INT(fake_count(RECORD_PROFILE), 0);
    CHECK_INT(fake_count(RECORD_SAMPLE), 0);
}

/* What it would cost is not known: so not in this mode. */
static void not_in_auto(void)
{
    start("auto");
    CHECK(!session->profiled);
    CHECK(fake_run(api, session, NULL));
    ORT(api, ReleaseSession)(session);
    CHECK_INT(fake.ended, 0);
}

/* --- when it ends --------------------------------------------------------- */

static void at_the_sessions_end(void)
{
    struct record r;

    start("10");
    for (int i = 0; i < 3; i++)
        CHECK(fake_run(api, session, NULL));
    ORT(api, ReleaseSession)(session);
    CHECK_INT(fake.ended, 1);
    CHECK(fake_record_of(RECORD_PROFILE, &r));
    CHECK(fake_record(&r) && r.kind == RECORD_SESSION_END);

    /* Another at the same address has a burst of its own. */
    session = fake_load(api, fake_env(), NULL);
    for (int i = 0; i < 9; i++)
        CHECK(fake_run(api, session, NULL));
    CHECK_INT(session->ended, 1);
    CHECK_INT(fake.ended, 2);
}

static pthread_barrier_t meet;

static void *run_beside(void *unused)
{
    CHECK(fake_run(api, session, NULL));
    return unused;
}

/* Runs of the other thread: it says that it is there, and waits to go on. */
static pthread_t other;

static void wait_inside(struct ort_session *s, const struct ort_run_options *o)
{
    (void)s, (void)o;
    if (!pthread_equal(pthread_self(), other))
        return;
    (void)pthread_barrier_wait(&meet);
    (void)pthread_barrier_wait(&meet);
}

static void not_amid_another_run(void)
{
    start("10");
    CHECK_INT(pthread_barrier_init(&meet, NULL, 2), 0);
    for (int i = 0; i < 7; i++)
        CHECK(fake_run(api, session, NULL));
    fake.during = wait_inside;
    CHECK_INT(pthread_create(&other, NULL, run_beside, NULL), 0);
    (void)pthread_barrier_wait(&meet); /* the eighth is under way */
    for (int i = 0; i < 3; i++)
        CHECK(fake_run(api, session, NULL));
    CHECK_INT(session->ended, 0);
    (void)pthread_barrier_wait(&meet);
    CHECK_INT(pthread_join(other, NULL), 0);
    CHECK_INT(session->ended, 1);
    CHECK_INT(session->ended_amid, 0);
    /* All of them are in the profile. */
    struct record r;
    int flagged = 0;

    while (fake_record_of(RECORD_RUN, &r))
        flagged += (r.flags & FLAG_BURST) != 0;
    CHECK_INT(flagged, 11);
}

/* --- when the program ends ------------------------------------------------ */

static int want_ended;

/* Registered first, so it comes last. */
static void look_back(void)
{
    if (fake.ended != want_ended)
        _exit(3);
}

static void at_exit(void)
{
    CHECK_INT(atexit(look_back), 0);
    want_ended = 1;
    start("10");
    CHECK(fake_run(api, session, NULL));
}

static void leave(struct ort_session *s, const struct ort_run_options *o)
{
    (void)s, (void)o;
    exit(test_result());
}

static void at_exit_amid_a_run(void)
{
    CHECK_INT(atexit(look_back), 0);
    start("10");
    fake.during = leave;
    CHECK(!fake_run(api, session, NULL)); /* it does not come back */
}

/* A child's copy is not its to end: the file is the parent's.  But what it
 * makes itself is its own. */
static void be_a_child(bool loads)
{
    struct record r;

    ops_in_child(); /* as find_linux.c does */
    (void)fake_count(RECORD_NONE);
    for (int i = 0; i < 9; i++)
        CHECK(fake_run(api, session, NULL));
    while (fake_record_of(RECORD_RUN, &r))
        CHECK(!(r.flags & FLAG_BURST));
    if (loads) {
        session = fake_load(api, fake_env(), NULL);
        for (int i = 0; i < 9; i++)
            CHECK(fake_run(api, session, NULL));
    }
    CHECK_INT(fake_count(RECORD_PROFILE), loads);
    want_ended = loads;
    exit(test_result());
}

static void not_by_a_child(void)
{
    CHECK_INT(atexit(look_back), 0);
    start("10");
    for (int i = 0; i < 5; i++)
        CHECK(fake_run(api, session, NULL));
    for (int loads = 0; loads < 2; loads++) {
        int status = 0;
        pid_t pid = fork();

        if (pid == 0)
            be_a_child(loads);
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK_INT(status, 0);
    }
    for (int i = 0; i < 4; i++)
        CHECK(fake_run(api, session, NULL));
    want_ended = 1;
    CHECK_INT(session->ended, 1);
}

/* --- what fails ----------------------------------------------------------- */

static void nothing_to_end(void)
{
    struct ort_options *theirs;

    start("10");
    fake.fails = "EnableProfiling";
    session = fake_load(api, fake_env(), NULL);
    CHECK(session && !session->profiled);
    fake.fails = NULL;
    fake.no_folder = true;
    session = fake_load(api, fake_env(), NULL);
    CHECK(session && !session->profiled);
    fake.no_folder = false;

    /* The program profiles it itself. */
    theirs = fake_options(api);
    CHECK(!ORT(api, EnableProfiling)(theirs, "theirs"));
    session = fake_load(api, fake_env(), theirs);
    CHECK(session && session->profiled);
    for (int i = 0; i < 9; i++)
        CHECK(fake_run(api, session, NULL));
    ORT(api, ReleaseSession)(session);
    CHECK_INT(fake.ended, 0);
    CHECK_INT(fake.statuses, 0);
    CHECK_INT(fake.options, 1);
}

static void ending_fails(void)
{
    static const char *const calls[] = { "GetAllocatorWithDefaultOptions",
        "SessionEndProfiling" };

    start("10");
    for (int i = 0; i < 2; i++) {
        session = fake_load(api, fake_env(), NULL);
        fake.fails = calls[i];
        for (int k = 0; k < 9; k++)
            CHECK(fake_run(api, session, NULL));
        CHECK_INT(fake_count(RECORD_PROFILE), 0);
        CHECK_INT(fake.statuses, 0);
        CHECK_INT(session->ended, i); /* and not again */
    }
}

/* --- full houses ---------------------------------------------------------- */

#define MANY 300

/* None stays profiled for ever, however many there are. */
static void many_sessions(void)
{
    static struct ort_session *all[MANY];
    struct ort_env *env = fake_env();
    int ended = 0;

    start("10");
    for (int i = 0; i < MANY; i++)
        all[i] = fake_load(api, env, NULL);
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < 9; k++)
            CHECK(fake_run(api, all[i], NULL));
    for (int i = 0; i < MANY; i++) {
        ended += all[i]->profiled && all[i]->ended == 1;
        ORT(api, ReleaseSession)(all[i]);
    }
    CHECK_INT(ended, MANY);
    CHECK_INT(fake.ended, MANY);
    CHECK_INT(fake_count(RECORD_PROFILE), MANY);
}

/* One after the other, each has its burst. */
static void many_in_turn(void)
{
    struct ort_env *env = fake_env();
    struct record r;
    int flagged = 0;

    start("10");
    for (int i = 0; i < MANY; i++) {
        session = fake_load(api, env, NULL);
        for (int k = 0; k < 9; k++)
            CHECK(fake_run(api, session, NULL));
        while (fake_record_of(RECORD_RUN, &r))
            flagged += (r.flags & FLAG_BURST) != 0;
        if (i % 2)
            ORT(api, ReleaseSession)(session);
    }
    CHECK_INT(flagged, MANY * 8);
}

/* More addresses than the table has places. */
static void many_addresses(void)
{
    static struct ort_session all[3000];
    const struct library *lib;
    int ended = 0;

    start("10");
    lib = fake_library(api);
    for (int i = 0; i < 3000; i++) {
        burst_watch(lib, &all[i], 8);

        struct burst *b = burst_begin(&all[i]);

        if (b)
            burst_end(b);
        burst_session_end(&all[i]);
        ended += all[i].ended == 1;
    }
    CHECK_INT(ended, 3000);
}

int main(void)
{
    for (now = sizes; now < sizes + sizeof(sizes) / sizeof(*sizes); now++)
        apart(first_runs);
    apart(not_in_auto);
    apart(at_the_sessions_end);
    apart(not_amid_another_run);
    apart(at_exit);
    apart(at_exit_amid_a_run);
    apart(not_by_a_child);
    apart(nothing_to_end);
    apart(ending_fails);
    apart(many_sessions);
    apart(many_in_turn);
    apart(many_addresses);
    return test_result();
}
