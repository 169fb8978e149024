#include "push/power_wait.h"

#include "energy/account.h"

#include <errno.h>
#include <math.h>

void power_wait_release(struct power_wait *w)
{
    map_release(&w->next);
    w->count = 0;
}

void power_wait_take(struct power_wait *w, const struct reading *x)
{
    uint64_t key = (uint64_t)x->metric << 32 | x->subject;
    uint64_t step = x->time_ns / ENERGY_STEP_LEAST_NS;
    const uint64_t *next = map_find(&w->next, key);

    if (!isfinite(x->value) || (next && step < *next))
        return;
    if (w->count == POWER_WAIT_MAX) {
        w->cut++;
        return;
    }
    map_put(&w->next, key, step + 1);
    w->items[w->count++] = *x;
}

static void add(struct figure_list *out, const struct subject_book *b,
        const struct reading *x, int phase)
{
    struct figure *f = figure_add(out, (enum metric_id)x->metric, x->value);

    f->sampled = true;
    f->time_ns = x->time_ns;
    f->method = (enum reading_method)x->method;
    subject_label(f, b, x->subject);
    if (phase >= 0)
        figure_label(f, "phase", phase_name((enum phase)phase));
}

void power_wait_collect(struct power_wait *w, const struct subject_book *b,
        uint64_t now_ns, struct figure_list *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < w->count; i++) {
        const struct reading *x = &w->items[i];
        int phase = x->time_ns > now_ns
                            ? -EAGAIN /* of a meter whose clock is ahead */
                            : live_phase_at(&w->phase, x->time_ns, now_ns);

        if (phase == -EAGAIN)
            w->items[kept++] = *x;
        else
            add(out, b, x, phase);
    }
    w->count = kept;
}
