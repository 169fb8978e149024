/* test_hook_threads.c -- many threads at once, for the thread sanitizer's eyes:
 * nothing is lost but what is counted. */
#include "hooked.h"
#include "ortmeter.h"

#include <pthread.h>

#define THREADS 4
#define RUNS    4001 /* of each thread; a prime */

static struct ort_value input = { ORT_TYPE_FLOAT, 2, { 3, 5 }, false };
static struct ort_value output = { ORT_TYPE_FLOAT, 1, { 7 }, false };
static struct ort_value *outputs[] = { &output };

static void run_one(struct ort_session *session)
{
    static const char *const in_names[] = { "x" }, *const out_names[] = { "y" };
    static const struct ort_value *const in[] = { &input };
    struct ort_value *out[] = { NULL };

    CHECK(!CALL(Run)(session, NULL, in_names, in, 1, out_names, 1, out));
}

/* Runs, and now and then all else that a program does. */
static void *work(void *argument)
{
    uintptr_t number = (uintptr_t)argument;
    struct ort_session *shared = (struct ort_session *)0x7000;
    struct ort_session *own = (struct ort_session *)(0x8000 + 64 * number);
    struct ort_binding *binding = (struct ort_binding *)(0x9000 + 64 * number);
    struct ort_options *options = (struct ort_options *)(0xa000 + 64 * number);

    for (int i = 0; i < RUNS; i++) {
        char text[32];

        run_one(i % 3 ? shared : own);
        if (i % 16)
            continue;
        (void)snprintf(text, sizeof(text), "text %d", i);
        ortmeter_mark(text);
        (void)CALL(SetIntraOpNumThreads)(options, i);
        (void)CALL(AddSessionConfigEntry)(options, "key", text);
        (void)CALL(BindInput)(binding, "x", &input);
        (void)CALL(RunWithBinding)(own, NULL, binding);
        CALL(ReleaseIoBinding)(binding);
        CALL(ReleaseSession)(own);
    }
    return NULL;
}

static const char *version, *ops;

/* The reader reads all the while. */
static void hammer(void)
{
    pthread_t threads[THREADS];
    size_t counted[RECORD_KINDS] = { 0 }, others = (RUNS + 15) / 16 * THREADS;

    if (ops)
        CHECK(setenv("ORTMETER_OPS", ops, 1) == 0);
    hooked_begin(version);
    fake.outputs = outputs;
    fake.threads = true;
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (int i = 0; i < 100; i++)
        (void)hooked_read();
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    (void)hooked_read();
    for (size_t i = 0; i < hooked.count; i++) {
        const struct record *r = &hooked.records[i];

        counted[r->kind]++;
        if (r->kind == RECORD_RUN)
            CHECK(r->run.batch == 3 && r->run.end >= r->run.start);
    }
    CHECK_INT(counted[RECORD_RUN], RUNS * THREADS + others);
    CHECK_INT(counted[RECORD_MARK], others);
    CHECK_INT(counted[RECORD_OPTION], 2 * others);
    CHECK_INT(counted[RECORD_SESSION_END], others);
    hooked_end();
    CHECK_INT(hooked.gone[0].lost, 0);
}

/* All want the file to be made at once; what found it half made is counted. */
static void *first_record(void *argument)
{
    (void)argument;
    ortmeter_mark("first");
    return NULL;
}

static void first_at_once(void)
{
    pthread_t threads[8];

    hooked_listen();
    channel_init();
    for (int i = 0; i < 8; i++)
        CHECK(pthread_create(&threads[i], NULL, first_record, NULL) == 0);
    for (int i = 0; i < 8; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);

    size_t marks = hooked_count(RECORD_MARK);

    CHECK(marks > 0);
    CHECK_INT(hooked.owners, 1);
}

int main(void)
{
    version = "1.30.0";
    HOOKED(hammer);
    version = "1.10.0";
    HOOKED(hammer);
    version = "1.30.0";
    ops = "3";
    HOOKED(hammer);
    for (int i = 0; i < 10; i++)
        HOOKED(first_at_once);
    return test_result();
}
