/* gather_meter.c -- puts an external meter's readings on our clock.
 *
 * What its watts are compared with is the best that there is: the power that
 * another sensor measured, or else how busy our inferences kept the machine. */
#include "energy/gathered.h"

#include "base/alloc.h"
#include "energy/align.h"
#include "energy/recorder.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT_NS        2000000000ull /* clocks that are further apart are wrong */
#define STEP_NS         20000000ull
#define STEPS_MOST      100000
#define READINGS_ENOUGH 50

/* Watts between two updates, at their middle. */
static void from_counter(struct readings *load, const struct readings *joules)
{
    const struct series_reading *last = NULL;

    for (size_t i = 0; i < joules->count; i++) {
        const struct series_reading *r = &joules->items[i];

        if (last && r->value > last->value && r->time_ns > last->time_ns)
            readings_add(load, last->time_ns / 2 + r->time_ns / 2,
                    (r->value - last->value) * 1e9 /
                            (double)(r->time_ns - last->time_ns));
        if (!last || r->value > last->value || r->value < last->value)
            last = r;
    }
}

/* How many inferences ran, on average over each step. */
static void from_work(struct readings *load, const struct gathered *g)
{
    uint64_t end_ns = g->duration_ns ? g->duration_ns : g->last_ns;
    size_t steps = (size_t)(end_ns / STEP_NS);
    double *busy;

    if (!steps || steps > STEPS_MOST)
        return;
    busy = alloc_zero(steps, sizeof(*busy));
    for (size_t i = 0; i < g->span_count; i++) {
        const struct work_span *x = &g->spans[i];

        if (g->out->classes[x->work_class].work != ENERGY_INFERENCE)
            continue;
        for (uint64_t at = x->start_ns; at < x->end_ns;) {
            size_t step = (size_t)(at / STEP_NS);
            uint64_t until = (step + 1) * STEP_NS;

            if (step >= steps)
                break;
            until = until < x->end_ns ? until : x->end_ns;
            busy[step] += (double)(until - at);
            at = until;
        }
    }
    for (size_t i = 0; i < steps; i++)
        readings_add(load, i * STEP_NS + STEP_NS / 2, busy[i]);
    free(busy);
}

static void make_load(struct readings *load, const struct gathered *g)
{
    for (size_t i = 0; i < g->subject_count; i++)
        if (g->subjects[i].joules.count > READINGS_ENOUGH) {
            from_counter(load, &g->subjects[i].joules);
            return;
        }
    from_work(load, g);
}

void gather_meter(struct gathered *g)
{
    for (size_t i = 0; i < g->subject_count; i++) {
        struct gathered_subject *x = &g->subjects[i];
        struct readings load = { 0 };

        if (strcmp(x->source, ENERGY_SOURCE_METER) != 0 || !x->watts.count)
            continue;
        g->out->meter_seen = true;
        if (strstr(x->detail, ENERGY_METER_SET)) {
            g->out->meter_set = true; /* who sets it knows better */
            continue;
        }
        make_load(&load, g);

        struct align a = align_find(load.items, load.count, x->watts.items,
                x->watts.count, LIMIT_NS);

        g->out->meter_aligned = a.found;
        g->out->meter_offset_ns = a.offset_ns;
        for (size_t k = 0; k < x->watts.count; k++) {
            uint64_t *time_ns = &x->watts.items[k].time_ns;

            if (a.offset_ns < 0 && *time_ns < (uint64_t)-a.offset_ns)
                *time_ns = 0;
            else
                *time_ns = (uint64_t)((int64_t)*time_ns + a.offset_ns);
        }
        free(load.items);
    }
}
