#include "export/trace/lanes.h"

#include "base/compiler.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define S SPAN_SECTION
#define I SPAN_INFERENCE
#define O SPAN_OPERATOR

struct placed {
    enum span_kind kind;
    uint32_t thread;
    uint64_t inference;
    uint32_t depth;
    uint64_t start_ns, end_ns;
    /* Where it must go. */
    uint32_t track;
    uint64_t at_ns, until_ns;
};

#define MOST 8

static const struct {
    const char *what;
    struct placed span[MOST]; /* ends with one that ends at 0 */
} cases[] = {
    { "within each other, and beside",
            { { S, 1, 0, 0, 0, 90000, 0, 0, 90000 },
                    { I, 1, 1, 0, 10000, 50000, 0, 10000, 50000 },
                    { O, 1, 1, 0, 10000, 20000, 0, 10000, 20000 },
                    { O, 1, 1, 0, 20000, 50000, 0, 20000, 50000 },
                    { O, 1, 1, 1, 30000, 40000, 0, 30000, 40000 },
                    { I, 1, 2, 0, 60000, 90000, 0, 60000, 90000 } } },
    { "threads have tracks of their own",
            { { I, 1, 1, 0, 0, 50000, 0, 0, 50000 },
                    { I, 2, 2, 0, 10000, 60000, 1, 10000, 60000 },
                    { O, 3, 1, 0, 20000, 30000, 2, 20000, 30000 } } },
    { "asynchronous runs overlap: lanes; a lane is used again",
            { { I, 1, 1, 0, 0, 50000, 0, 0, 50000 },
                    { I, 1, 2, 0, 10000, 70000, 1, 10000, 70000 },
                    { O, 1, 2, 0, 20000, 30000, 1, 20000, 30000 },
                    { O, 1, 1, 0, 20000, 45000, 0, 20000, 45000 },
                    { I, 1, 3, 0, 60000, 80000, 0, 60000, 80000 } } },
    { "a microsecond too long: cut to the whole",
            { { I, 1, 1, 0, 0, 50000, 0, 0, 50000 },
                    { O, 1, 1, 0, 10000, 51000, 0, 10000, 50000 },
                    { O, 1, 1, 1, 49000, 50500, 0, 49000, 50000 } } },
    { "an operator begins before the one before it has ended",
            { { I, 1, 1, 0, 0, 90000, 0, 0, 90000 },
                    { O, 1, 1, 0, 10000, 30000, 0, 10000, 30000 },
                    { O, 1, 1, 0, 25000, 40000, 0, 30000, 40000 },
                    { O, 1, 1, 0, 27000, 35000, 0, 30000, 35000 },
                    { O, 1, 1, 0, 50000, 60000, 0, 50000, 60000 } } },
    { "long before: beside it",
            { { I, 1, 1, 0, 0, 200000, 0, 0, 200000 },
                    { O, 1, 1, 0, 10000, 90000, 0, 10000, 90000 },
                    { O, 1, 1, 0, 25000, 140000, 1, 25000, 140000 } } },
    { "a microsecond of overlap, and more",
            { { I, 1, 1, 0, 0, 50000, 0, 0, 50000 },
                    { I, 1, 2, 0, 49000, 70000, 0, 50000, 70000 },
                    { I, 1, 3, 0, 68000, 90000, 1, 68000, 90000 } } },
    { "no time at all", { { I, 1, 1, 0, 0, 5000, 0, 0, 5000 },
                                { O, 1, 1, 0, 3000, 3000, 0, 3000, 3000 },
                                { O, 1, 1, 0, 3000, 5000, 0, 3000, 5000 } } },
};

static void check_case(size_t c)
{
    struct lanes *l = lanes_new();
    int before = test_failures;
    uint32_t tracks = 0;

    for (size_t i = 0; i < MOST && cases[c].span[i].end_ns; i++) {
        const struct placed *x = &cases[c].span[i];
        struct lane_place p =
                lanes_place(l, &(struct span){
                                       .kind = x->kind,
                                       .process = 1,
                                       .thread = x->thread,
                                       .start_ns = x->start_ns,
                                       .duration_ns = x->end_ns - x->start_ns,
                                       .inference = x->inference,
                                       .depth = x->depth,
                               });

        CHECK_INT(p.track, x->track);
        CHECK_INT(p.start_ns, x->at_ns);
        CHECK_INT(p.start_ns + p.duration_ns, x->until_ns);
        CHECK_INT(p.fresh, p.track == tracks);
        tracks += p.fresh;
        if (test_failures > before) {
            (void)fprintf(stderr, "%s: %zu\n", cases[c].what, i);
            break;
        }
    }
    lanes_free(l);
}

/* --- whatever comes ------------------------------------------------------- */

#define SPANS 400

struct open_lane {
    uint64_t end_ns[SPANS];
    size_t count;
};

static uint64_t state = 1;

static uint64_t any(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (state >> 33) % below;
}

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if ((x->kind == O) != (y->kind == O))
        return x->kind == O ? 1 : -1;
    return x->duration_ns > y->duration_ns   ? -1
           : x->duration_ns < y->duration_ns ? 1
                                             : 0;
}

/* Begins no earlier than what is on the track, and ends within what it begins
 * in: nothing else is asked of a track. */
static bool nests(struct open_lane *t, const struct lane_place *p)
{
    uint64_t end_ns = p->start_ns + p->duration_ns;

    while (t->count && t->end_ns[t->count - 1] <= p->start_ns)
        t->count--;
    if (t->count && t->end_ns[t->count - 1] < end_ns)
        return false;
    t->end_ns[t->count++] = end_ns;
    return true;
}

static void whatever(void)
{
    static struct open_lane lane[SPANS];
    struct span spans[SPANS];

    for (int round = 0; round < 300; round++) {
        struct lanes *l = lanes_new();
        uint64_t last_ns[SPANS] = { 0 };

        memset(lane, 0, sizeof(lane));
        for (size_t i = 0; i < SPANS; i++)
            spans[i] = (struct span){
                .kind = (enum span_kind)any(4),
                .process = 1,
                .thread = (uint32_t)any(2),
                .start_ns = any(2000000),
                .duration_ns = any(1 << any(20)),
                .inference = any(5),
                .depth = (uint32_t)any(3),
            };
        qsort(spans, SPANS, sizeof(spans[0]), by_start);
        for (size_t i = 0; i < SPANS; i++) {
            struct lane_place p = lanes_place(l, &spans[i]);

            CHECK(p.track < SPANS);
            CHECK(p.start_ns >= last_ns[p.track]);
            CHECK(nests(&lane[p.track], &p));
            CHECK(p.start_ns >= spans[i].start_ns &&
                    p.start_ns <= spans[i].start_ns + 20000);
            last_ns[p.track] = p.start_ns;
        }
        lanes_free(l);
    }
}

int main(void)
{
    for (size_t i = 0; i < LEN(cases); i++)
        check_case(i);
    whatever();
    lanes_free(NULL);
    return test_result();
}
