#include "os/thread.h"

#include "base/alloc.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct thread {
    pthread_t id;
    void (*run)(void *context);
    void *context;
};

static void *begin(void *to)
{
    struct thread *t = to;

    t->run(t->context);
    return NULL;
}

int thread_start(struct thread **out, void (*run)(void *context), void *context)
{
    struct thread *t = alloc_zero(1, sizeof(*t));
    sigset_t all, before;

    t->run = run;
    t->context = context;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);

    int rc = pthread_create(&t->id, NULL, begin, t);

    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc) {
        free(t);
        return -rc;
    }
    *out = t;
    return 0;
}

void thread_join(struct thread *t)
{
    if (!t)
        return;
    (void)pthread_join(t->id, NULL);
    free(t);
}
