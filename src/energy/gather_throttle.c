/* gather_throttle.c -- when the machine was held back in a run: as sensors say,
 * as the clock shows, and as inferences took longer. */
#include "energy/gathered.h"

#include "base/alloc.h"

#include <stdlib.h>

#define BUSY_LEAST 0.3 /* below it a slow clock is a rest, not a brake */
#define NS_PER_S   UINT64_C(1000000000)

/* The clock of all cores, in the seconds with work. */
static void from_clock(struct gathered *g)
{
    struct readings clock = { 0 };

    for (size_t i = 0; i < g->second_cap; i++) {
        const struct gathered_second *x = &g->seconds[i];

        if (x->clock_count && x->host_seen && x->host_busy >= BUSY_LEAST)
            readings_add(&clock, i * NS_PER_S,
                    x->clock_sum_hz / (double)x->clock_count);
    }
    throttle_from_clock(&g->out->throttling, clock.items, clock.count);
    free(clock.items);
}

/* Inferences of one class at a time: others may well take longer. */
static void from_latency(struct gathered *g)
{
    for (uint32_t c = 1; c < g->out->class_count; c++) {
        struct readings latency = { 0 };

        if (g->out->classes[c].work != ENERGY_INFERENCE)
            continue;
        for (size_t i = 0; i < g->span_count; i++)
            if (g->spans[i].work_class == c)
                readings_add(&latency, g->spans[i].start_ns,
                        (double)(g->spans[i].end_ns - g->spans[i].start_ns) /
                                1e9);
        throttle_from_latency(&g->out->throttling, latency.items,
                latency.count);
        free(latency.items);
    }
}

void gather_throttle(struct gathered *g)
{
    for (size_t i = 0; i < g->subject_count; i++)
        throttle_from_flag(&g->out->throttling, g->subjects[i].throttled.items,
                g->subjects[i].throttled.count);
    from_clock(g);
    from_latency(g);
}
