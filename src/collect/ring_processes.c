/* ring_processes.c -- the processes that write to rings: known by pid and
 * start, heard when they first say something, gone with the last ring they
 * made. */
#include "base/alloc.h"
#include "base/command/proc_cmdline.h"
#include "collect/rings_state.h"
#include "os/clock.h"

#include <stdlib.h>

/* Whoever uses ONNX Runtime from its start has said so by then. */
#define NEW_NS UINT64_C(1000000000)

struct ring_process *ring_process_add(struct rings *r,
        const struct ring_owner *owner, const char *program,
        struct ring_process *parent)
{
    struct ring_process *p = alloc_zero(1, sizeof(*p));

    p->owner = *owner;
    p->program = proc_cmdline_masked(program);
    p->owner.program = p->program;
    p->parent = parent;
    r->processes = alloc_resize(r->processes,
            (r->process_count + 1) * sizeof(struct ring_process *));
    r->processes[r->process_count++] = p;
    return p;
}

struct ring_process *ring_process_find(const struct rings *r, uint32_t pid,
        uint64_t start_ns)
{
    for (size_t i = r->process_count; pid && i-- > 0;)
        if (r->processes[i]->owner.pid == pid &&
                r->processes[i]->owner.start_ns == start_ns)
            return r->processes[i];
    return NULL;
}

void ring_process_hear(struct rings *r, struct ring_process *p)
{
    if (p->owner.number)
        return;
    p->owner.number = ++r->heard;
    p->owner.parent = p->parent ? p->parent->owner.number : 0;
    r->sink.came(r->sink.context, &p->owner);
}

bool ring_process_is_dead(struct ring_process *p)
{
    if (!p->dead && p->watched && watched_is_gone(p->watched)) {
        p->dead = true;
        watched_free(p->watched);
        p->watched = NULL;
    }
    return p->dead;
}

void ring_process_tell_gone(struct rings *r, struct ring_process *p)
{
    if (p->told_gone || p->rings)
        return;
    p->told_gone = true;
    watched_free(p->watched);
    p->watched = NULL;
    if (p->owner.number)
        r->sink.gone(r->sink.context, &p->owner);
}

static bool is_alive(struct ring_process *p)
{
    return p->owner.number && !p->told_gone && p->watched &&
           !ring_process_is_dead(p);
}

size_t rings_alive(const struct rings *r)
{
    size_t alive = 0;

    for (size_t i = 0; i < r->process_count; i++)
        alive += is_alive(r->processes[i]);
    return alive;
}

void rings_each_alive(const struct rings *r,
        void (*each)(void *context, const struct ring_owner *o), void *context)
{
    for (size_t i = 0; i < r->process_count; i++)
        if (is_alive(r->processes[i]))
            each(context, &r->processes[i]->owner);
}

/* A child of fork() has become another program, which has a ring of its own. */
static bool is_replaced(const struct rings *r, const struct ring_process *p)
{
    for (size_t i = 0; i < r->process_count; i++)
        if (r->processes[i]->owner.pid == p->owner.pid &&
                r->processes[i]->owner.start_ns > p->owner.start_ns)
            return true;
    return false;
}

/* With a ring, or with a place in its parent's, and silent so far. */
static bool is_new(const struct rings *r, struct ring_process *p,
        uint64_t now_ns)
{
    return !p->owner.number && p->watched &&
           now_ns < p->owner.start_ns + NEW_NS && !ring_process_is_dead(p) &&
           !is_replaced(r, p);
}

size_t rings_arriving(const struct rings *r)
{
    uint64_t now_ns = mono_ns();
    size_t n = unhooked_arriving(r->unhooked, now_ns);

    for (size_t i = 0; i < r->process_count; i++)
        n += is_new(r, r->processes[i], now_ns);
    return n;
}
