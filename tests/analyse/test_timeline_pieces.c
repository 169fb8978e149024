/* test_timeline_pieces.c -- an inference cut where another operator goes on. */
#include "analyse/generation/timeline_pieces.h"

#include "base/compiler.h"
#include "test.h"

#include <string.h>

#define MOST 12

static const struct {
    size_t count;
    struct {
        uint64_t start_ns, kernel_ns;
        uint32_t depth;
    } run[MOST]; /* operator 1, 2, ... */
    bool cut;
    size_t piece_count;
    struct timeline_piece piece[MOST];
} cases[] = {
    { 0, { { 0 } }, true, 1, { { 10, 100, 0 } } },
    /* all of it, and a gap before, between and behind */
    { 1, { { 10, 90, 0 } }, true, 1, { { 10, 100, 1 } } },
    { 2, { { 40, 10, 0 }, { 20, 10, 0 } }, true, 5,
            { { 10, 20, 0 }, { 20, 30, 2 }, { 30, 40, 0 }, { 40, 50, 1 },
                    { 50, 100, 0 } } },
    /* an If around two, of which one takes no time */
    { 3, { { 20, 5, 1 }, { 30, 0, 1 }, { 15, 25, 0 } }, true, 6,
            { { 10, 15, 0 }, { 15, 20, 3 }, { 20, 25, 1 }, { 25, 30, 3 },
                    { 30, 40, 3 }, { 40, 100, 0 } } },
    /* the same start: the outer one comes first */
    { 2, { { 20, 5, 1 }, { 20, 5, 0 } }, true, 3,
            { { 10, 20, 0 }, { 20, 25, 1 }, { 25, 100, 0 } } },
    /* side by side, too early, too late */
    { 2, { { 20, 10, 0 }, { 25, 10, 0 } }, false, 0, { { 0 } } },
    { 1, { { 9, 10, 0 } }, false, 0, { { 0 } } },
    { 1, { { 95, 6, 0 } }, false, 0, { { 0 } } },
};

int main(void)
{
    struct timeline_pieces p = { 0 };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct operator_run runs[MOST] = { 0 };
        uint64_t sum_ns = 0;

        for (size_t k = 0; k < cases[i].count; k++)
            runs[k] = (struct operator_run){ .operator_id = (uint32_t)k + 1,
                .start_ns = cases[i].run[k].start_ns,
                .kernel_ns = cases[i].run[k].kernel_ns,
                .depth = cases[i].run[k].depth };
        CHECK_INT(timeline_cut(&p, runs, cases[i].count, 10, 100),
                cases[i].cut);
        if (!cases[i].cut)
            continue;
        CHECK_INT(p.count, cases[i].piece_count);
        for (size_t k = 0; k < p.count && k < MOST; k++) {
            CHECK_INT(p.items[k].start_ns, cases[i].piece[k].start_ns);
            CHECK_INT(p.items[k].end_ns, cases[i].piece[k].end_ns);
            CHECK_INT(p.items[k].operator_id, cases[i].piece[k].operator_id);
            sum_ns += p.items[k].end_ns - p.items[k].start_ns;
        }
        CHECK_INT(sum_ns, 90);
    }
    timeline_pieces_release(&p);
    return test_result();
}
