#include "fake_ops.h"

#include <pthread.h>

static const struct fake_node nodes[] = { { .name = "a", .kernel_ns = 5 },
    { .name = NULL } };

static const struct ort_api *api;
static struct ort_session *session;

static void start(const char *asked)
{
    api = fake_start(asked, 30);
    fake.nodes = nodes;
    session = fake_load(api, fake_env(), NULL);
    CHECK(session && session->ep);
    (void)fake_count(RECORD_NONE);
}

/* Whether a run with those options was looked into. */
static bool is_looked_into(const struct ort_run_options *options)
{
    struct record r;
    int before = fake.profiled_runs;

    CHECK(fake_run(api, session, options));
    CHECK(fake_record_of(RECORD_RUN, &r));
    CHECK_INT(fake.profiled_runs - before, (r.flags & FLAG_SAMPLED) != 0);
    return r.flags & FLAG_SAMPLED;
}

/* --- whose options ours may stand in for ---------------------------------- */

static void touch(struct ort_run_options *o, int how)
{
    switch (how) {
    case 0: (void)ORT(api, RunOptionsSetRunTag)(o, "tag"); break;
    case 1: (void)ORT(api, RunOptionsSetRunLogSeverityLevel)(o, 1); break;
    case 2: (void)ORT(api, RunOptionsEnableProfiling)(o, "theirs"); break;
    case 3: (void)ORT(api, RunOptionsSetTerminate)(o); break;
    default: break;
    }
    if (how == 3)
        (void)ORT(api, RunOptionsUnsetTerminate)(o);
}

static void untouched_ones(void)
{
    struct ort_run_options older = { .profiled = false };
    struct ort_run_options *o;

    start("1");
    CHECK(is_looked_into(NULL));
    o = fake_run_options(api);
    CHECK(is_looked_into(o));
    CHECK(is_looked_into(o));
    CHECK(!is_looked_into(&older)); /* made before us: nobody knows */
    for (int how = 0; how < 4; how++) {
        touch(o, how);
        CHECK(!is_looked_into(o));
        ORT(api, ReleaseRunOptions)(o);
        /* Another at the same address is untouched. */
        o = fake_run_options(api);
        CHECK(is_looked_into(o));
    }
    ORT(api, ReleaseRunOptions)(o);
    CHECK(!o || !is_looked_into(&older));
    CHECK_INT(fake.run_options, 1); /* ours, used over and over */
}

/* No options of ours: the run goes on with theirs, and is not called looked
 * into. */
static void none_of_ours(void)
{
    static const char *const calls[] = { "CreateRunOptions",
        "RunOptionsEnableProfiling" };

    start("1");
    for (int i = 0; i < 2; i++) {
        fake.fails = calls[i];
        CHECK(!is_looked_into(NULL));
        CHECK_INT(fake.statuses, 0);
        CHECK_INT(fake.run_options, 0);
    }
    fake.fails = NULL;
    CHECK(is_looked_into(NULL));
}

/* A kernel that runs a model itself: only the outer run is looked into. */
static int inner_runs;

static void run_within(struct ort_session *s, const struct ort_run_options *o)
{
    (void)o;
    if (inner_runs++ == 0)
        CHECK(fake_run(api, s, NULL));
}

static void within_a_run(void)
{
    struct record r;

    start("1");
    fake.during = run_within;
    CHECK(fake_run(api, session, NULL));
    CHECK(fake_record_of(RECORD_RUN, &r));
    CHECK(!(r.flags & FLAG_SAMPLED));
    CHECK(fake_record_of(RECORD_RUN, &r));
    CHECK(r.flags & FLAG_SAMPLED);
    CHECK(fake_record(&r) && r.kind == RECORD_SAMPLE);
    CHECK_INT(inner_runs, 2);
}

/* --- stopping ------------------------------------------------------------- */

static struct ort_run_options *theirs;
static const struct ort_run_options *used;

static void *stop(void *unused)
{
    (void)ORT(api, RunOptionsSetTerminate)(theirs);
    return unused;
}

static void stop_meanwhile(struct ort_session *s,
        const struct ort_run_options *o)
{
    pthread_t thread;

    (void)s;
    used = o;
    CHECK(o != theirs && !o->terminated);
    CHECK_INT(pthread_create(&thread, NULL, stop, NULL), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    CHECK(o->terminated);
}

static void stopped(void)
{
    struct record r;

    start("1");
    theirs = fake_run_options(api);
    fake.during = stop_meanwhile;
    CHECK(!fake_run(api, session, theirs)); /* it stopped */
    CHECK(theirs->terminated);              /* and they say so */
    CHECK(!used->terminated);               /* ours may be used again */
    CHECK(fake_record_of(RECORD_RUN, &r));
    CHECK_INT(r.flags & (FLAG_SAMPLED | FLAG_FAILED),
            FLAG_SAMPLED | FLAG_FAILED);

    /* Now they are touched, and stop as without us. */
    fake.during = NULL;
    CHECK(!fake_run(api, session, theirs));
    CHECK_INT(fake.profiled_runs, 1);
    (void)fake_count(RECORD_NONE);
    CHECK(is_looked_into(NULL));

    /* Stopping what does not run reaches nobody. */
    struct ort_run_options *other = fake_run_options(api);

    (void)ORT(api, RunOptionsSetTerminate)(other);
    CHECK(!used->terminated);
    CHECK_INT(fake.statuses, 0);
}

/* The thread that stops a run is slower than the run: it has ours in its hands
 * when they are no longer in use, and must not stop the next one. */
static pthread_t stopper;
static pthread_barrier_t meet;
static int runs;

static void be_slow(const struct ort_run_options *o)
{
    if (o == theirs)
        return;
    (void)pthread_barrier_wait(&meet);
    (void)pthread_barrier_wait(&meet);
}

static void end_meanwhile(struct ort_session *s,
        const struct ort_run_options *o)
{
    (void)s, (void)o;
    if (runs++ == 0) { /* the one that is to be stopped */
        CHECK_INT(pthread_create(&stopper, NULL, stop, NULL), 0);
        (void)pthread_barrier_wait(&meet);
    } else { /* the next one */
        (void)pthread_barrier_wait(&meet);
        CHECK_INT(pthread_join(stopper, NULL), 0);
    }
}

static void stopped_late(void)
{
    start("1");
    theirs = fake_run_options(api);
    CHECK_INT(pthread_barrier_init(&meet, NULL, 2), 0);
    fake.stopping = be_slow;
    fake.during = end_meanwhile;
    CHECK(fake_run(api, session, theirs)); /* it was too late */
    CHECK(fake_run(api, session, NULL));
    CHECK_INT(fake.profiled_runs, 2);

    /* They came back, fit for use. */
    fake.during = NULL;
    for (int i = 0; i < 3; i++)
        CHECK(fake_run(api, session, NULL));
    CHECK_INT(fake.run_options, 1 + 2);
    CHECK_INT(pthread_barrier_destroy(&meet), 0);
}

/* --- full houses ---------------------------------------------------------- */

#define MANY 300

/* Of more sessions than can be watched, some are not looked into; and their
 * places are free again when they end. */
static void many_sessions(void)
{
    static struct ort_session *all[MANY];
    struct ort_env *env = fake_env();
    int seen = 0;

    start("1");
    for (int round = 0; round < 3; round++) {
        seen = 0;
        for (int i = 0; i < MANY; i++)
            all[i] = fake_load(api, env, NULL);
        for (int i = 0; i < MANY; i++) {
            session = all[i];
            seen += is_looked_into(NULL);
        }
        CHECK_INT(seen, 255); /* and the first */
        for (int i = 0; i < MANY; i++)
            ORT(api, ReleaseSession)(all[i]);
        (void)fake_count(RECORD_NONE);
    }
}

/* Whether a run of that session would be looked into. */
static bool is_watched(const struct ort_session *s)
{
    struct record r = { .run = { .start = 1, .end = 2 } };
    struct sample sample = ops_begin(fake_library(api), s, NULL, NULL, 0);

    ops_end(fake_library(api), s, &sample, &r);
    return sample.id;
}

/* More addresses than the tables have places: no place is used up by a session
 * that could not be remembered. */
static void many_addresses(void)
{
    static struct {
        uint64_t room[2];
    } made_up[40000];
    const struct ort_session *first = (const void *)made_up;

    start("1");
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 40000; i++) {
            const void *at = &made_up[i];

            ops_watch(at, 1);
            CHECK(round || i || is_watched(at));
            ops_unwatch(at);
            CHECK(i || !is_watched(at));
        }
    ops_watch(first, 1);
    CHECK(is_watched(first));
    CHECK(is_looked_into(NULL));

    /* The same for options: those that have no place are left alone. */
    struct ort_run_options *o = fake_run_options(api);

    for (size_t i = 0; i < 40000; i++)
        ops_run_options_new((const void *)&made_up[i]);
    CHECK(is_looked_into(o));
}

#define THREADS 150 /* more than there are profilers, and places to stop */

static pthread_barrier_t all_there;

static void wait_for_all(struct ort_session *s, const struct ort_run_options *o)
{
    (void)s, (void)o;
    (void)pthread_barrier_wait(&all_there);
}

static void *run_one(void *options)
{
    CHECK(fake_run(api, session, options));
    return NULL;
}

/* All of them are under way before the first one ends. */
static int run_at_once(bool with_options)
{
    static pthread_t threads[THREADS];
    struct ort_run_options *o[THREADS] = { NULL };
    struct record r;
    int seen = 0;

    for (int i = 0; i < THREADS; i++) {
        o[i] = with_options ? fake_run_options(api) : NULL;
        CHECK_INT(pthread_create(&threads[i], NULL, run_one, o[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(pthread_join(threads[i], NULL), 0);
        if (o[i])
            ORT(api, ReleaseRunOptions)(o[i]);
    }
    while (fake_record_of(RECORD_RUN, &r))
        seen += (r.flags & FLAG_SAMPLED) != 0;
    return seen;
}

static void many_at_once(void)
{
    start("1");
    fake.during = wait_for_all;
    CHECK_INT(pthread_barrier_init(&all_there, NULL, THREADS), 0);
    CHECK_INT(run_at_once(true), 64);
    CHECK_INT(fake.profiled_runs, 64);
    CHECK_INT(run_at_once(false), THREADS);
    CHECK_INT(fake.profiled_runs, 64 + 128);
    CHECK_INT(fake.profilers, 0);
    CHECK_INT(fake.run_options, 64); /* ours that wait to be used again */
    CHECK_INT(run_at_once(true), 64);
    CHECK_INT(pthread_barrier_destroy(&all_there), 0);
}

int main(void)
{
    apart(untouched_ones);
    apart(none_of_ours);
    apart(within_a_run);
    apart(stopped);
    apart(stopped_late);
    apart(many_sessions);
    apart(many_addresses);
    apart(many_at_once);
    return test_result();
}
