#include "energy/calibrate/sweep.h"

#include "base/alloc.h"

#include <stdlib.h>

struct sweeper {
    const struct work_pieces *pieces;
    size_t next;    /* piece that has not begun */
    size_t *active; /* pieces that have */
    size_t active_count, active_cap;
    struct sweep_part *parts;
    size_t part_count, part_cap;
};

static void add_part(struct sweeper *s, uint32_t work_class, uint32_t owner,
        double seconds)
{
    if (s->part_count == s->part_cap) {
        s->part_cap = s->part_cap ? s->part_cap * 2 : 64;
        s->parts = alloc_resize(s->parts, s->part_cap * sizeof(*s->parts));
    }
    s->parts[s->part_count++] =
            (struct sweep_part){ work_class, owner, seconds };
}

static void begin(struct sweeper *s, uint64_t now_ns)
{
    const struct work_span *items = s->pieces->items;

    for (; s->next < s->pieces->count && items[s->next].start_ns <= now_ns;
            s->next++) {
        if (s->active_count == s->active_cap) {
            s->active_cap = s->active_cap ? s->active_cap * 2 : 16;
            s->active =
                    alloc_resize(s->active, s->active_cap * sizeof(*s->active));
        }
        s->active[s->active_count++] = s->next;
    }
}

static void end(struct sweeper *s, uint64_t now_ns)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->active_count; i++)
        if (s->pieces->items[s->active[i]].end_ns > now_ns)
            s->active[kept++] = s->active[i];
    s->active_count = kept;
}

/* Until when the same work goes on. */
static uint64_t next_change(const struct sweeper *s, uint64_t limit_ns)
{
    const struct work_span *items = s->pieces->items;

    for (size_t i = 0; i < s->active_count; i++)
        if (items[s->active[i]].end_ns < limit_ns)
            limit_ns = items[s->active[i]].end_ns;
    if (s->next < s->pieces->count && items[s->next].start_ns < limit_ns)
        limit_ns = items[s->next].start_ns;
    return limit_ns;
}

static void input_read(struct sweeper *s, const struct series_interval *x)
{
    uint64_t now_ns = x->start_ns;

    s->part_count = 0;
    while (now_ns < x->end_ns) {
        begin(s, now_ns);
        end(s, now_ns);

        uint64_t until_ns = next_change(s, x->end_ns);
        double seconds = (double)(until_ns - now_ns) / 1e9;

        if (!s->active_count)
            add_part(s, 0, 0, seconds);
        for (size_t i = 0; i < s->active_count; i++) {
            const struct work_span *w = &s->pieces->items[s->active[i]];

            add_part(s, w->work_class, w->owner,
                    seconds / (double)s->active_count);
        }
        now_ns = until_ns;
    }
}

void sweep(const struct series *series, const struct work_pieces *pieces,
        sweep_row *row, void *context)
{
    struct sweeper s = { .pieces = pieces };

    for (size_t i = 0; i < series->count; i++) {
        const struct series_interval *x = &series->intervals[i];

        if (x->fault)
            continue;
        input_read(&s, x);
        row(context, x, s.parts, s.part_count);
    }
    free(s.active);
    free(s.parts);
}
