/* threads.c -- what is kept of a thread: a few pages, taken at its first traced
 * inference or kernel, or its first inference from Python, and given to another
 * thread when it is gone.  They are never unmapped, so that others may look into
 * them at any time. */
#include "base/compiler.h"
#include "hook/memory.h"
#include "hook/ops/ops.h"

#include <stdatomic.h>

static _Atomic(struct thread *) threads[THREADS_MAX];

_Static_assert(sizeof(struct thread) <= 7UL * 4096, "seven pages a thread");

struct thread *thread_number(size_t i)
{
    return i < THREADS_MAX
                   ? atomic_load_explicit(&threads[i], memory_order_acquire)
                   : NULL;
}

static struct thread *make(uint32_t id)
{
    struct thread *t = memory_pages(sizeof(*t));

    if (!t)
        return NULL;
    atomic_store(&t->id, id);
    for (size_t i = 0; i < THREADS_MAX; i++) {
        struct thread *nobody = NULL;

        if (atomic_compare_exchange_strong(&threads[i], &nobody, t))
            return t;
    }
    memory_give_back(t, sizeof(*t));
    return NULL;
}

/* One that had this id, or whose thread is gone. */
static struct thread *take_over(uint32_t id)
{
    struct thread *t;

    for (size_t i = 0; (t = thread_number(i)); i++) {
        uint32_t before = atomic_load(&t->id);

        if ((before == id || !before || !thread_exists(before)) &&
                atomic_compare_exchange_strong(&t->id, &before, id))
            return t;
    }
    return NULL;
}

static void empty(struct thread *t)
{
    t->depth = t->runs = 0;
    t->frame = 0;
    t->gil = NULL;
    for (size_t i = 0; i < THREAD_RUNS; i++) {
        atomic_store(&t->traces[i].stack, 0);
        atomic_store(&t->traces[i].id, 0);
    }
}

COLD struct thread *thread_make(void)
{
    uint32_t id = channel_thread();
    struct thread *t = take_over(id);

    if (t)
        empty(t);
    else
        t = make(id);
    if (t)
        hook_thread = (uintptr_t)t;
    return t;
}

void threads_in_child(void)
{
    struct thread *mine = thread_known();
    struct thread *t;

    for (size_t i = 0; (t = thread_number(i)); i++) {
        if (t != mine) {
            atomic_store(&t->id, 0);
            empty(t);
            continue;
        }
        /* The inferences that it is in began in the parent: they are the
         * parent's. */
        t->depth = 0;
        for (size_t k = 0; k < THREAD_RUNS; k++)
            atomic_store(&t->traces[k].id, 0);
    }
    hook_thread = 0;
    if (mine) {
        atomic_store(&mine->id, channel_thread());
        hook_thread = (uintptr_t)mine;
    }
}
