/* A signal handler may neither lock nor wait: the guards are a list that only
 * grows.  One that is closed stays in it, for the next to use. */
#include "os/guard.h"

#include "base/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

struct guard {
    struct guard *next;
    atomic_bool taken;
    _Atomic(uintptr_t) from, to; /* `to` is 0 where nothing is watched */
    atomic_bool hurt;
};

static _Atomic(struct guard *) guards;
static struct sigaction before;

static struct guard *guard_at(uintptr_t address)
{
    for (struct guard *g = atomic_load(&guards); g; g = g->next)
        if (address < atomic_load(&g->to) && address >= atomic_load(&g->from))
            return g;
    return NULL;
}

static bool put_zeros(struct guard *g)
{
    uintptr_t from = atomic_load(&g->from);

    return mmap((void *)from, atomic_load(&g->to) - from,
                   PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                   0) != MAP_FAILED;
}

static void on_bus(int number, siginfo_t *info, void *context)
{
    int kept = errno;
    struct guard *g = guard_at((uintptr_t)info->si_addr);

    (void)context;
    if (g && put_zeros(g))
        atomic_store(&g->hurt, true);
    else /* it comes again, to whoever was there before */
        (void)sigaction(number, &before, NULL);
    errno = kept;
}

static void watch(void)
{
    struct sigaction a = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };

    (void)sigaction(SIGBUS, &a, &before);
}

static struct guard *guard_new(void)
{
    struct guard *g = alloc_zero(1, sizeof(*g));

    atomic_init(&g->taken, true);
    g->next = atomic_load(&guards);
    while (!atomic_compare_exchange_weak(&guards, &g->next, g))
        ;
    return g;
}

struct guard *guard_open(void *memory, size_t bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct guard *g = atomic_load(&guards);

    (void)pthread_once(&once, watch);
    while (g && atomic_exchange(&g->taken, true))
        g = g->next;
    if (!g)
        g = guard_new();
    atomic_store(&g->hurt, false);
    atomic_store(&g->from, (uintptr_t)memory);
    atomic_store(&g->to, (uintptr_t)memory + bytes);
    return g;
}

bool guard_hurt(const struct guard *g)
{
    return g && atomic_load(&g->hurt);
}

void guard_close(struct guard *g)
{
    if (!g)
        return;
    atomic_store(&g->to, 0);
    atomic_store(&g->taken, false);
}
