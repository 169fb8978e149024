#include "sample/spending.h"

#include "base/alloc.h"

#include <stdlib.h>

#define METERED_NS UINT64_C(100000000)

void spending_begin(struct spending *s, double budget, uint64_t (*cpu_ns)(void),
        uint64_t now_ns)
{
    *s = (struct spending){
        .control = { .budget = budget, .scale = 1 },
        .cpu_ns = cpu_ns,
        .meter_next = true,
        .stretch_start_ns = now_ns,
    };
    s->stretch_cpu_ns = s->asked_ns = cpu_ns();
}

void spending_end(struct spending *s)
{
    free(s->change);
}

uint64_t spending_ask(struct spending *s)
{
    uint64_t before_ns = s->asked_ns;

    s->asked_ns = s->cpu_ns();
    return s->asked_ns - before_ns;
}

void spending_tick(struct spending *s, bool anyway)
{
    s->metered = s->meter_next || anyway;
    if (s->metered)
        (void)spending_ask(s);
}

static void note_change(struct spending *s, uint64_t now_ns, double from,
        double measured)
{
    if (!s->change)
        s->change = alloc_zero(SPENDING_CHANGES_MAX, sizeof(*s->change));
    if (s->changes < SPENDING_CHANGES_MAX)
        s->change[s->changes] = (struct rate_change){
            .time_ns = now_ns,
            .from_scale = from,
            .scale = s->control.scale,
            .measured = measured,
            .budget = s->control.budget,
        };
    s->changes++;
}

bool spending_judge(struct spending *s, uint64_t now_ns)
{
    uint64_t elapsed_ns = now_ns - s->stretch_start_ns;
    uint64_t spent_ns = s->asked_ns - s->stretch_cpu_ns;
    uint64_t cost_ns =
            spent_ns > s->forgiven_ns ? spent_ns - s->forgiven_ns : 0;
    double before = s->control.scale;

    if (!s->metered) {
        s->unmetered++;
        return false;
    }
    s->metered_ns = now_ns;
    s->unmetered = 0;
    if (!rates_control_ripe(&s->control, elapsed_ns, cost_ns))
        return false;
    s->stretch_start_ns = now_ns;
    s->stretch_cpu_ns = s->asked_ns;
    s->forgiven_ns = 0;
    if (rates_control_take(&s->control, elapsed_ns, cost_ns) == RATES_KEEP)
        return false;
    note_change(s, now_ns, before, (double)cost_ns / (double)elapsed_ns);
    return true;
}

void spending_plan(struct spending *s, uint64_t next_ns, bool more)
{
    s->meter_next = more || next_ns - s->metered_ns >= METERED_NS;
}

void spending_forgive(struct spending *s)
{
    if (!s->meter_next)
        return;

    /* The ticks that were not metered lie between, and were ours. */
    uint64_t spent_ns = spending_ask(s), ours_ns = s->unmetered * s->tick_ns;

    s->forgiven_ns += spent_ns > ours_ns ? spent_ns - ours_ns : 0;
}

void spending_charge(struct spending *s)
{
    if (s->metered)
        (void)spending_ask(s);
}
