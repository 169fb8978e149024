#include "analyse/operators/assign_nodes.h"

#include "analyse/operators/nesting.h"
#include "base/alloc.h"
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>

/* So many runs that began before a node are looked at. */
#define RUNS_TRIED 256

struct sorted_runs {
    const struct timed_run *runs; /* by start */
    size_t count;
    uint32_t *by_thread; /* their places, by thread and then by start */
};

/* --- runs, in two orders -------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct timed_run *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->end_ns > y->end_ns ? -1 : x->end_ns < y->end_ns;
}

static int compare_threads(const struct timed_run *x, uint32_t process,
        uint32_t thread)
{
    if (x->process != process)
        return x->process < process ? -1 : 1;
    return x->thread < thread ? -1 : x->thread > thread;
}

static int by_thread(const void *a, const void *b, void *context)
{
    const struct timed_run *runs = context;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    int order = compare_threads(&runs[i], runs[k].process, runs[k].thread);

    return order ? order : i < k ? -1 : i > k; /* they are sorted by start */
}

static struct sorted_runs sort_runs(struct timed_run *runs, size_t count)
{
    struct sorted_runs b = {
        .runs = runs,
        .count = count,
        .by_thread = alloc_zero(count, sizeof(uint32_t)),
    };

    if (count)
        qsort(runs, count, sizeof(*runs), by_start);
    for (size_t i = 0; i < count; i++) {
        runs[i].latest_ns = runs[i].end_ns;
        if (i && runs[i - 1].latest_ns > runs[i].latest_ns)
            runs[i].latest_ns = runs[i - 1].latest_ns;
        b.by_thread[i] = (uint32_t)i;
    }
    sort_with(b.by_thread, count, sizeof(uint32_t), by_thread, runs);
    return b;
}

/* --- which run ------------------------------------------------------------ */

/* The last run of the node's own thread that began before it, if it had not
 * ended. */
static uint32_t run_of_thread(const struct sorted_runs *b,
        const struct timed_node *n)
{
    size_t low = 0, high = b->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct timed_run *r = &b->runs[b->by_thread[middle]];
        int order = compare_threads(r, n->process, n->thread);

        if (order < 0 || (!order && r->start_ns <= n->start_ns))
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;

    const struct timed_run *r = &b->runs[b->by_thread[low - 1]];

    if (compare_threads(r, n->process, n->thread) || r->end_ns < n->start_ns)
        return 0;
    return b->by_thread[low - 1] + 1;
}

/* 0: no run was under way, or more than one. */
static uint32_t run_of_pool(const struct sorted_runs *b,
        const struct timed_node *n)
{
    size_t low = 0, high = b->count;
    uint32_t found = 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (b->runs[middle].start_ns <= n->start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i && low - i < RUNS_TRIED; i--) {
        const struct timed_run *r = &b->runs[i - 1];

        if (r->latest_ns < n->start_ns)
            break;
        if (r->process != n->process || r->end_ns < n->start_ns)
            continue;
        if (found)
            return 0;
        found = (uint32_t)i;
    }
    return found;
}

/* --- how deep ------------------------------------------------------------- */

static int by_inference(const void *a, const void *b)
{
    const struct timed_node *x = a, *y = b;

    if (x->inference != y->inference)
        return x->inference < y->inference ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Fills `spans` with those nodes that ran on one thread; returns how many. */
static size_t spans_of_thread(struct nesting_span *spans,
        const struct timed_node *nodes, size_t count,
        const struct timed_node *one)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (nodes[i].process == one->process && nodes[i].thread == one->thread)
            spans[n++] = (struct nesting_span){
                /* Only the order matters, and that is the same. */
                .start_ns = (uint64_t)nodes[i].start_ns + INT64_MAX,
                .duration_ns = nodes[i].duration_ns,
                .item = (uint32_t)i,
            };
    return n;
}

/* Of the nodes of one inference. */
static void find_depths(struct timed_node *nodes, size_t count,
        uint64_t slack_ns)
{
    struct nesting_span *spans = alloc_zero(count, sizeof(*spans));
    bool *done = alloc_zero(count, sizeof(*done));

    for (size_t i = 0; i < count; i++) {
        if (done[i])
            continue;

        size_t n = spans_of_thread(spans, nodes, count, &nodes[i]);

        nesting_find(spans, n, slack_ns);
        for (size_t k = 0; k < n; k++) {
            nodes[spans[k].item].depth = spans[k].depth;
            done[spans[k].item] = true;
        }
    }
    free(done);
    free(spans);
}

uint64_t assign_nodes(struct timed_run *runs, size_t run_count,
        struct timed_node *nodes, size_t node_count, uint64_t slack_ns)
{
    struct sorted_runs b = sort_runs(runs, run_count);
    uint64_t orphans = 0;
    size_t from = 0;

    for (size_t i = 0; i < node_count; i++) {
        struct timed_node *n = &nodes[i];

        n->order = (uint32_t)i;
        n->inference = run_of_thread(&b, n);
        if (!n->inference)
            n->inference = run_of_pool(&b, n);
        orphans += !n->inference;
    }
    free(b.by_thread);
    if (node_count)
        qsort(nodes, node_count, sizeof(*nodes), by_inference);
    for (size_t i = 1; i <= node_count; i++)
        if (i == node_count || nodes[i].inference != nodes[from].inference) {
            find_depths(nodes + from, i - from, slack_ns);
            from = i;
        }
    return orphans;
}
