#include "fake_ops.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS  400

static const struct fake_node nodes[] = { { .name = "a", .kernel_ns = 5 },
    { .name = "b", .kernel_ns = 5 }, { .name = NULL } };

static const struct ort_api *api;
static struct ort_env *env;
static struct ort_session *session;
static pthread_barrier_t all_there;
static _Atomic int wrong;

static void in_threads(void *(*work)(void *))
{
    pthread_t threads[THREADS];
    static int numbers[THREADS];

    CHECK_INT(pthread_barrier_init(&all_there, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK_INT(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK_INT(pthread_barrier_destroy(&all_there), 0);
    CHECK_INT(wrong, 0);
}

/* --- all at once: each session gets our provider ---------------------------
 */

static void *load_one(void *number)
{
    (void)number;
    (void)pthread_barrier_wait(&all_there);

    struct ort_session *s = fake_load(api, env, NULL);

    wrong += !s || !s->ep;
    ORT(api, ReleaseSession)(s);
    return NULL;
}

static void loading(void)
{
    api = fake_start("1", 30);
    for (int i = 0; i < 50; i++) {
        env = fake_env();
        in_threads(load_one);
        CHECK_INT(env->count, 2);
    }
    CHECK_INT(fake.statuses, 0);
    CHECK_INT(fake.options, 0);
}

/* --- runs: every operator of every sample is told --------------------------
 */

static void *run_many(void *number)
{
    const struct ort_device *const *devices = NULL;
    size_t count = 0;

    for (int i = 0; i < ROUNDS; i++) {
        struct ort_run_options *o =
                i % 2 == *(int *)number % 2 ? fake_run_options(api) : NULL;

        wrong += !fake_run(api, session, o);
        if (o)
            ORT(api, ReleaseRunOptions)(o);
        wrong += ORT(api, GetEpDevices)(env, &devices, &count) != NULL;
        wrong += count != 1;
    }
    return NULL;
}

static void running(void)
{
    struct record r;
    int runs = 0, sampled = 0, told = 0, operators = 0;

    api = fake_start("7", 30);
    env = fake_env();
    fake.nodes = nodes;
    session = fake_load(api, env, NULL);
    in_threads(run_many);
    while (fake_record(&r)) {
        runs += r.kind == RECORD_RUN;
        sampled += r.kind == RECORD_RUN && r.flags & FLAG_SAMPLED;
        told += r.kind == RECORD_SAMPLE;
        operators += r.kind == RECORD_OPERATOR_RUN;
    }
    CHECK_INT(runs, THREADS * ROUNDS);
    CHECK_INT(sampled, (THREADS * ROUNDS + 6) / 7);
    CHECK_INT(told, sampled);
    CHECK_INT(operators, 2 * sampled);
    CHECK_INT(fake.profilers, 0);
    CHECK(fake.run_options <= THREADS);
}

/* --- stopping: those that are meant, and no others -------------------------
 */

static struct ort_run_options *theirs[THREADS][ROUNDS];
static _Atomic int at[THREADS];

/* Two run, and two stop what those run: before, amid or after it. */
static void *run_or_stop(void *number)
{
    int me = *(int *)number, other = me ^ 1;

    (void)pthread_barrier_wait(&all_there);
    for (int i = 0; i < ROUNDS; i++) {
        if (me % 2 == 0) {
            atomic_store(&at[me], i);
            (void)fake_run(api, session, theirs[me][i]);
            /* Nobody stops this one. */
            wrong += !fake_run(api, session, NULL);
        } else {
            struct ort_run_options *o = theirs[other][atomic_load(&at[other])];

            (void)ORT(api, RunOptionsSetTerminate)(o);
        }
    }
    return NULL;
}

static void stopping(void)
{
    api = fake_start("1", 30);
    session = fake_load(api, fake_env(), NULL);
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < ROUNDS; k++)
            theirs[i][k] = fake_run_options(api);
    in_threads(run_or_stop);
    for (int i = 0; i < 100; i++)
        CHECK(fake_run(api, session, NULL));
    CHECK_INT(fake.statuses, 0);
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < ROUNDS; k++)
            ORT(api, ReleaseRunOptions)(theirs[i][k]);
    CHECK(fake.run_options <= THREADS);
}

/* --- bursts: ended once, and no profiled run comes after -------------------
 */

static void *run_few(void *number)
{
    (void)number;
    (void)pthread_barrier_wait(&all_there);
    for (int i = 0; i < 20; i++)
        wrong += !fake_run(api, session, NULL);
    return NULL;
}

static void bursts(void)
{
    struct record r;

    api = fake_start("10", 23);
    env = fake_env();
    for (int i = 0; i < 100; i++) {
        int flagged = 0, after = 0;
        bool ended = false;

        session = fake_load(api, env, NULL);
        (void)fake_count(RECORD_NONE);
        in_threads(run_few);
        CHECK_INT(session->ended, 1);
        while (fake_record(&r)) {
            ended |= r.kind == RECORD_PROFILE;
            if (r.kind == RECORD_RUN && r.flags & FLAG_BURST) {
                flagged++;
                after += ended;
            }
        }
        CHECK(ended && flagged >= 8);
        CHECK_INT(after, 0);
        ORT(api, ReleaseSession)(session);
    }
    CHECK_INT(fake.ended, 100);
}

/* --- the budget, whoever spends it -----------------------------------------
 */

static _Atomic uint64_t all_ns, spent_ns;

static void *spend(void *number)
{
    const struct library *lib = fake_library(api);

    (void)number;
    for (int i = 0; i < 5000; i++) {
        struct sample s = ops_begin(lib, session, NULL, NULL, 0);
        uint64_t cost_ns = s.id ? 2000000 : 0;
        struct record r = { .run = { 7, 1000007 + cost_ns, 0, 0, 0, 0, 0, 0,
                                    0 } };

        ops_end(lib, session, &s, &r);
        all_ns += 1000000 + cost_ns;
        spent_ns += cost_ns;
    }
    return NULL;
}

static void budget(void)
{
    api = fake_start("auto", 30);
    session = (struct ort_session *)&all_ns; /* only its address */
    ops_watch(session, 100);
    in_threads(spend);
    CHECK(spent_ns > 0);
    CHECK(spent_ns * 100 <= all_ns);
}

int main(void)
{
    apart(loading);
    apart(running);
    apart(stopping);
    apart(bursts);
    apart(budget);
    return test_result();
}
