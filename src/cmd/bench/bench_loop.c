#include "cmd/bench/bench_loop.h"

#include "analyse/schedule.h"
#include "base/alloc.h"
#include "ort/status.h"
#include "os/clock.h"
#include "os/process/pause.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* For all threads to be there when an open loop begins. */
#define GATHER_NS 2000000

struct loop {
    const struct bench_load_plan *plan;
    struct request_schedule schedule;
    uint64_t count;
    uint64_t deadline_ns; /* nothing begins after it; UINT64_MAX: none */
    _Atomic uint64_t next;
    _Atomic uint64_t queued;
    _Atomic bool failed;
    struct ort_status *_Atomic status; /* of the first that failed */
};

/* One thread and what it has measured. */
struct server {
    struct loop *loop;
    struct ort_session *session;
    bool first; /* it draws the progress bar */
    struct bench_time *times;
    size_t count, cap;
    uint64_t end_ns;
    struct ort_value **out;
    pthread_t thread;
};

/* --- one inference ----------------------------------------------------------
 */

static void keep_time(struct server *s, struct bench_time t)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 1024;
        s->times = alloc_resize(s->times, s->cap * sizeof(*s->times));
    }
    s->times[s->count++] = t;
}

static void keep_failure(struct loop *l, struct ort_status *status)
{
    struct ort_status *none = NULL;

    if (!atomic_compare_exchange_strong(&l->status, &none, status))
        status_drop(engine_api(l->plan->engine), status);
    atomic_store(&l->failed, true);
}

/* Waits for the intended start, and returns it. */
static uint64_t wait_for_turn(struct loop *l, uint64_t ticket)
{
    uint64_t moment_ns = schedule_moment(&l->schedule, ticket);

    if (mono_ns() > moment_ns)
        atomic_fetch_add_explicit(&l->queued, 1, memory_order_relaxed);
    else
        pause_until(moment_ns);
    return moment_ns;
}

static void serve_one(struct server *s, uint64_t ticket)
{
    struct loop *l = s->loop;
    const struct bench_load_plan *p = l->plan;
    bool open = p->per_s > 0;
    uint64_t meant_ns = open ? wait_for_turn(l, ticket) : 0;
    uint64_t start_ns = mono_ns();
    struct ort_status *status =
            engine_run(p->engine, s->session, p->inputs, s->out);

    s->end_ns = mono_ns();
    engine_drop(p->engine, p->inputs, s->out);
    if (status) {
        keep_failure(l, status);
        return;
    }
    keep_time(s, (struct bench_time){
                         .service_ns = s->end_ns - start_ns,
                         .response_ns = open ? s->end_ns - meant_ns : 0,
                 });
}

/* --- the loop ---------------------------------------------------------------
 */

static double share_done(const struct loop *l, uint64_t ticket, uint64_t now_ns)
{
    double by_count = l->count == UINT64_MAX
                              ? 0
                              : (double)(ticket + 1) / (double)l->count;
    double by_time = 0;

    if (l->plan->duration_ns && now_ns > l->schedule.start_ns)
        by_time = (double)(now_ns - l->schedule.start_ns) /
                  (double)l->plan->duration_ns;
    return by_count > by_time ? by_count : by_time;
}

static void *serve(void *to)
{
    struct server *s = to;
    struct loop *l = s->loop;

    s->end_ns = l->schedule.start_ns;
    while (!*l->plan->stop && !atomic_load(&l->failed) &&
            s->end_ns < l->deadline_ns) {
        uint64_t ticket = atomic_fetch_add(&l->next, 1);

        if (ticket >= l->count)
            break;
        serve_one(s, ticket);
        if (s->first)
            progress_show(l->plan->progress, s->end_ns,
                    share_done(l, ticket, s->end_ns));
    }
    return NULL;
}

/* An open loop serves all that were meant to begin in its time, however late;
 * but not for ever. */
static void set_limits(struct loop *l)
{
    const struct bench_load_plan *p = l->plan;

    l->schedule = (struct request_schedule){
        .start_ns = mono_ns() + (p->per_s > 0 ? GATHER_NS : 0),
        .per_s = p->per_s,
    };
    l->count = p->count;
    l->deadline_ns = UINT64_MAX;
    if (!p->duration_ns)
        return;
    l->deadline_ns = l->schedule.start_ns + p->duration_ns;
    if (p->per_s > 0) {
        uint64_t meant = schedule_count(&l->schedule, p->duration_ns);

        l->count = meant < l->count ? meant : l->count;
        l->deadline_ns += p->duration_ns;
    }
}

static struct server *make_servers(struct loop *l, size_t count)
{
    const struct bench_load_plan *p = l->plan;
    struct server *servers = alloc_zero(count, sizeof(*servers));

    for (size_t i = 0; i < count; i++)
        servers[i] = (struct server){
            .loop = l,
            .session = p->sessions[i % p->session_count],
            .first = i == 0,
            .out = alloc_zero(p->inputs->outputs.count + 1,
                    sizeof(struct ort_value *)),
        };
    return servers;
}

/* The first server is this thread itself. */
static int run_servers(struct loop *l, struct server *servers, size_t count)
{
    size_t started = 1;
    int rc = 0;

    for (; started < count && !rc; started++)
        rc = -pthread_create(&servers[started].thread, NULL, serve,
                &servers[started]);
    if (rc) {
        started--;
        atomic_store(&l->failed, true);
    } else {
        (void)serve(&servers[0]);
    }
    for (size_t i = 1; i < started; i++)
        (void)pthread_join(servers[i].thread, NULL);
    return rc;
}

/* --- the whole --------------------------------------------------------------
 */

static void add_times(struct bench_times *out, const struct server *s)
{
    if (!s->count)
        return;
    out->items = alloc_resize(out->items,
            (out->count + s->count) * sizeof(*out->items));
    memcpy(out->items + out->count, s->times, s->count * sizeof(*s->times));
    out->count += s->count;
}

static void gather(struct bench_times *out, struct loop *l,
        struct server *servers, size_t count)
{
    uint64_t last_ns = l->schedule.start_ns;

    for (size_t i = 0; i < count; i++) {
        struct server *s = &servers[i];

        add_times(out, s);
        last_ns = s->end_ns > last_ns ? s->end_ns : last_ns;
        free(s->times);
        free((void *)s->out);
    }
    out->wall_ns = last_ns - l->schedule.start_ns;
    out->queued = atomic_load(&l->queued);
    if (l->plan->per_s > 0 && l->count != UINT64_MAX)
        out->unserved = l->count - out->count;
}

int bench_loop(struct bench_times *out, const struct bench_load_plan *plan)
{
    struct loop l = { .plan = plan };
    size_t count = plan->threads * plan->session_count;
    struct server *servers = make_servers(&l, count);

    *out = (struct bench_times){ 0 };
    set_limits(&l);

    int rc = run_servers(&l, servers, count);

    gather(out, &l, servers, count);
    free(servers);
    if (l.status) {
        (void)status_text(&out->error, engine_api(plan->engine), l.status);
        rc = -EIO;
    }
    return rc;
}

void bench_times_release(struct bench_times *t)
{
    free(t->items);
    buf_release(&t->error);
    *t = (struct bench_times){ 0 };
}
