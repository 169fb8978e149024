#include "analyse/operators/nesting.h"

#include "base/compiler.h"
#include "test.h"

#include <string.h>

#define MOST 12

/* In any order; `item` is the place in the table.  By item: depth, self. */
static const struct {
    uint64_t slack_ns;
    size_t count;
    struct {
        uint64_t start_ns, duration_ns;
        uint32_t depth;
        uint32_t parent; /* an item, or NESTING_NONE */
        uint64_t self_ns;
    } span[MOST];
} cases[] = {
    { 0, 0, { { 0, 0, 0, 0, 0 } } },
    { 0, 1, { { 5, 10, 0, NESTING_NONE, 10 } } },
    /* one behind the other: what ends when the next begins is no parent */
    { 1000, 3,
            { { 0, 1000, 0, NESTING_NONE, 1000 },
                    { 1000, 1000, 0, NESTING_NONE, 1000 },
                    { 2000, 0, 0, NESTING_NONE, 0 } } },
    /* an If with two children, written behind them, as profiles do */
    { 1000, 4,
            { { 12000, 5000, 1, 2, 5000 }, { 17000, 2000, 1, 2, 2000 },
                    { 10000, 10000, 0, NESTING_NONE, 3000 },
                    { 20000, 1000, 0, NESTING_NONE, 1000 } } },
    /* a Loop within an If, and behind it a second child of the If */
    { 1000, 5,
            { { 0, 10000, 0, NESTING_NONE, 2000 }, { 1000, 6000, 1, 0, 3000 },
                    { 2000, 1000, 2, 1, 1000 }, { 4000, 2000, 2, 1, 2000 },
                    { 8000, 2000, 1, 0, 2000 } } },
    /* a child sticks out by a microsecond: only what is inside counts */
    { 1000, 2,
            { { 10000, 9000, 0, NESTING_NONE, 8000 },
                    { 18000, 2000, 1, 0, 2000 } } },
    /* ... by two: it lies beside */
    { 1000, 2,
            { { 10000, 9000, 0, NESTING_NONE, 9000 },
                    { 18000, 3000, 0, NESTING_NONE, 3000 } } },
    /* ... by one, where clocks are exact */
    { 0, 2,
            { { 10000, 9000, 0, NESTING_NONE, 9000 },
                    { 18000, 2000, 0, NESTING_NONE, 2000 } } },
    /* the same start: the longer is the parent */
    { 1000, 3,
            { { 0, 3000, 1, 1, 3000 }, { 0, 10000, 0, NESTING_NONE, 4000 },
                    { 3000, 3000, 1, 1, 3000 } } },
    /* the same span twice: one within the other, the time counts once */
    { 1000, 2, { { 0, 5000, 0, NESTING_NONE, 0 }, { 0, 5000, 1, 0, 5000 } } },
    /* children that overlap, as they cannot: never less than nothing */
    { 0, 3,
            { { 0, 5000, 0, NESTING_NONE, 0 }, { 0, 4000, 1, 0, 4000 },
                    { 2000, 3000, 1, 0, 3000 } } },
};

static void check_case(size_t c)
{
    struct nesting_span spans[MOST];
    uint32_t place[MOST] = { 0 };
    int before = test_failures;

    for (size_t i = 0; i < cases[c].count; i++)
        spans[i] = (struct nesting_span){
            .start_ns = cases[c].span[i].start_ns,
            .duration_ns = cases[c].span[i].duration_ns,
            .item = (uint32_t)i,
        };
    nesting_find(spans, cases[c].count, cases[c].slack_ns);
    for (size_t i = 0; i < cases[c].count; i++)
        place[spans[i].item] = (uint32_t)i;
    for (size_t i = 0; i < cases[c].count; i++) {
        const struct nesting_span *s = &spans[place[i]];

        CHECK_INT(s->depth, cases[c].span[i].depth);
        CHECK_INT(s->self_ns, cases[c].span[i].self_ns);
        CHECK_INT(s->parent == NESTING_NONE ? NESTING_NONE
                                            : spans[s->parent].item,
                cases[c].span[i].parent);
    }
    if (test_failures > before)
        (void)fprintf(stderr, "case %zu\n", c);
}

/* Cuts exact times down to microseconds, as ONNX Runtime does, of a Loop with
 * children of random length: the sum of self times is never more than the time
 * from the first to the last, and the Loop's is what no child takes. */
static void cut_down(void)
{
    uint64_t state = 12345;

    for (int round = 0; round < 2000; round++) {
        struct nesting_span spans[MOST];
        uint64_t at = 1000 + round, sum = 0, end_us;
        size_t count = 1;

        for (; count < MOST; count++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;

            uint64_t gap = state >> 33 & 511, took = state >> 43 & 4095;

            spans[count] = (struct nesting_span){
                .start_ns = (at + gap) / 1000 * 1000,
                .duration_ns = took / 1000 * 1000,
            };
            at += gap + took;
        }
        end_us = at / 1000;
        spans[0] = (struct nesting_span){
            .start_ns = (1000 + (uint64_t)round) / 1000 * 1000,
            .duration_ns = (at - 1000 - (uint64_t)round) / 1000 * 1000,
            .item = 1,
        };
        nesting_find(spans, count, 1000);
        for (size_t i = 0; i < count; i++)
            sum += spans[i].self_ns;
        CHECK(spans[0].item == 1 || spans[0].duration_ns == 0);
        CHECK(sum <= (end_us + 1) * 1000 - spans[0].start_ns);
    }
}

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++)
        check_case(i);
    cut_down();
    return test_result();
}
