/* Inferences that are looked into beside others. */
#include "kernel_runs.h"

#include <pthread.h>

static struct fake_pool pool;

static void profile_pool(const struct fake_kernel *k)
{
    struct cpp_string {
        char *text;
        size_t len;
        char within[16];
    } told = { NULL, 99, "?" };
    void (*begin)(void *) = (void (*)(void *))pool.table[POOL_START];
    struct cpp_string *(*end)(struct cpp_string *, void *) =
            (struct cpp_string * (*)(struct cpp_string *, void *))
                    pool.table[POOL_STOP];

    (void)k;
    begin(&pool);
    if (hook_kernel_watch == KERNEL_DESCRIBED)
        CHECK_INT(pool.profiling, 0);
    else
        CHECK_INT(pool.profiling, 1);
    CHECK(end(&told, &pool) == &told);
    CHECK_INT(pool.profiling, 0);
    if (hook_kernel_watch == KERNEL_DESCRIBED) {
        CHECK(told.text == told.within && !told.len && !told.within[0]);
    } else {
        CHECK_INT(told.len, 99);
    }
}

/* In a run that we describe the pool does not profile itself; in the program's
 * own it does. */
static void quiet_pools(void)
{
    start("1", plain);

    struct candidate c = fake_kernels_library();

    pool.table = (const uintptr_t *)c.relro_start + T_POOL + TABLE_HEAD;
    CHECK(pool_install(&c, 0));
    first.during = profile_pool;
    check_kinds("DTTTD");
    profile_pool(&first);
    CHECK(!pool_install(&c, 1)); /* it is no longer as it was */
}

static void *run_one(void *unused)
{
    CHECK(run());
    return unused;
}

static void run_beside(struct ort_session *s, const struct ort_run_options *o)
{
    pthread_t thread;

    (void)s, (void)o;
    fake.during = NULL;
    CHECK_INT(pthread_create(&thread, NULL, run_one, NULL), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
}

/* Where pools cannot be kept quiet, a session that was seen to have two runs at
 * the same time is never described again; nor one that has runs whose end we do
 * not see. */
static void loud_pools(void)
{
    start("1", plain);
    fake_library(api)->quiet_pools = false;
    check_kinds("DTTTDT");
    fake.during = run_beside;
    CHECK(run());
    (void)fake_count(RECORD_NONE);
    check_kinds("TTTTTTTT-TTTT");

    session = fake_load(api, fake_env(), NULL);
    (void)fake_count(RECORD_NONE);
    check_kinds("DT");
    ops_shared(session);
    check_kinds("TT-T");
    fake_library(api)->quiet_pools = true;
    check_kinds("TT");
}

#define THREADS 8
#define EACH    500

static void *run_some(void *unused)
{
    for (int i = 0; i < EACH; i++)
        CHECK(run());
    return unused;
}

/* Each thread's kernels are its own. */
static void side_by_side(void)
{
    pthread_t threads[THREADS];
    struct record r;
    int runs = 0, timed = 0, told = 0, samples = 0;

    start("1", plain);
    CHECK_INT(kind_of_run(), 'D');
    (void)fake_count(RECORD_NONE);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, run_some, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    while (fake_record(&r)) {
        runs += r.kind == RECORD_RUN;
        timed += r.kind == RECORD_RUN && r.flags & FLAG_TIMED;
        told += r.kind == RECORD_OPERATOR_RUN;
        samples += r.kind == RECORD_SAMPLE;
    }
    CHECK_INT(runs, THREADS * EACH);
    CHECK_INT(samples, runs);
    CHECK_INT(told, 2 * runs);
    CHECK(timed > runs / 2);
    CHECK_INT(first.ran, runs + 1);
}

/* So many at the same time, and no more. */
static void at_the_same_time(void)
{
    start("1", plain);
    for (int i = 0; i < 16; i++)
        CHECK(kernel_watch(KERNEL_TIMED, 1, 1));
    CHECK(!kernel_watch(KERNEL_TIMED, 1, 1));
    CHECK(kernel_watch(KERNEL_DESCRIBED, 1, 1));
}

int main(void)
{
    apart(quiet_pools);
    apart(loud_pools);
    apart(side_by_side);
    apart(at_the_same_time);
    return test_result();
}
