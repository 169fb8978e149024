#include "fake_ops.h"

/* Nothing is left over but what the program still has. */
static void check_tidy(int options, int sessions)
{
    CHECK_INT(fake.statuses, 0);
    CHECK_INT(fake.options, options);
    CHECK_INT(fake.sessions, sessions);
}

static void a_copy_is_used(void)
{
    const struct ort_api *api = fake_start("2", 30);
    struct ort_env *env = fake_env();
    struct ort_options *theirs = fake_options(api);
    struct ort_session *s;

    s = fake_load(api, env, theirs);
    CHECK(s && s->ep && s->factory);
    CHECK_INT(theirs->devices, 0); /* theirs are as they were */
    CHECK_INT(fake.appended, 1);
    CHECK_INT(fake.registered, 1);
    check_tidy(1, 1); /* and ours are gone */

    /* Its provider is found again, not registered again. */
    CHECK(fake_load(api, env, NULL)->ep != NULL);
    CHECK_INT(fake.registered, 1);
    CHECK_INT(fake.appended, 2);
    check_tidy(1, 2);

    /* Another environment needs it for itself. */
    CHECK(fake_load(api, fake_env(), theirs)->ep != NULL);
    CHECK_INT(fake.registered, 2);
    check_tidy(1, 3);
}

/* --- a step that fails: then it is as without us -------------------------- */

static const struct step {
    const char *call;
    const char *own_path;
    bool by_theirs; /* options are given */
    int cpus;
} steps[] = {
    { "CloneSessionOptions", "/lib/hook.so", true, 1 },
    { "CreateSessionOptions", "/lib/hook.so", false, 1 },
    { "GetEpDevices", "/lib/hook.so", true, 1 },
    { "RegisterExecutionProviderLibrary", "/lib/hook.so", true, 1 },
    { "CreateEpDevice", "/lib/hook.so", true, 1 },
    { "SessionOptionsAppendExecutionProvider_V2", "/lib/hook.so", true, 1 },
    { NULL, NULL, true, 1 },            /* where we lie is not known */
    { NULL, "/lib/hook.so", false, 0 }, /* no CPU */
};

static const struct step *now;

static void step_that_fails(void)
{
    const struct ort_api *api = fake_start("1", 30);
    struct ort_options *theirs = now->by_theirs ? fake_options(api) : NULL;
    struct ort_session *s;

    fake.fails = now->call;
    fake.code = 1;
    fake.own_path = now->own_path;
    fake.cpus = now->cpus;
    s = fake_load(api, fake_env(), theirs);
    CHECK(s && !s->ep);
    CHECK_INT(fake.loads, 1);
    check_tidy(theirs != NULL, 1);

    /* It is not watched, and runs as ever. */
    CHECK(fake_run(api, s, NULL));
    CHECK_INT(fake.run_options, 0);
    CHECK_INT(fake_count(RECORD_SAMPLE), 0);
    if (test_failures)
        (void)fprintf(stderr, "%s fails\n", now->call);
}

/* --- options that say something ------------------------------------------- */

static struct ort_options *marked(const struct ort_api *api, int how)
{
    struct ort_options *o = fake_options(api);

    switch (how) {
    case 0: (void)ORT(api, SessionOptionsSetEpSelectionPolicy)(o, 2); break;
    case 1:
        (void)ORT(api, SessionOptionsSetEpSelectionPolicyDelegate)(o, NULL,
                NULL);
        break;
    case 2: (void)ORT(api, EnableProfiling)(o, "theirs"); break;
    case 3:
        (void)ORT(api, AddSessionConfigEntry)(o, "session.enable_profiling",
                "1");
        break;
    case 4:
        (void)ORT(api, AddSessionConfigEntry)(o, "ep.context_enable", "1");
        break;
    default: break;
    }
    return o;
}

static void left_alone(void)
{
    const struct ort_api *api = fake_start("1", 30);
    struct ort_env *env = fake_env();
    struct ort_options older = { .cloned = false };
    struct ort_options *o, *copy = NULL;

    for (int how = 0; how < 5; how++) {
        o = marked(api, how);
        CHECK(!fake_load(api, env, o)->ep);
        /* A copy says the same. */
        CHECK(!ORT(api, CloneSessionOptions)(o, &copy));
        CHECK(!fake_load(api, env, copy)->ep);
        ORT(api, ReleaseSessionOptions)(copy);
        ORT(api, ReleaseSessionOptions)(o);
    }
    CHECK_INT(fake.registered, 0);

    /* Made before us: what they say is not known, nor what a copy says. */
    CHECK(!fake_load(api, env, &older)->ep);
    CHECK(!ORT(api, CloneSessionOptions)(&older, &copy));
    CHECK(!fake_load(api, env, copy)->ep);
    CHECK(!ORT(api, DisableProfiling)(copy));
    CHECK(!fake_load(api, env, copy)->ep);

    /* Taken back, and what is none of our business. */
    o = marked(api, 2);
    CHECK(!ORT(api, DisableProfiling)(o));
    CHECK(!ORT(api, AddSessionConfigEntry)(o, "session.intra_op", "1"));
    CHECK(fake_load(api, env, o)->ep != NULL);
    ORT(api, ReleaseSessionOptions)(o);
    check_tidy(1, 14);
}

/* --- a session that cannot be made ---------------------------------------- */

/* By OrtErrorCode: what is worth a second try, with theirs. */
static const bool worth[] = { false, true, true, false, false, false, true,
    false, false, true, false, true, false };

static void second_try(void)
{
    const struct ort_api *api = fake_start("1", 30);
    struct ort_env *env = fake_env();
    struct ort_options *theirs = fake_options(api);

    for (int code = -1; code <= 12; code++) {
        bool again = code >= 0 && worth[code];

        fake.code = code;
        fake.loads = 0;
        fake.sessions = 0;

        /* What fails without us fails with us, after as many tries. */
        fake.fails = "CreateSession";
        CHECK(!fake_load(api, env, theirs));
        CHECK_INT(fake.loads, 1 + again);
        check_tidy(1, 0);

        /* What fails only with us is made without. */
        fake.fails = "CreateSession with our provider";
        struct ort_session *s = fake_load(api, env, theirs);

        CHECK_INT(s != NULL, again);
        CHECK_INT(fake.loads, 2 + 2 * again);
        check_tidy(1, again);
        if (s) {
            CHECK(!s->ep);
            CHECK(fake_run(api, s, NULL));
            ORT(api, ReleaseSession)(s);
        }
    }
    CHECK_INT(fake_count(RECORD_SAMPLE), 0);
}

/* --- what the program sees of it ------------------------------------------ */

static void hidden(void)
{
    const struct ort_api *api = fake_start("1", 30);
    struct ort_env *env = fake_env();
    const struct ort_device *const *devices = NULL;
    size_t count = 0;

    CHECK(fake_load(api, env, NULL)->ep != NULL);
    CHECK_INT(env->count, 2);
    CHECK(!ORT(api, GetEpDevices)(env, &devices, &count));
    CHECK_INT(count, 1);
    CHECK(devices[0] == env->devices[0]);

    /* More than can be copied are shown as they are. */
    struct ort_device *ours = env->devices[1];

    for (env->count = 2; env->count < 80; env->count++)
        env->devices[env->count] = env->devices[0];
    env->count = 64;
    CHECK(!ORT(api, GetEpDevices)(env, &devices, &count));
    CHECK_INT(count, 63);
    for (size_t i = 0; i < count; i++)
        CHECK(devices[i] != ours);
    env->count = 80;
    CHECK(!ORT(api, GetEpDevices)(env, &devices, &count));
    CHECK_INT(count, 80);

    /* Its own error reaches it. */
    fake.fails = "GetEpDevices";
    struct ort_status *status = ORT(api, GetEpDevices)(env, &devices, &count);

    CHECK(status != NULL);
    ORT(api, ReleaseStatus)(status);
    check_tidy(0, 1);
}

/* Without an environment, and where nobody listens. */
static void nothing_wanted(void)
{
    const struct ort_api *api = fake_start("1", 30);

    CHECK(!fake_load(api, NULL, NULL)->ep);
    CHECK_INT(fake.registered, 0);
    check_tidy(0, 1);
    ORT(api, ReleaseSession)(fake_load(api, NULL, NULL));
    check_tidy(0, 1);
}

int main(void)
{
    apart(a_copy_is_used);
    for (now = steps; now < steps + sizeof(steps) / sizeof(*steps); now++)
        apart(step_that_fails);
    apart(left_alone);
    apart(second_try);
    apart(hidden);
    apart(nothing_wanted);
    return test_result();
}
