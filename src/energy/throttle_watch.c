#include "energy/throttle_watch.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#define BUSY_LEAST  0.3 /* below it a slow clock is a rest, not a brake */
#define NS_PER_S    UINT64_C(1000000000)
#define SECONDS_MAX (UINT64_C(1) << 24) /* half a year */

/* Values over time, of one sensor or of inferences of one kind. */
struct track {
    struct series_reading *items;
    size_t count, cap;
    uint64_t until_ns; /* of inferences: the last item is a mean up to here, */
    size_t in_last;    /* of so many */
};

struct tracks {
    struct map by_key; /* to a place in `items` */
    struct track *items;
    size_t count;
};

/* The clock of all cores, and how busy they were, in one second. */
struct second {
    double clock_sum_hz, busy;
    uint32_t clock_count;
    bool busy_seen;
};

struct throttle_watch {
    struct tracks flags;     /* by subject */
    struct tracks latencies; /* by session and phase */
    struct second *seconds;
    size_t second_cap;
};

struct throttle_watch *throttle_watch_new(void)
{
    return alloc_zero(1, sizeof(struct throttle_watch));
}

static void release(struct tracks *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->items[i].items);
    free(t->items);
    map_release(&t->by_key);
}

void throttle_watch_free(struct throttle_watch *w)
{
    if (!w)
        return;
    release(&w->flags);
    release(&w->latencies);
    free(w->seconds);
    free(w);
}

static struct track *track_of(struct tracks *t, uint64_t key)
{
    const uint64_t *at = map_find(&t->by_key, key);

    if (at)
        return &t->items[*at];
    map_put(&t->by_key, key, t->count);
    t->items = alloc_resize(t->items, (t->count + 1) * sizeof(*t->items));
    t->items[t->count] = (struct track){ 0 };
    return &t->items[t->count++];
}

static void add(struct track *t, uint64_t time_ns, double value)
{
    if (t->count == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 64;
        t->items = alloc_resize(t->items, t->cap * sizeof(*t->items));
    }
    t->items[t->count++] = (struct series_reading){ time_ns, value };
}

void throttle_watch_reading(struct throttle_watch *w, const struct reading *r)
{
    if (r->metric == METRIC_device_throttled_ratio)
        add(track_of(&w->flags, r->subject), r->time_ns, r->value);
}

void throttle_watch_rollup(struct throttle_watch *w, const struct rollup *r)
{
    bool clock = r->metric == METRIC_core_frequency_hertz;

    if ((!clock && r->metric != METRIC_host_busy_ratio) ||
            r->second >= SECONDS_MAX)
        return;
    if (r->second >= w->second_cap) {
        size_t cap = 2 * (size_t)r->second + 64;

        w->seconds = alloc_resize(w->seconds, cap * sizeof(*w->seconds));
        memset(w->seconds + w->second_cap, 0,
                (cap - w->second_cap) * sizeof(*w->seconds));
        w->second_cap = cap;
    }

    struct second *x = &w->seconds[r->second];

    if (clock) {
        x->clock_sum_hz += r->mean;
        x->clock_count++;
    } else {
        x->busy = r->mean;
        x->busy_seen = true;
    }
}

/* Means over a while, as drift is judged by no finer ones. */
void throttle_watch_span(struct throttle_watch *w, const struct span *s)
{
    if (s->kind != SPAN_INFERENCE)
        return;

    struct track *t = track_of(&w->latencies, (uint64_t)s->id << 8 | s->phase);
    double seconds = (double)s->duration_ns / 1e9;

    if (!t->count || s->start_ns >= t->until_ns) {
        add(t, s->start_ns, seconds);
        t->until_ns = s->start_ns + THROTTLE_STEP_NS;
        t->in_last = 1;
        return;
    }

    double *mean = &t->items[t->count - 1].value;

    t->in_last++;
    *mean += (seconds - *mean) / (double)t->in_last;
}

void throttle_watch_finish(const struct throttle_watch *w,
        struct throttling *out)
{
    struct track clock = { 0 };

    for (size_t i = 0; i < w->flags.count; i++)
        throttle_from_flag(out, w->flags.items[i].items,
                w->flags.items[i].count);
    for (size_t i = 0; i < w->second_cap; i++) {
        const struct second *x = &w->seconds[i];

        if (x->clock_count && x->busy_seen && x->busy >= BUSY_LEAST)
            add(&clock, i * NS_PER_S, x->clock_sum_hz / (double)x->clock_count);
    }
    throttle_from_clock(out, clock.items, clock.count);
    free(clock.items);
    for (size_t i = 0; i < w->latencies.count; i++)
        throttle_from_latency(out, w->latencies.items[i].items,
                w->latencies.items[i].count);
}
