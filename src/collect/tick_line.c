#include "collect/tick_line.h"

#include <stdbool.h>
#include <string.h>

/* How far apart moments are kept: at first each twice as far as the one before,
 * since a line is the truer the longer it is, and sooner where it has missed.
 */
#define SPAN_MOST_NS 1000000000
#define MISSED_NS    500

static uint64_t add_ns(uint64_t ns, double more)
{
    if (more < 0)
        return -more >= (double)ns ? 0 : ns - (uint64_t)(-more + 0.5);
    return more >= 9e18 ? UINT64_MAX : ns + (uint64_t)(more + 0.5);
}

static uint64_t along(const struct tick_knot *k, uint64_t ticks)
{
    return add_ns(k->ns, (double)(int64_t)(ticks - k->ticks) * k->ns_per_tick);
}

static bool is_worth_keeping(const struct tick_line *l, uint64_t ticks,
        uint64_t ns)
{
    const struct tick_knot *last = &l->knots[l->count - 1];
    uint64_t span = last->ns - last[-1].ns;
    uint64_t told = along(last, ticks);

    return ns - last->ns >=
                   (span < SPAN_MOST_NS / 2 ? 2 * span : SPAN_MOST_NS) ||
           (told > ns ? told - ns : ns - told) > MISSED_NS;
}

void tick_line_add(struct tick_line *l, uint64_t ticks, uint64_t ns)
{
    struct tick_knot *last = l->count ? &l->knots[l->count - 1] : NULL;
    struct tick_knot k = { ticks, ns, 0 };

    if (last && (ticks <= last->ticks || ns <= last->ns))
        return;
    if (l->count >= 2 && !is_worth_keeping(l, ticks, ns))
        return;
    if (last)
        k.ns_per_tick = (double)(ns - last->ns) / (double)(ticks - last->ticks);
    if (l->count == 1) /* so the first has one, too */
        last->ns_per_tick = k.ns_per_tick;
    if (l->count == TICK_KNOTS) {
        l->count /= 2;
        memmove(l->knots, l->knots + l->count, l->count * sizeof(*l->knots));
    }
    l->knots[l->count++] = k;
}

double tick_line_ns_per_tick(const struct tick_line *l)
{
    return l->count < 2 ? 0 : l->knots[l->count - 1].ns_per_tick;
}

uint64_t tick_line_span_ns(const struct tick_line *l, uint64_t ticks)
{
    return add_ns(0, (double)ticks * tick_line_ns_per_tick(l));
}

uint64_t tick_line_ns(const struct tick_line *l, uint64_t ticks)
{
    size_t i = l->count;

    if (i < 2)
        return 0;
    while (i > 1 && l->knots[i - 1].ticks > ticks)
        i--;
    return along(&l->knots[i - 1], ticks);
}
