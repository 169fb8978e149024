#include "fake_ops.h"

#define RUNS 20

/* Which of a session's first runs are looked into, a bit each. */
static uint64_t looked_into(const struct ort_api *api, struct ort_session *s)
{
    uint64_t seen = 0;
    struct record r;

    CHECK_INT(fake_count(RECORD_RUN), 0);
    for (int i = 0; i < RUNS; i++)
        CHECK(fake_run(api, s, NULL));
    for (int i = 0; fake_record_of(RECORD_RUN, &r); i++)
        if (r.flags & FLAG_SAMPLED)
            seen |= UINT64_C(1) << i;
    return seen;
}

static const struct mode {
    const char *asked;
    bool wanted;
    uint64_t burst_runs;
    uint64_t looked_into;
} modes[] = {
    { NULL, false, 0, 0 }, { "", false, 0, 0 }, { "off", false, 0, 0 },
    { "all", true, 128, 0xfffff }, { "1", true, 128, 0xfffff },
    { "7", true, 8, 0x04081 }, { "19", true, 8, 0x80001 },
    { "1000000", true, 8, 0x00001 },
    { "auto", true, 0, 0 }, /* for runs of a microsecond it is too dear */
    /* Not what it is called: then nothing is done. */
    { "0", false, 0, 0 }, { "some", false, 0, 0 }, { "-7", false, 0, 0 },
    { "7x", false, 0, 0 }, { "allx", false, 0, 0 },
    { "18446744073709551617", false, 0, 0 }, /* 2^64 + 1 */
};

static const struct mode *now;

static void check_mode(void)
{
    const struct ort_api *api = fake_start(now->asked, 30);
    struct ort_session *s = fake_load(api, fake_env(), NULL);

    CHECK_INT(ops_wanted(), now->wanted);
    CHECK_INT(ops_burst_runs(), now->burst_runs);
    CHECK_INT(fake.registered, now->wanted);
    CHECK_INT(looked_into(api, s), now->looked_into);
    if (test_failures)
        (void)fprintf(stderr, "ORTMETER_OPS=%s\n", now->asked);
    ORT(api, ReleaseSession)(s);
    CHECK_INT(fake.sessions, 0);
    CHECK_INT(fake.statuses, 0);
    CHECK_INT(fake.options, 0);
}

/* Every session counts for itself. */
static void sessions_apart(void)
{
    const struct ort_api *api = fake_start("10", 30);
    struct ort_env *env = fake_env();
    struct ort_session *a = fake_load(api, env, NULL);
    struct ort_session *b = fake_load(api, env, NULL);

    for (int i = 0; i < 21; i++)
        CHECK(fake_run(api, a, NULL));
    CHECK_INT(fake.profiled_runs, 3);
    CHECK_INT(fake_count(RECORD_SAMPLE), 3);
    CHECK_INT(looked_into(api, b), 0x00401);

    /* Another at the same address begins anew. */
    ORT(api, ReleaseSession)(b);
    struct ort_session *c = fake_load(api, env, NULL);

    CHECK_INT(looked_into(api, c), 0x00401);
    CHECK_INT(fake.registered, 1);
}

/* A sample's record comes behind its run's, with the operators before both. */
static void order_of_records(void)
{
    static const struct fake_node nodes[] = { { .name = "a", .kernel_ns = 9 },
        { .name = "b", .kernel_ns = 9 }, { .name = NULL } };
    const struct ort_api *api = fake_start("2", 30);
    struct ort_session *s;
    struct record r;
    uint8_t kinds[8] = { 0 };
    size_t count = 0;

    fake.nodes = nodes;
    s = fake_load(api, fake_env(), NULL);
    CHECK(fake_run(api, s, NULL));
    (void)fake_count(RECORD_NONE);
    CHECK(fake_run(api, s, NULL));
    CHECK(fake_run(api, s, NULL));
    while (count < 8 && fake_record(&r))
        kinds[count++] = r.kind;
    CHECK_INT(count, 5);
    CHECK_INT(kinds[0], RECORD_RUN);
    CHECK_INT(kinds[1], RECORD_OPERATOR_RUN);
    CHECK_INT(kinds[2], RECORD_OPERATOR_RUN);
    CHECK_INT(kinds[3], RECORD_RUN);
    CHECK_INT(kinds[4], RECORD_SAMPLE);
    CHECK_INT(r.sample.id, 2);
    CHECK_INT(r.sample.thread, channel_thread());
    CHECK_INT(ops_current(), 0);
}

int main(void)
{
    for (now = modes; now < modes + sizeof(modes) / sizeof(*modes); now++)
        apart(check_mode);
    apart(sessions_apart);
    apart(order_of_records);
    return test_result();
}
