#include "analyse/operators/assign_nodes.h"

#include "base/compiler.h"
#include "test.h"

#define MOST 8

static const struct {
    const char *what;
    struct timed_run runs[MOST]; /* end with one that ends at 0 */
    struct {
        int64_t start_ns;
        uint64_t duration_ns;
        uint32_t process, thread; /* process 0: no more */
        uint32_t inference, depth;
    } nodes[MOST];
    uint64_t orphans;
} cases[] = {
    { "one behind the other; what begins when one ends is the next one's",
            { { 200, 300, 1, 1, 0, 0 }, { 100, 200, 1, 1, 0, 0 } },
            { { 100, 50, 1, 1, 1, 0 }, { 150, 50, 1, 1, 1, 0 },
                    { 200, 50, 1, 1, 2, 0 }, { 250, 51, 1, 1, 2, 0 } },
            0 },
    { "each thread its own, and a child in its parent",
            { { 100, 900, 1, 1, 0, 0 }, { 150, 800, 1, 2, 0, 0 } },
            { { 200, 20, 1, 1, 1, 1 }, { 190, 90, 1, 1, 1, 0 },
                    { 200, 20, 1, 2, 2, 0 } },
            0 },
    { "a pool: the only run under way, not one of two, not another process's",
            { { 100, 300, 1, 1, 0, 0 }, { 250, 400, 1, 2, 0, 0 },
                    { 100, 400, 2, 9, 0, 0 } },
            { { 150, 10, 1, 7, 2, 0 }, { 260, 10, 1, 7, 0, 0 },
                    { 350, 10, 1, 7, 3, 0 }, { 120, 10, 2, 7, 1, 0 } },
            1 },
    { "before, between and behind",
            { { 100, 200, 1, 1, 0, 0 }, { 300, 400, 1, 1, 0, 0 } },
            { { 50, 10, 1, 1, 0, 0 }, { 250, 10, 1, 1, 0, 0 },
                    { 450, 10, 1, 1, 0, 0 }, { -5, 1, 1, 1, 0, 0 } },
            4 },
    { "no runs at all: depths all the same", { { 0, 0, 0, 0, 0, 0 } },
            { { -100, 50, 1, 1, 0, 0 }, { -80, 10, 1, 1, 0, 1 },
                    { -80, 10, 1, 2, 0, 0 } },
            3 },
    { "nothing", { { 0, 0, 0, 0, 0, 0 } }, { { 0, 0, 0, 0, 0, 0 } }, 0 },
};

int main(void)
{
    for (size_t c = 0; c < LEN(cases); c++) {
        struct timed_run runs[MOST];
        struct timed_node nodes[MOST];
        size_t run_count = 0, node_count = 0;
        int before = test_failures;

        for (; cases[c].runs[run_count].end_ns; run_count++)
            runs[run_count] = cases[c].runs[run_count];
        for (; cases[c].nodes[node_count].process; node_count++)
            nodes[node_count] = (struct timed_node){
                .start_ns = cases[c].nodes[node_count].start_ns,
                .duration_ns = cases[c].nodes[node_count].duration_ns,
                .process = cases[c].nodes[node_count].process,
                .thread = cases[c].nodes[node_count].thread,
            };
        CHECK_INT(assign_nodes(runs, run_count, nodes, node_count, 1),
                cases[c].orphans);
        for (size_t i = 0; i < node_count; i++) {
            const struct timed_node *n = &nodes[i];

            CHECK_INT(n->inference, cases[c].nodes[n->order].inference);
            CHECK_INT(n->depth, cases[c].nodes[n->order].depth);
            if (i)
                CHECK(n[-1].inference < n->inference ||
                        (n[-1].inference == n->inference &&
                                n[-1].order < n->order));
        }
        if (test_failures > before)
            (void)fprintf(stderr, "%s\n", cases[c].what);
    }
    return test_result();
}
