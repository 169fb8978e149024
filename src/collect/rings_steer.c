/* rings_steer.c -- what processes of the program are asked to do while they
 * run: to pause, to trace. */
#include "collect/rings_state.h"
#include "os/process/child.h"

#include <stdatomic.h>

bool rings_steer(const struct rings *r, struct ring_source *s)
{
    struct channel_header *h = s->header;
    bool may = !r->ops_given || r->ops == OPS_OFF ||
               atomic_load(&h->ops) != OPS_OFF ||
               (h->pid_namespace == r->pid_namespace &&
                       !process_is_confined(s->owner->owner.pid));

    atomic_store(&h->paused, r->paused);
    if (r->ops_given && may)
        atomic_store(&h->ops, r->ops);
    return may;
}

size_t rings_trace(struct rings *r, uint32_t ops)
{
    size_t left = 0;

    r->ops = ops;
    r->ops_given = true;
    for (size_t i = 0; i < r->count; i++)
        left += !rings_steer(r, r->sources[i]);
    return left;
}

void rings_pause(struct rings *r, bool paused)
{
    r->paused = paused;
    for (size_t i = 0; i < r->count; i++)
        (void)rings_steer(r, r->sources[i]);
}
