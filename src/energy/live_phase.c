#include "energy/live_phase.h"

#include "energy/account.h"

#include <errno.h>

#define STEP_NS         ENERGY_STEP_LEAST_NS
#define MARGIN_LEAST_NS 1000000000ull

static uint64_t number_of(uint64_t time_ns)
{
    return time_ns / STEP_NS + 1;
}

/* Steps are used again; which one it is, its number tells. */
static struct live_phase_step *step_for(struct live_phase *p, uint64_t number)
{
    struct live_phase_step *s = &p->steps[number % LIVE_PHASE_STEPS];

    if (s->number != number)
        *s = (struct live_phase_step){ .number = number };
    return s;
}

void live_phase_add(struct live_phase *p, enum phase phase, uint64_t start_ns,
        uint64_t duration_ns)
{
    uint64_t end_ns = start_ns + duration_ns;

    if (!duration_ns || end_ns < start_ns || (unsigned)phase >= PHASES)
        return;

    uint64_t first = number_of(start_ns), last = number_of(end_ns - 1);

    if (p->newest < last)
        p->newest = last;
    if (first + LIVE_PHASE_STEPS <= p->newest)
        first = p->newest - LIVE_PHASE_STEPS + 1;
    for (uint64_t n = first; n <= last; n++) {
        uint64_t from_ns = (n - 1) * STEP_NS, to_ns = from_ns + STEP_NS;

        from_ns = from_ns > start_ns ? from_ns : start_ns;
        to_ns = to_ns < end_ns ? to_ns : end_ns;
        step_for(p, n)->ns[phase] += to_ns - from_ns;
    }
    if (p->known_ns < end_ns)
        p->known_ns = end_ns;
    if (p->longest_ns < duration_ns)
        p->longest_ns = duration_ns;
}

void live_phase_end(struct live_phase *p)
{
    p->ended = true;
}

/* How long what lies around a step may still take. */
static uint64_t margin_ns(const struct live_phase *p)
{
    if (p->longest_ns < MARGIN_LEAST_NS)
        return MARGIN_LEAST_NS;
    return p->longest_ns < LIVE_PHASE_WAIT_NS ? p->longest_ns
                                              : LIVE_PHASE_WAIT_NS;
}

int live_phase_at(const struct live_phase *p, uint64_t time_ns, uint64_t now_ns)
{
    static const struct live_phase_step nothing;
    uint64_t number = number_of(time_ns), end_ns = number * STEP_NS;
    uint64_t passed_ns = now_ns > end_ns ? now_ns - end_ns : 0;
    const struct live_phase_step *s = &p->steps[number % LIVE_PHASE_STEPS];

    if (number + LIVE_PHASE_STEPS <= p->newest)
        return -ENODATA;
    if (!p->ended && end_ns > p->known_ns)
        return passed_ns < LIVE_PHASE_WAIT_NS ? -EAGAIN : -ENODATA;
    if (!p->ended && passed_ns < margin_ns(p))
        return -EAGAIN;
    return (int)phase_of_most((s->number == number ? s : &nothing)->ns);
}
