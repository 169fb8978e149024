#include "fleet/shipper.h"

#include "base/alloc.h"
#include "fleet/layout.h"
#include "os/clock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Not oftener: every batch is work for the server, too, and there may be many
 * of us.  While it is away, less and less often. */
#define PERIOD_MS     5000
#define PERIOD_MAX_MS 60000

/* A run is noted down soon: if we are killed, others know that it is to go. */
#define ENROL_MS 50

struct shipper {
    struct store *store;
    struct clickhouse *clickhouse;
    struct address address;
    struct stored_tables tables;
    struct shipper_outcome outcome;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop, done; /* with the lock */
    int64_t run;     /* told at the stop, as is */
    uint64_t deadline_ns;
    atomic_bool cancel; /* it is over */
};

static int connect_to(struct shipper *s, struct error *e)
{
    int rc = s->clickhouse ? 0
                           : clickhouse_open_until(&s->clickhouse, &s->address,
                                     &s->cancel, e);

    if (!rc && !s->tables.count) {
        struct stored_tables tables = { 0 };

        rc = store_tables(&tables, s->store, e);
        if (!rc)
            rc = layout_ensure(s->clickhouse, &tables, e);
        if (rc)
            tables_release(&tables);
        else
            s->tables = tables;
    }
    return rc;
}

static void send_waiting(struct shipper *s, bool recording,
        uint64_t deadline_ns)
{
    struct shipper_outcome *o = &s->outcome;
    int rc = connect_to(s, &o->why);

    if (!rc) {
        clickhouse_deadline(s->clickhouse, deadline_ns);
        rc = ship_all(s->clickhouse, s->store, &s->tables, recording, &o->tally,
                &o->why);
    }
    o->failed = rc != 0;
}

/* Waits for a while, or for the end, which is told. */
static bool wait_for_end(struct shipper *s, unsigned ms)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_mutex_lock(&s->lock);
    for (int rc = 0; !s->stop && rc != ETIMEDOUT;)
        rc = pthread_cond_timedwait(&s->wake, &s->lock, &until);

    bool stop = s->stop;

    (void)pthread_mutex_unlock(&s->lock);
    return stop;
}

/* True: the recording has ended meanwhile. */
static bool enrol(struct shipper *s)
{
    struct shipper_outcome *o = &s->outcome;
    uint64_t count = 0;

    while (!count) {
        if (wait_for_end(s, ENROL_MS))
            return true;
        if (store_add_own_shipments(s->store, s->address.name, &count, &o->why))
            break; /* it is tried again at the end */
    }
    return false;
}

static void finish(struct shipper *s)
{
    struct shipper_outcome *o = &s->outcome;

    if (s->run && store_add_shipment(s->store, s->run, s->address.name, false,
                          &o->why))
        o->failed = true;
    else
        send_waiting(s, false, s->deadline_ns);
}

static void *work(void *to)
{
    struct shipper *s = to;
    unsigned period_ms = PERIOD_MS;

    for (bool end = enrol(s); !end && !wait_for_end(s, period_ms);) {
        send_waiting(s, true, 0);
        if (!s->outcome.failed)
            period_ms = PERIOD_MS;
        else if (period_ms < PERIOD_MAX_MS)
            period_ms *= 2;
    }
    finish(s);
    (void)pthread_mutex_lock(&s->lock);
    s->done = true;
    (void)pthread_cond_signal(&s->wake);
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void release(struct shipper *s)
{
    clickhouse_close(s->clickhouse);
    tables_release(&s->tables);
    address_release(&s->address);
    store_close(s->store);
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_cond_destroy(&s->wake);
    free(s);
}

/* Signals are for the thread that records. */
static int start_thread(struct shipper *s)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);

    int rc = pthread_create(&s->thread, NULL, work, s);

    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int shipper_start(struct shipper **out, struct store *take,
        const struct address *a, struct error *e)
{
    struct shipper *s = alloc_zero(1, sizeof(*s));
    pthread_condattr_t attributes;

    s->store = take;
    address_copy(&s->address, a);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->wake, &attributes);
    (void)pthread_condattr_destroy(&attributes);

    int rc = start_thread(s);

    if (rc) {
        release(s);
        return fail(e, -EAGAIN, "no thread for sending can be started: %s",
                strerror(rc));
    }
    *out = s;
    return 0;
}

uint64_t shipper_left_ns(uint64_t spent_ns)
{
    return spent_ns < SHIPPER_LAST_NS ? SHIPPER_LAST_NS - spent_ns : 0;
}

void shipper_stop(struct shipper *s, int64_t run, uint64_t deadline_ns,
        struct shipper_outcome *out)
{
    struct timespec until = { .tv_sec = (time_t)(deadline_ns / 1000000000),
        .tv_nsec = (long)(deadline_ns % 1000000000) };

    *out = (struct shipper_outcome){ 0 };
    if (!s)
        return;
    (void)pthread_mutex_lock(&s->lock);
    s->stop = true;
    s->run = run;
    s->deadline_ns = deadline_ns;
    (void)pthread_cond_signal(&s->wake);
    for (int rc = 0; !s->done && rc != ETIMEDOUT;)
        rc = pthread_cond_timedwait(&s->wake, &s->lock, &until);
    atomic_store(&s->cancel, true);
    (void)pthread_mutex_unlock(&s->lock);
    (void)pthread_join(s->thread, NULL);
    *out = s->outcome;
    release(s);
}
