#include "push/sender.h"

#include "base/alloc.h"
#include "os/clock.h"
#include "os/http.h"
#include "push/backoff.h"
#include "push/spool.h"
#include "push/url.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct sender {
    struct sender_plan plan;
    struct http *http; /* the thread's */
    pthread_t thread;

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct spool *spool;
    struct sender_outcome outcome;
    bool busy; /* a body is being sent */
    bool stopping;
    struct timespec until; /* when stopping: time is up then */

    atomic_bool cancel; /* time is up */
};

/* --- the thread ----------------------------------------------------------- */

static struct timespec in_ms(uint64_t ms)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

/* Waits so long, or until it is to stop.  The lock is held. */
static void wait_ms(struct sender *s, uint64_t ms)
{
    struct timespec until = in_ms(ms);
    bool stopping = s->stopping;

    /* A body that is put in is no reason to try earlier. */
    while (s->stopping == stopping && !atomic_load(&s->cancel) &&
            pthread_cond_timedwait(&s->changed, &s->lock, &until) != ETIMEDOUT)
        ;
}

static double chance(void)
{
    return (double)(mono_ns() % 1000) / 1000;
}

enum verdict { VERDICT_SENT, VERDICT_AGAIN, VERDICT_NEVER };

static enum verdict judge(struct sender *s, int rc,
        const struct http_reply *answer, struct error *e)
{
    if (rc)
        return VERDICT_AGAIN;
    if (answer->status / 100 == 2)
        return VERDICT_SENT;
    (void)fail(e, -EIO, "it answered with status %d", answer->status);
    return s->plan.again(answer->status) ? VERDICT_AGAIN : VERDICT_NEVER;
}

/* The lock is held. */
static void note_sent(struct sender *s, uint64_t items, struct str answer)
{
    struct error why = { 0 };
    uint64_t refused = s->plan.refused
                               ? s->plan.refused(s->plan.context, answer, &why)
                               : 0;

    if (refused > items)
        refused = items;
    s->outcome.requests++;
    s->outcome.items += items - refused;
    s->outcome.dropped += refused;
    if (*why.text)
        s->outcome.why = why;
}

/* Until it is sent, or cannot be, or time is up.  The lock is not held. */
static void send_body(struct sender *s, struct str body, uint64_t items)
{
    struct http_reply answer = { 0 };
    enum verdict verdict = VERDICT_AGAIN;

    for (unsigned failures = 1; verdict == VERDICT_AGAIN; failures++) {
        struct error e = { 0 };
        int rc = http_post(s->http,
                &(struct http_request){
                        .url = s->plan.url,
                        .headers = s->plan.headers,
                        .body = body,
                        .timeout_ms = s->plan.timeout_ms,
                        .cancel = &s->cancel,
                },
                &answer, &e);

        verdict = judge(s, rc, &answer, &e);
        (void)pthread_mutex_lock(&s->lock);
        if (verdict == VERDICT_SENT) {
            note_sent(s, items, buf_str(&answer.text));
        } else if (rc != -ECANCELED) {
            s->outcome.attempts++;
            s->outcome.why = e;
        }
        if (verdict == VERDICT_AGAIN)
            wait_ms(s, backoff_ms(failures, rc ? 0 : answer.retry_after_ms,
                               chance()));
        if (verdict == VERDICT_AGAIN && atomic_load(&s->cancel))
            verdict = VERDICT_NEVER;
        if (verdict == VERDICT_NEVER)
            s->outcome.dropped += items;
        (void)pthread_mutex_unlock(&s->lock);
    }
    buf_release(&answer.text);
}

static void *run(void *to)
{
    struct sender *s = to;
    struct buf body = { 0 }, packed = { 0 };
    uint64_t items = 0;

    (void)pthread_mutex_lock(&s->lock);
    while (!atomic_load(&s->cancel)) {
        if (!spool_take(s->spool, &body, &items)) {
            if (s->stopping)
                break;
            (void)pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        (void)pthread_mutex_unlock(&s->lock);
        buf_clear(&packed);
        s->plan.pack(s->plan.context, &packed, buf_str(&body));
        send_body(s, buf_str(&packed), items);
        (void)pthread_mutex_lock(&s->lock);
    }
    s->busy = false;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    buf_release(&body);
    buf_release(&packed);
    return NULL;
}

/* --- the others ----------------------------------------------------------- */

/* Signals are for the thread that waits for the program. */
static int start_thread(struct sender *s)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);

    int rc = pthread_create(&s->thread, NULL, run, s);

    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return -rc;
}

static void release(struct sender *s)
{
    http_close(s->http);
    spool_free(s->spool);
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

int sender_start(struct sender **out, const struct sender_plan *plan,
        struct error *e)
{
    struct sender *s = alloc_zero(1, sizeof(*s));
    pthread_condattr_t by_clock;

    s->plan = *plan;
    s->spool = spool_new(plan->spool_bytes);
    s->busy = true;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_condattr_init(&by_clock);
    (void)pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->changed, &by_clock);
    (void)pthread_condattr_destroy(&by_clock);

    int rc = http_open(&s->http, e);

    if (!rc && (rc = start_thread(s)))
        (void)fail(e, rc, "cannot start a thread to send from: %s",
                strerror(-rc));
    if (rc) {
        release(s);
        return rc;
    }
    *out = s;
    return 0;
}

void sender_put(struct sender *s, struct buf *body, uint64_t items)
{
    (void)pthread_mutex_lock(&s->lock);
    spool_put(s->spool, body, items);
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

void sender_finish(struct sender *s)
{
    if (!s)
        return;
    (void)pthread_mutex_lock(&s->lock);
    if (!s->stopping)
        s->until = in_ms(s->plan.drain_ms);
    s->stopping = true;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

void sender_stop(struct sender *s, struct sender_outcome *out)
{
    if (!s)
        return;
    sender_finish(s);
    (void)pthread_mutex_lock(&s->lock);
    while (s->busy && pthread_cond_timedwait(&s->changed, &s->lock,
                              &s->until) != ETIMEDOUT)
        ;
    atomic_store(&s->cancel, true);
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    (void)pthread_join(s->thread, NULL);
    s->outcome.dropped += spool_dropped(s->spool) + spool_items(s->spool);
    *out = s->outcome;
    release(s);
}

void sender_tell(struct buf *told, const char *url, const char *what,
        const struct sender_outcome *o)
{
    struct buf shown = { 0 };

    if (!o->dropped)
        return;
    url_add_shown(&shown, url);
    buf_printf(told, "%s%" PRIu64 " of %" PRIu64 " %s did not get to %s: %s.",
            told->len ? " " : "", o->dropped, o->dropped + o->items, what,
            buf_cstr(&shown), *o->why.text ? o->why.text : "no time was left");
    buf_release(&shown);
}
