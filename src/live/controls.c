#include "live/controls.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

enum stage { FREE, ASKED, UNDER_WAY, DONE };

struct controls {
    bool may_stop;
    _Atomic int stage; /* changed under the mutex */
    mtx_t mutex;       /* of what follows */
    cnd_t changed;
    struct control now;
    struct control_wish wish;
    bool ended;
};

struct controls *controls_new(const struct control *now, bool may_stop)
{
    struct controls *c = alloc_zero(1, sizeof(*c));

    c->now = *now;
    c->may_stop = may_stop;
    (void)mtx_init(&c->mutex, mtx_plain);
    (void)cnd_init(&c->changed);
    return c;
}

void controls_free(struct controls *c)
{
    if (!c)
        return;
    cnd_destroy(&c->changed);
    mtx_destroy(&c->mutex);
    free(c);
}

static int check(const struct controls *c, const struct control_wish *w,
        struct error *e)
{
    if (w->rate_hz > 0 && !(c->now.rate_hz > 0))
        return fail(e, -EINVAL,
                "this run was started without samplers, so it "
                "has no rate_hz");
    if (w->stop && !c->may_stop)
        return fail(e, -EINVAL,
                "only a generation can be stopped: this "
                "program was started by somebody else");
    return 0;
}

/* Under the mutex. */
static int wait_until_done(struct controls *c, uint64_t timeout_ns)
{
    struct timespec until;

    (void)timespec_get(&until, TIME_UTC);
    timeout_ns += (uint64_t)until.tv_nsec;
    until.tv_sec += (time_t)(timeout_ns / 1000000000);
    until.tv_nsec = (long)(timeout_ns % 1000000000);
    while (c->stage != DONE && !c->ended)
        if (cnd_timedwait(&c->changed, &c->mutex, &until) == thrd_timedout &&
                c->stage == ASKED)
            return -ETIMEDOUT;
    return c->stage == DONE ? 0 : -ESRCH;
}

int controls_ask(struct controls *c, const struct control_wish *w,
        uint64_t timeout_ns, struct control *out, struct error *e)
{
    int rc;

    (void)mtx_lock(&c->mutex);
    rc = c->ended ? fail(e, -ESRCH, "the run has ended")
         : c->stage != FREE
                 ? fail(e, -ETIMEDOUT, "another wish is being carried out")
                 : check(c, w, e);
    if (!rc) {
        c->wish = *w;
        c->stage = ASKED;
        rc = wait_until_done(c, timeout_ns);
        c->stage = FREE;
        if (rc)
            (void)fail(e, rc,
                    rc == -ESRCH ? "the run has ended"
                                 : "the collector did not do it in "
                                   "time");
    }
    *out = c->now;
    (void)mtx_unlock(&c->mutex);
    return rc;
}

bool controls_take(struct controls *c, struct control_wish *out,
        struct control *now)
{
    bool wanted;

    if (atomic_load_explicit(&c->stage, memory_order_relaxed) != ASKED)
        return false;
    (void)mtx_lock(&c->mutex);
    wanted = c->stage == ASKED;
    if (wanted)
        c->stage = UNDER_WAY;
    *out = c->wish;
    *now = c->now;
    (void)mtx_unlock(&c->mutex);
    return wanted;
}

void controls_done(struct controls *c, const struct control *now)
{
    (void)mtx_lock(&c->mutex);
    c->now = *now;
    c->stage = DONE;
    (void)cnd_signal(&c->changed);
    (void)mtx_unlock(&c->mutex);
}

void controls_end(struct controls *c)
{
    (void)mtx_lock(&c->mutex);
    c->ended = true;
    (void)cnd_signal(&c->changed);
    (void)mtx_unlock(&c->mutex);
}
