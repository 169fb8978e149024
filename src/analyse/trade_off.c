#include "analyse/trade_off.h"

#include <math.h>

static bool know_joules(const struct trade_off *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(all[i].joules))
            return false;
    return true;
}

/* As good in everything, and better in one thing. */
static bool beats(const struct trade_off *a, const struct trade_off *b,
        bool joules)
{
    if (a->latency_ns > b->latency_ns || a->per_s < b->per_s ||
            (joules && a->joules > b->joules))
        return false;
    return a->latency_ns < b->latency_ns || a->per_s > b->per_s ||
           (joules && a->joules < b->joules);
}

void trade_off_best(bool *best, const struct trade_off *all, size_t count)
{
    bool joules = know_joules(all, count);

    for (size_t i = 0; i < count; i++) {
        best[i] = true;
        for (size_t k = 0; k < count && best[i]; k++)
            best[i] = !beats(&all[k], &all[i], joules);
    }
}

size_t trade_off_within(const struct trade_off *all, size_t count,
        double bound_ns)
{
    size_t found = count;

    for (size_t i = 0; i < count; i++)
        if (all[i].latency_ns <= bound_ns &&
                (found == count || all[i].per_s > all[found].per_s))
            found = i;
    return found;
}

size_t trade_off_thrifty(const struct trade_off *all, size_t count)
{
    size_t found = count;

    for (size_t i = 0; i < count; i++)
        if (!isnan(all[i].joules) &&
                (found == count || all[i].joules < all[found].joules))
            found = i;
    return found;
}
