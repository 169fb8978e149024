/* test_queue.c -- events through a queue to another thread: in order and whole,
 * or dropped and counted. */
#include "live/queue.h"

#include "base/compiler.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define BYTES       (1 << 14)
#define EVENTS_SENT 200003

/* What came out. */
struct seen {
    uint64_t inferences, last, sessions, lost, closed;
    bool wrong;
};

static void on_session(void *to, const struct session *x)
{
    struct seen *s = to;

    s->sessions++;
    s->wrong |= !x->model || strcmp(x->model, "a model") != 0 || x->options ||
                !x->error || strcmp(x->error, "") != 0;
}

static void on_inference(void *to, const struct inference *x)
{
    struct seen *s = to;
    char error[32];

    (void)snprintf(error, sizeof(error), "error %u", (unsigned)x->number);
    s->wrong |= x->number <= s->last || x->duration_ns != 3 * x->number ||
                (x->number % 7 == 0) != (x->error != NULL) ||
                (x->error && strcmp(x->error, error) != 0);
    s->last = x->number;
    s->inferences++;
}

static void on_readings(void *to, const struct reading_list *list)
{
    struct seen *s = to;

    for (size_t i = 0; i < list->count; i++)
        s->wrong |= list->items[i].subject != i;
}

static void on_loss(void *to, const struct event_loss *x)
{
    struct seen *s = to;

    s->wrong |= x->count <= s->lost;
    s->lost = x->count;
}

static void on_close(void *to, const struct run *x)
{
    struct seen *s = to;

    s->closed++;
    s->wrong |= strcmp(x->id, "run 1") != 0 || strcmp(x->note, "noted") != 0;
}

static struct subscriber looker(struct seen *s)
{
    return (struct subscriber){
        .context = s,
        .session = on_session,
        .inference = on_inference,
        .readings = on_readings,
        .loss = on_loss,
        .close = on_close,
    };
}

static void put_inference(const struct subscriber *to, uint64_t number)
{
    char error[32];

    (void)snprintf(error, sizeof(error), "error %u", (unsigned)number);
    to->inference(to->context, &(struct inference){ .number = number,
                                       .duration_ns = 3 * number,
                                       .error = number % 7 ? NULL : error });
    memset(error, 'x', sizeof(error)); /* the queue has its own */
}

static void put_session(const struct subscriber *to)
{
    to->session(to->context,
            &(struct session){ .model = "a model", .error = "" });
}

static void put_close(const struct subscriber *to)
{
    to->close(to->context, &(struct run){ .id = "run 1", .note = "noted" });
}

/* Nobody takes: what does not fit is counted, and what is rare still fits. */
static void check_full(void)
{
    struct queue *q = queue_new(BYTES);
    struct subscriber to = queue_subscriber(q);
    struct seen seen = { 0 };
    struct subscriber look = looker(&seen);

    CHECK(!to.end);
    for (uint64_t i = 1; i <= 1009; i++)
        put_inference(&to, i);
    CHECK(queue_dropped(q) > 0);
    put_session(&to);
    put_close(&to);

    uint64_t dropped = queue_dropped(q);

    CHECK_INT(queue_take(q, &look), 1009 - dropped + 2);
    CHECK_INT(seen.inferences, 1009 - dropped);
    CHECK_INT(seen.last, 1009 - dropped); /* the first ones */
    CHECK_INT(seen.lost, dropped);
    CHECK_INT(seen.sessions, 1);
    CHECK_INT(seen.closed, 1);
    CHECK(!seen.wrong);
    /* There is room again, and what is lost is told once. */
    seen.lost = 0;
    put_inference(&to, 2003);
    CHECK_INT(queue_take(q, &look), 1);
    CHECK_INT(seen.last, 2003);
    CHECK_INT(seen.lost, 0);
    queue_free(q);
}

/* What is larger than all of it is dropped; what goes round the end is whole.
 */
static void check_sizes(void)
{
    static struct reading readings[BYTES / sizeof(struct reading)];
    struct queue *q = queue_new(BYTES);
    struct subscriber to = queue_subscriber(q);
    struct seen seen = { 0 };
    struct subscriber look = looker(&seen);

    for (uint32_t i = 0; i < LEN(readings); i++)
        readings[i].subject = i;
    to.readings(to.context, &(struct reading_list){ readings, LEN(readings) });
    CHECK_INT(queue_dropped(q), 1);
    CHECK_INT(queue_take(q, &look), 0);
    CHECK_INT(seen.lost, 1);
    for (size_t i = 0; i < 1009; i++) {
        to.readings(to.context,
                &(struct reading_list){ readings, (i * 37) % 101 });
        CHECK_INT(queue_take(q, &look), 1);
    }
    CHECK_INT(queue_dropped(q), 1);
    CHECK(!seen.wrong);
    queue_free(q);
}

static atomic_bool over;

static void *send(void *to)
{
    struct subscriber s = queue_subscriber(to);

    for (uint64_t i = 1; i <= EVENTS_SENT; i++) {
        put_inference(&s, i);
        if (i % 1009 == 0)
            sched_yield();
    }
    atomic_store(&over, true);
    return NULL;
}

/* Each comes, or is counted. */
static void check_threads(void)
{
    struct queue *q = queue_new(BYTES);
    struct seen seen = { 0 };
    struct subscriber look = looker(&seen);
    pthread_t thread;

    CHECK_INT(pthread_create(&thread, NULL, send, q), 0);
    while (!atomic_load(&over))
        (void)queue_take(q, &look);
    (void)pthread_join(thread, NULL);
    (void)queue_take(q, &look);
    CHECK_INT(seen.inferences + queue_dropped(q), EVENTS_SENT);
    CHECK_INT(seen.lost, queue_dropped(q));
    CHECK(seen.inferences > 0 && !seen.wrong);
    queue_free(q);
}

int main(void)
{
    check_full();
    check_sizes();
    check_threads();
    return test_result();
}
