/* test_hook_async.c -- RunAsync: from the call to the callback. */
#include "hooked.h"
#include "os/clock.h"

#include <pthread.h>

static struct ort_session *const session = (struct ort_session *)0x7000;
static struct ort_status failure = { 6, "out of memory" };
static struct ort_value input = { ORT_TYPE_FLOAT, 2, { 3, 5 }, false };
static struct ort_value output = { ORT_TYPE_FLOAT, 1, { 7 }, false };
static struct ort_value *outputs[] = { &output };

static int called;
static struct ort_status *told;
static bool start_another; /* from the callback */

static struct ort_status *start(void *user_data);

static void done(void *user_data, struct ort_value **out, size_t n_out,
        struct ort_status *status)
{
    CHECK(user_data == &called);
    CHECK_INT(n_out, 1);
    CHECK(status || out[0] == &output);
    called++;
    told = status;
    if (start_another) {
        start_another = false;
        CHECK(!start(&called));
    }
}

static struct ort_status *start(void *user_data)
{
    static const char *const in_names[] = { "x" }, *const out_names[] = { "y" };
    static const struct ort_value *const in[] = { &input };
    static struct ort_value *out[1];

    out[0] = NULL;
    fake.outputs = outputs;
    return CALL(RunAsync)(session, NULL, in_names, in, 1, out_names, 1, out,
            done, user_data);
}

static void good(void)
{
    hooked_begin("1.30.0");

    uint64_t before_ns = mono_ns();

    CHECK(!start(&called));
    CHECK_INT(hooked_count(RECORD_RUN), 0); /* it is still under way */

    uint64_t middle_ns = mono_ns();

    CHECK(fake_async_done(NULL));
    CHECK_INT(called, 1);
    CHECK(told == NULL);

    const struct record *r = hooked_last(RECORD_RUN);

    CHECK(r->run.start >= before_ns && r->run.start <= middle_ns);
    CHECK(r->run.end >= middle_ns);
    CHECK_INT(r->run.session, U(session));
    CHECK_INT(r->run.thread, getpid());
    CHECK_INT(r->run.batch, 3);
    CHECK_INT(r->run.in_bytes, 60);
    CHECK_INT(r->run.out_bytes, 28);
    CHECK_INT(r->flags,
            FLAG_ASYNC | FLAG_SHAPE | FLAG_INPUT_BYTES | FLAG_OUTPUT_BYTES);
}

/* Its thread is the one that asked, wherever it ends. */
static void *end_it(void *status)
{
    CHECK(fake_async_done(status));
    return NULL;
}

static void elsewhere(void)
{
    pthread_t thread;

    hooked_begin("1.30.0");
    CHECK(!start(&called));
    CHECK(pthread_create(&thread, NULL, end_it, &failure) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(told == &failure);
    CHECK_INT(atomic_load(&fake.statuses_released), 0); /* it is theirs */

    const struct record *r = hooked_last(RECORD_RUN);

    CHECK_INT(r->run.thread, getpid());
    CHECK_INT(r->flags,
            FLAG_ASYNC | FLAG_SHAPE | FLAG_INPUT_BYTES | FLAG_FAILED);
    CHECK(hooked_text(hooked_last(RECORD_ERROR)->error.text, failure.text));
    CHECK_INT(hooked_last(RECORD_ERROR)->error.thread, getpid());
}

/* Refused at once: the callback never comes. */
static void refused(void)
{
    hooked_begin("1.30.0");
    fake.status = &failure;
    for (int i = 0; i < 300; i++) /* more than there are places */
        CHECK(start(&called) == &failure);
    CHECK(!fake_async_done(NULL));
    CHECK_INT(called, 0);
    CHECK_INT(hooked_count(RECORD_RUN), 300);
    CHECK(hooked_last(RECORD_RUN)->flags & FLAG_FAILED);
    CHECK_INT(hooked_count(RECORD_ERROR), 300);
    fake.status = NULL;
    CHECK(!start(&called)); /* the places are free */
    CHECK(fake_async_done(NULL));
    CHECK_INT(hooked_count(RECORD_RUN), 301);
}

/* 256 at a time can be timed; the others pass by, and are counted. */
static void too_many(void)
{
    hooked_begin("1.30.0");
    for (int i = 0; i < 256 + 17; i++)
        CHECK(!start(&called));
    for (int i = 0; i < 256 + 17; i++)
        CHECK(fake_async_done(NULL));
    CHECK_INT(called, 256 + 17);
    CHECK_INT(hooked_count(RECORD_RUN), 256);
    CHECK(!start(&called)); /* there is room again */
    CHECK(fake_async_done(NULL));
    CHECK_INT(hooked_count(RECORD_RUN), 257);
    hooked_end();
    CHECK_INT(hooked.gone[0].untimed, 17);
}

/* The callback starts the next, as a loop of callbacks does; all places but
 * one are taken. */
static void from_the_callback(void)
{
    hooked_begin("1.30.0");
    for (int i = 0; i < 256; i++)
        CHECK(!start(&called));
    start_another = true;
    CHECK(fake_async_done(NULL));
    while (fake_async_done(NULL))
        continue;
    CHECK_INT(called, 257);
    CHECK_INT(hooked_count(RECORD_RUN), 257);
    hooked_end();
    CHECK_INT(hooked.gone[0].untimed, 0);
}

/* Without a callback ONNX Runtime refuses; it is given what we were given. */
static void no_callback(void)
{
    hooked_begin("1.30.0");
    fake.status = &failure;
    CHECK(CALL(RunAsync)(session, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL,
                  NULL) == &failure);
    CHECK_INT(fake.last.args[8], 0);
    CHECK_INT(fake.last.args[9], 0);
}

int main(void)
{
    HOOKED(good);
    HOOKED(elsewhere);
    HOOKED(refused);
    HOOKED(too_many);
    HOOKED(from_the_callback);
    HOOKED(no_callback);
    return test_result();
}
