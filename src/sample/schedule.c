#include "sample/schedule.h"

#include <assert.h>

#define NS_PER_S 1e9

size_t schedule_add(struct schedule *s)
{
    assert(s->count < SCHEDULE_MAX);
    s->next_ns[s->count] = SCHEDULE_OFF;
    return s->count++;
}

static void find_fastest(struct schedule *s)
{
    s->fastest = 0;
    for (size_t i = 1; i < s->count; i++)
        if (s->next_ns[i] != SCHEDULE_OFF &&
                (s->next_ns[s->fastest] == SCHEDULE_OFF ||
                        s->period_ns[i] < s->period_ns[s->fastest]))
            s->fastest = i;
}

void schedule_start(struct schedule *s, size_t i, double hz, uint64_t first_ns)
{
    s->period_ns[i] = (uint64_t)(NS_PER_S / hz + 0.5);
    s->next_ns[i] = first_ns;
    find_fastest(s);
}

void schedule_change(struct schedule *s, size_t i, double hz, uint64_t now_ns)
{
    s->period_ns[i] = (uint64_t)(NS_PER_S / hz + 0.5);
    if (s->next_ns[i] > now_ns + s->period_ns[i])
        s->next_ns[i] = now_ns + s->period_ns[i];
    find_fastest(s);
}

uint64_t schedule_next_ns(const struct schedule *s)
{
    return s->count ? s->next_ns[s->fastest] : SCHEDULE_OFF;
}

uint64_t schedule_horizon_ns(const struct schedule *s, uint64_t now_ns)
{
    /* Before its time nothing is due. */
    if (now_ns < schedule_next_ns(s))
        return 0;
    return now_ns + s->period_ns[s->fastest] / 2;
}

uint64_t schedule_advance(struct schedule *s, size_t i, uint64_t now_ns)
{
    uint64_t passed = now_ns > s->next_ns[i]
                              ? (now_ns - s->next_ns[i]) / s->period_ns[i]
                              : 0;

    s->next_ns[i] += (passed + 1) * s->period_ns[i];
    return passed;
}
