/* rule_batch.c -- a batch that pays: the program ran batches of several sizes,
 * and the one that it runs most takes more time for a sample than another. */
#include "analyse/finding/findings.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

#define BETTER 0.9 /* so much of a sample's time, at most */
enum { COUNT_LEAST = 30 };

struct sample_time {
    uint32_t batch;
    double ns; /* of one sample */
};

static int by_batch_and_time(const void *a, const void *b)
{
    const struct sample_time *x = a, *y = b;

    if (x->batch != y->batch)
        return x->batch < y->batch ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

/* The inferences of one size, the fastest first. */
struct group {
    const struct sample_time *items;
    size_t count;
};

static double quantile_of(const struct group *g, double p)
{
    return g->items[(size_t)(p * (double)(g->count - 1))].ns;
}

/* The most frequent size, and the one with the fastest samples. */
static void find_groups(const struct sample_time *all, size_t count,
        struct group *most, struct group *best)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && all[next].batch == all[i].batch; next++)
            ;

        struct group g = { &all[i], next - i };

        if (g.count < COUNT_LEAST)
            continue;
        if (g.count > most->count)
            *most = g;
        if (!best->count || quantile_of(&g, 0.5) < quantile_of(best, 0.5))
            *best = g;
    }
}

static void tell(struct findings *f, const struct group *now,
        const struct group *best)
{
    double now_ns = quantile_of(now, 0.5), best_ns = quantile_of(best, 0.5);

    if (best->items->batch <= now->items->batch || best_ns > BETTER * now_ns ||
            quantile_of(best, 0.75) >= quantile_of(now, 0.25))
        return;

    struct finding *x = findings_add(f, "batch", FINDING_LOOK);

    x->gain_ns = (now_ns - best_ns) * now->items->batch;
    buf_printf(&x->text,
            "a sample takes %.0f %% less time in a batch of %u than in one of "
            "%u, which is run most",
            100 * (1 - best_ns / now_ns), best->items->batch,
            now->items->batch);
    buf_text(&x->detail, "collect samples into batches where they may wait for "
                         "each other");
    finding_evidence(x, "sample", now_ns / 1e6, "ms");
    finding_evidence(x, "sample_in_larger", best_ns / 1e6, "ms");
    finding_evidence(x, "inferences", (double)now->count, "inferences");
    finding_evidence(x, "inferences_larger", (double)best->count, "inferences");
}

int rule_batch(struct findings *f, const struct finding_case *c,
        struct error *e)
{
    struct group most = { NULL, 0 }, best = { NULL, 0 };
    size_t count = 0;

    (void)e;
    if (c->count < (size_t)2 * COUNT_LEAST)
        return 0;

    struct sample_time *all = alloc_zero(c->count, sizeof(*all));

    for (size_t i = 0; i < c->count; i++)
        if (c->inferences[i].batch)
            all[count++] = (struct sample_time){ c->inferences[i].batch,
                (double)c->inferences[i].duration_ns / c->inferences[i].batch };
    if (count)
        qsort(all, count, sizeof(*all), by_batch_and_time);
    find_groups(all, count, &most, &best);
    if (most.count)
        tell(f, &most, &best);
    free(all);
    return 0;
}
