/* test_controls.c -- a wish goes from one thread to another and back. */
#include "live/controls.h"

#include "os/thread.h"
#include "test.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <threads.h>

static atomic_bool over;

/* Does what is wanted, as the thread that meters. */
static void obey(void *to)
{
    struct control_wish w;
    struct control now;

    while (!atomic_load(&over)) {
        if (controls_take(to, &w, &now)) {
            if (w.has_paused)
                now.paused = w.paused;
            if (w.ops[0])
                memcpy(now.ops, w.ops, sizeof(now.ops));
            controls_done(to, &now);
        }
        thrd_yield();
    }
    controls_end(to);
}

int main(void)
{
    struct control start = { .ops = "off" }, now;
    struct controls *c = controls_new(&start, false);
    struct control_wish nothing = { 0 };
    struct control_wish pause = { .has_paused = true, .paused = true };
    struct control_wish trace = { .ops = "all" };
    struct control_wish rate = { .rate_hz = 10 }, stop = { .stop = true };
    struct thread *t = NULL;
    struct error e = { 0 };

    /* Nobody does it: it is taken back, and not done later. */
    CHECK_INT(controls_ask(c, &pause, 1000000, &now, &e), -ETIMEDOUT);
    CHECK_INT(thread_start(&t, obey, c), 0);
    CHECK_INT(controls_ask(c, &nothing, UINT64_C(60000000000), &now, &e), 0);
    CHECK(!now.paused);
    CHECK(strcmp(now.ops, "off") == 0);
    CHECK_INT(controls_ask(c, &pause, UINT64_C(60000000000), &now, &e), 0);
    CHECK(now.paused);
    CHECK_INT(controls_ask(c, &trace, UINT64_C(60000000000), &now, &e), 0);
    CHECK(now.paused && strcmp(now.ops, "all") == 0);
    /* What this run cannot do. */
    CHECK_INT(controls_ask(c, &rate, 1, &now, &e), -EINVAL);
    CHECK_INT(controls_ask(c, &stop, 1, &now, &e), -EINVAL);
    atomic_store(&over, true);
    thread_join(t);
    CHECK_INT(controls_ask(c, &nothing, 1, &now, &e), -ESRCH);
    controls_free(c);
    return test_result();
}
