#include "live/rollup.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>

#define NS_PER_S UINT64_C(1000000000)

/* What is kept of a series between two readings. */
struct series {
    double told;      /* the last value that was, */
    uint64_t told_ns; /* and when */
    bool any;
    struct reading held; /* the last of them that was not told */
    bool holds;
    struct rollup second; /* that is not over yet; count 0: none */
};

struct rollups {
    struct subscriber to;
    struct series *series;
    size_t count, cap;
    struct map by_key;
    struct reading *changes; /* of the readings at hand */
    size_t changes_cap;
};

struct rollups *rollups_new(const struct subscriber *to)
{
    struct rollups *r = alloc_zero(1, sizeof(*r));

    r->to = *to;
    return r;
}

void rollups_free(struct rollups *r)
{
    if (!r)
        return;
    map_release(&r->by_key);
    free(r->series);
    free(r->changes);
    free(r);
}

static struct series *series_of(struct rollups *r, const struct reading *x)
{
    uint64_t key = (uint64_t)x->subject << 16 | x->metric;
    const uint64_t *at = map_find(&r->by_key, key);

    if (at)
        return &r->series[*at];
    if (r->count == r->cap) {
        r->cap = r->cap ? 2 * r->cap : 64;
        r->series = alloc_resize(r->series, r->cap * sizeof(*r->series));
    }
    map_put(&r->by_key, key, r->count);
    r->series[r->count] = (struct series){ .any = false };
    return &r->series[r->count++];
}

static void end_second(struct rollups *r, struct series *s)
{
    if (s->second.count)
        r->to.rollup(r->to.context, &s->second);
    s->second.count = 0;
}

static void add_to_second(struct rollups *r, struct series *s,
        const struct reading *x)
{
    struct rollup *u = &s->second;
    uint64_t second = x->time_ns / NS_PER_S;

    if (u->count && u->second != second)
        end_second(r, s);
    if (!u->count)
        *u = (struct rollup){
            .second = second,
            .subject = x->subject,
            .metric = x->metric,
            .min = x->value,
            .max = x->value,
        };
    u->count++;
    u->mean += (x->value - u->mean) / (double)u->count;
    if (x->value < u->min)
        u->min = x->value;
    if (x->value > u->max)
        u->max = x->value;
}

/* At most two go to `out`; returns how many. */
static size_t add_reading(struct rollups *r, const struct reading *x,
        struct reading *out)
{
    struct series *s = series_of(r, x);
    size_t count = 0;

    add_to_second(r, s, x);
    if (s->any && s->told == x->value && x->time_ns < s->told_ns + NS_PER_S) {
        s->held = *x;
        s->holds = metric_is_energy((enum metric_id)x->metric);
        return 0;
    }
    if (s->holds)
        out[count++] = s->held;
    s->holds = false;
    s->any = true;
    s->told = x->value;
    s->told_ns = x->time_ns;
    out[count++] = *x;
    return count;
}

static void take_readings(void *to, const struct reading_list *list)
{
    struct rollups *r = to;
    size_t count = 0;

    if (r->changes_cap < 2 * list->count) {
        r->changes_cap = 2 * list->count;
        r->changes =
                alloc_resize(r->changes, r->changes_cap * sizeof(*r->changes));
    }
    for (size_t i = 0; i < list->count; i++)
        count += add_reading(r, &list->items[i], r->changes + count);
    if (count)
        r->to.changes(r->to.context,
                &(struct reading_list){ r->changes, count });
}

static void end(void *to, const struct run_end *x)
{
    struct rollups *r = to;

    (void)x;
    for (size_t i = 0; i < r->count; i++)
        end_second(r, &r->series[i]);
}

struct subscriber rollups_subscriber(struct rollups *r)
{
    return (struct subscriber){
        .context = r,
        .readings = take_readings,
        .end = end,
    };
}
