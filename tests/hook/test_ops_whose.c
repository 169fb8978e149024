/* test_ops_whose.c -- kernels on other threads than Run's caller find whose
 * they are; many threads at once. */
#include "traced_runs.h"

#include <pthread.h>

/* --- parallel mode -------------------------------------------------------- */

static void *run_relu(void *frame)
{
    fake_kernel_run(&relu, frame);
    return NULL;
}

/* A kernel here, and one elsewhere, with a frame on our stack. */
static void side_by_side(void)
{
    struct fake_frame here = { 0 }, there = { 0 };
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, run_relu, &there) == 0);
    fake_kernel_run(&conv, &here);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void parallel(void)
{
    size_t elsewhere = 0;

    start("all", "1.30.0");
    infer(side_by_side);

    const struct record *t = nth(RECORD_TRACED, 0);

    CHECK_INT(t->traced.kernels, 2);
    CHECK_INT(t->traced.doubtful, 0);
    CHECK_INT(count_lines(t->traced.trace), 2);
    for (size_t i = 0; i < hooked_count(RECORD_LINES); i++) {
        const struct record *l = nth(RECORD_LINES, i);

        CHECK_INT(l->flags, 2); /* a clock's, and a kernel's */
        CHECK_INT(l->lines.line[0].kernel, LINE_CLOCK);
        elsewhere += l->lines.thread != t->traced.thread;
    }
    CHECK_INT(elsewhere, 1);
}

/* --- RunAsync ------------------------------------------------------------- */

/* Deeper in the stack than the callback will be. */
static __attribute__((noinline)) void pool_runs(void)
{
    struct fake_frame frame = { 0 };
    volatile char deeper[2048];

    deeper[0] = deeper[2047] = 0;
    fake_kernel_run(&conv, &frame);
    fake_kernel_run(&relu, &frame);
}

static unsigned called_back;

static void done(void *user_data, struct ort_value **out, size_t n_out,
        struct ort_status *status)
{
    (void)user_data, (void)out, (void)n_out, (void)status;
    called_back++;
}

static struct ort_status *infer_async(void)
{
    static const struct ort_value *in[] = { &image_value };
    static const char *const names[] = { "x" };
    static struct ort_value *out[] = { &image_value };

    return CALL(
            RunAsync)(session, NULL, names, in, 1, names, 1, out, done, NULL);
}

static void async(void)
{
    start("all", "1.30.0");
    for (int i = 0; i < 3; i++)
        CHECK(!infer_async());
    for (unsigned i = 0; i < 3; i++) {
        pool_runs();
        CHECK(fake_async_done(NULL));
        CHECK_INT(called_back, i + 1);
    }
    CHECK_INT(hooked_count(RECORD_TRACED), 3);
    for (size_t i = 0; i < 3; i++) {
        CHECK_INT(nth(RECORD_TRACED, i)->traced.kernels, 2);
        CHECK_INT(count_lines(nth(RECORD_TRACED, i)->traced.trace), 2);
        CHECK(nth(RECORD_RUN, i)->flags & FLAG_TRACED);
    }
    CHECK_INT(atomic_load(&hook_traces), 0);
}

/* One in two: leave is for one frame, whichever it is. */
static void async_some(void)
{
    start("2", "1.30.0");
    for (int i = 0; i < 6; i++)
        CHECK(!infer_async());
    for (int i = 0; i < 6; i++) {
        pool_runs();
        CHECK(fake_async_done(NULL));
    }
    CHECK_INT(hooked_count(RECORD_TRACED), 3);
    CHECK_INT(hooked_count(RECORD_RUN), 6);
    CHECK_INT(atomic_load(&hook_traces), 0);
}

/* Refused, or over without a kernel: nothing is left of it. */
static void async_in_vain(void)
{
    static struct ort_status failure = { 1, "no" };

    start("all", "1.30.0");
    fake.status = &failure;
    CHECK(infer_async() == &failure);
    fake.status = NULL;
    CHECK(!infer_async());
    CHECK(fake_async_done(&failure));
    CHECK_INT(hooked_count(RECORD_TRACED), 0);
    CHECK_INT(atomic_load(&hook_traces), 0);
    infer(conv_relu);
    CHECK_INT(nth(RECORD_TRACED, 0)->traced.kernels, 2);
}

/* --- nobody's ------------------------------------------------------------- */

static struct fake_frame *far_away;

static void *run_far_away(void *unused)
{
    (void)unused;
    fake_kernel_run(&relu, far_away);
    return NULL;
}

static void beside_a_stranger(void)
{
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, run_far_away, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    conv_relu();
}

/* With a frame that is on no stack that we know: counted, and not given to
 * anybody. */
static void doubtful(void)
{
    start("all", "1.30.0");
    far_away = calloc(1, sizeof(*far_away));
    infer(beside_a_stranger);
    CHECK_INT(nth(RECORD_TRACED, 0)->traced.kernels, 2);
    CHECK_INT(nth(RECORD_TRACED, 0)->traced.doubtful, 1);
    free(far_away);
}

/* --- many threads --------------------------------------------------------- */

#define CROWD 8
#define RUNS  200

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < RUNS; i++) {
        const struct ort_value *in[] = { &image_value };
        struct ort_value *out[] = { &image_value };
        const char *const names[] = { "x" };

        CHECK(!CALL(Run)(session, NULL, names, in, 1, names, 1, out));
    }
    return NULL;
}

static void crowd(void)
{
    pthread_t threads[CROWD];
    size_t n = 0;

    start("3", "1.30.0");
    fake.threads = true;
    fake.during = conv_relu;
    for (int i = 0; i < CROWD; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < 50; i++)
        (void)hooked_read();
    for (int i = 0; i < CROWD; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_INT(hooked_count(RECORD_RUN), CROWD * RUNS);
    /* Threads that meet at the session's first inference may count apart. */
    CHECK(hooked_count(RECORD_TRACED) >= (CROWD * RUNS + 2) / 3 &&
            hooked_count(RECORD_TRACED) < (CROWD * RUNS + 2) / 3 + CROWD);
    for (size_t i = 0; i < hooked.count; i++)
        if (hooked.records[i].kind == RECORD_TRACED) {
            CHECK_INT(hooked.records[i].traced.kernels, 2);
            CHECK_INT(hooked.records[i].traced.doubtful, 0);
            n++;
        }
    CHECK_INT(count_lines(nth(RECORD_TRACED, n - 1)->traced.trace), 2);
    CHECK_INT(conv.ran, CROWD * RUNS);
    CHECK_INT(atomic_load(&hook_traces), 0);
}

/* Threads that come and go use the same memory. */
static void *one_run(void *unused)
{
    infer(conv_relu);
    return unused;
}

static void come_and_go(void)
{
    size_t kept = 0;

    start("all", "1.30.0");
    for (int i = 0; i < 100; i++) {
        pthread_t thread;

        CHECK(pthread_create(&thread, NULL, one_run, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    while (thread_number(kept))
        kept++;
    CHECK(kept < 10);
    CHECK_INT(hooked_count(RECORD_TRACED), 100);
}

int main(void)
{
    HOOKED(parallel);
    HOOKED(async);
    HOOKED(async_some);
    HOOKED(async_in_vain);
    HOOKED(doubtful);
    HOOKED(crowd);
    HOOKED(come_and_go);
    return test_result();
}
