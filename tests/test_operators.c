#include "base/compiler.h"
#include "operator_runs.h"

struct parts {
    int64_t run, kernels, describing, control_flow, gaps, before, after;
};

/* Of all inferences of the session together; and they add up. */
static void check_account(int line, uint32_t session, uint64_t inferences,
        struct parts want)
{
    const struct operator_account *a = &got.accounts[session - 1];
    int before = test_failures;

    CHECK(session <= got.account_count);
    CHECK_INT(a->inferences, inferences);
    CHECK_US(a->run_ns, want.run);
    CHECK_US(a->kernels_ns, want.kernels);
    CHECK_US(a->describing_ns, want.describing);
    CHECK_US(a->control_flow_ns, want.control_flow);
    CHECK_US(a->gaps_ns, want.gaps);
    CHECK_US(a->before_ns, want.before);
    CHECK_US(a->after_ns, want.after);
    CHECK_US(a->kernels_ns + a->describing_ns + a->control_flow_ns +
                     a->gaps_ns + a->before_ns + a->after_ns,
            want.run);
    if (test_failures > before)
        (void)fprintf(stderr, "line %d\n", line);
}
#define ACCOUNT(session, inferences, ...) \
    check_account(__LINE__, session, inferences, (struct parts){ __VA_ARGS__ })

/* --- kernels that were seen ----------------------------------------------- */

static void bracketed(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 2);
    for (uint64_t i = 0; i < 3; i++) {
        n = inference(1, 1000 * i, 200, FLAG_SAMPLED);
        ran(n, 1, 0, 1000 * i + 22, 40, 25);
        ran(n, 2, 0, 1000 * i + 90, 30, 10);
        ran(n, 1, 0, 1000 * i + 130, 20, 12);
        (void)inference(1, 1000 * i + 500, 60 + i * i, 0);
    }
    read_back();
    CHECK_INT(got.count, 2);
    CHECK_INT(got.items[0].id, 1); /* the greatest first */
    CHECK_INT(by_id(1)->count, 6);
    CHECK_US(by_id(1)->kernel_ns, 3 * 37);
    CHECK_US(by_id(1)->raw_ns, 3 * 60);
    CHECK_INT(by_id(1)->method, OPERATOR_BRACKET);
    CHECK_INT(by_id(2)->count, 3);
    CHECK_US(by_id(2)->kernel_ns, 3 * 10);
    ACCOUNT(1, 3, 600, 141, 129, 0, 3 * (200 - 22 - 58 - 90), 66, 3 * 58);
    CHECK_INT(got.accounts[0].method, OPERATOR_BRACKET);
    CHECK_INT(got.accounts[0].plain_inferences, 3);
    CHECK_US(got.accounts[0].plain_median_ns, 61);
    CHECK(!got.accounts[0].overlapping);
    CHECK_INT(got.accounts[0].left_out, 0);
    end();
}

/* Part of a node's description lies before its kernel, and part behind it:
 * there is no less than nothing between nodes, before or after them. */
static void close_together(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 2);
    n = inference(1, 0, 100, FLAG_SAMPLED);
    ran(n, 1, 0, 12, 30, 20); /* from 7 to 37 */
    ran(n, 2, 0, 42, 25, 15); /* from 37 to 62 */
    read_back();
    ACCOUNT(1, 1, 100, 35, 20, 0, 0, 7, 38);
    end();

    begin();
    operators_of(1, 1, 1);
    n = inference(1, 0, 34, FLAG_SAMPLED);
    ran(n, 1, 0, 2, 40, 20);
    read_back();
    ACCOUNT(1, 1, 34, 20, 14, 0, 0, 0, 0);
    end();
}

/* --- nodes within nodes --------------------------------------------------- */

static void control_flow(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 5);
    n = inference(1, 0, 300, FLAG_SAMPLED);
    ran(n, 1, 0, 20, 20, 10); /* Conv */
    ran(n, 2, 1, 75, 20, 8);  /* in the If */
    ran(n, 3, 2, 110, 15, 5); /* in the Loop in it */
    ran(n, 3, 2, 130, 15, 5);
    ran(n, 4, 1, 105, 60, 50);  /* the Loop */
    ran(n, 5, 0, 70, 140, 120); /* the If */
    ran(n, 1, 0, 240, 20, 10);
    read_back();
    CHECK(!by_id(1)->contains && !by_id(2)->contains && !by_id(3)->contains);
    CHECK(by_id(4)->contains && by_id(5)->contains);
    CHECK_US(by_id(5)->kernel_ns, 120);

    /* Kernels: 10 + 8 + 5 + 5 + 10.  Describing: 10 + 12 + 10 + 10 + 10 + 20 +
     * 10.  Control flow: what is left of the If. */
    ACCOUNT(1, 1, 300, 38, 82, 120 - 8 - 5 - 5 - 12 - 10 - 10 - 10,
            300 - 20 - 50 - 180, 20, 50);
    end();
}

/* Nodes are 6 us apart, for their describing.  The If takes 4 us before its
 * first node and 3 us behind its last, the Loop in it 1 and 1. */
static void holds_others(uint64_t n, uint64_t at)
{
    ran(n, 1, 0, at, 9, 5);                  /* Conv */
    ran(n, 2, 1, at + 5 + 6 + 4 + 3, 12, 8); /* in the If: 18 */
    ran(n, 3, 2, at + 36, 9, 5);             /* in the Loop in it */
    ran(n, 3, 2, at + 47, 9, 5);
    ran(n, 4, 1, at + 32, 28, 24); /* the Loop: to 56 */
    ran(n, 5, 0, at + 11, 60, 51); /* the If: to 62 */
    ran(n, 1, 0, at + 68, 14, 10);
}

static void self_time(void)
{
    begin();
    operators_of(1, 1, 5);
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t n = inference(1, 1000 * i, 200, FLAG_SAMPLED);

        holds_others(n, 1000 * i + 20);
        (void)inference(1, 1000 * i + 300, 60, 0);
    }
    read_back();
    CHECK_US(by_id(5)->kernel_ns, 3 * 51);
    CHECK_US(by_id(5)->self_ns, 3 * (7 + 6 - 6));
    CHECK_US(by_id(4)->self_ns, 3 * (4 + 4 - 6));
    CHECK_US(by_id(3)->self_ns, 3 * 10);
    CHECK_US(got.accounts[0].typical_kernels_ns, 5 + 8 + 5 + 5 + 10);
    CHECK_US(got.accounts[0].typical_flow_ns, 9);
    CHECK_INT(got.items[0].id, 1); /* 15 us, by their own time */
    CHECK_INT(got.items[1].id, 3);
    CHECK_INT(got.items[4].id, 4);
    CHECK_INT(got.accounts[0].method, OPERATOR_BRACKET);
    end();

    /* Where not all were seen, nobody can tell. */
    begin();
    operators_of(1, 1, 5);

    uint64_t n = inference(1, 0, 200, FLAG_SAMPLED);

    ran(n, 2, 1, 30, 10, 0);
    ran(n, 5, 0, 20, 60, 50);
    ran(n, 1, 0, 90, 10, 5);
    read_back();
    CHECK(by_id(5)->contains);
    CHECK_US(by_id(5)->self_ns, 0);
    CHECK_US(got.accounts[0].typical_flow_ns, 0);
    end();
}

/* In parallel, the threads' nodes come in turns. */
static void side_by_side(void)
{
    uint64_t n;
    struct operator_run other = { .operator_id = 2,
        .thread = 2,
        .start_ns = 30000,
        .raw_ns = 40000,
        .kernel_ns = 20000,
        .bracketed = true };

    begin();
    operators_of(1, 1, 3);
    n = inference(1, 0, 200, FLAG_SAMPLED);
    other.inference = n;
    ran(n, 1, 1, 40, 10, 5);
    store_add_operator_run(store, &other);
    ran(n, 3, 0, 30, 60, 50);
    read_back();
    CHECK(!by_id(2)->contains); /* it only came behind it */
    CHECK(by_id(3)->contains);
    CHECK(got.accounts[0].overlapping);
    CHECK_US(got.accounts[0].kernels_ns, 25);
    end();
}

/* --- kernels that were not seen ------------------------------------------- */

/* Some were: the others are described for as long. */
static void some_seen(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 3);
    n = inference(1, 0, 300, FLAG_SAMPLED);
    ran(n, 1, 0, 20, 30, 20);
    ran(n, 2, 0, 100, 50, 0); /* never */
    ran(n, 3, 0, 200, 30, 18);
    n = inference(1, 1000, 300, FLAG_SAMPLED);
    ran(n, 1, 0, 1020, 28, 20);
    ran(n, 2, 0, 1100, 52, 0);
    ran(n, 3, 0, 1200, 40, 0); /* sometimes */
    read_back();
    CHECK_INT(by_id(2)->method, OPERATOR_CONSTANT);
    CHECK_US(got.accounts[0].describing_each_ns, 10); /* (10 + 8 + 12) / 3 */
    CHECK_US(by_id(2)->kernel_ns, 82);
    CHECK_INT(by_id(3)->method, OPERATOR_BRACKET);
    CHECK_US(by_id(3)->kernel_ns, 36); /* the mean of those that were seen */
    CHECK_INT(got.accounts[0].method, OPERATOR_CONSTANT);
    ACCOUNT(1, 2, 600, 158, 230 - 158, 0, 600 - 40 - 142 - 230, 40,
            (300 - 218) + (300 - 240));
    end();
}

/* None: then such that they fill an inference that was not looked into. */
static void none_seen(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 2);
    for (uint64_t i = 0; i < 2; i++) {
        n = inference(1, 1000 * i, 200, FLAG_SAMPLED | FLAG_BURST);
        ran(n, 1, 0, 1000 * i + 20, 50, 0);
        ran(n, 2, 0, 1000 * i + 100, 30, 0);
        (void)inference(1, 1000 * i + 500, 60, 0);
    }
    read_back();
    CHECK_US(got.accounts[0].describing_each_ns, 10);
    CHECK_US(by_id(1)->kernel_ns, 80);
    CHECK_US(by_id(2)->kernel_ns, 40);
    CHECK_INT(by_id(1)->method, OPERATOR_CONSTANT);
    CHECK_INT(got.accounts[0].method, OPERATOR_CONSTANT);
    ACCOUNT(1, 2, 400, 120, 40, 0, 400 - 40 - 140 - 160, 40, 140);
    end();
}

/* Nothing to compare with: ONNX Runtime's figure, and we say so. */
static void raw_figures(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 1);
    n = inference(1, 0, 200, FLAG_SAMPLED);
    ran(n, 1, 0, 20, 50, 0);
    read_back();
    CHECK_INT(by_id(1)->method, OPERATOR_RAW);
    CHECK_US(by_id(1)->kernel_ns, 50);
    CHECK_INT(got.accounts[0].method, OPERATOR_RAW);
    CHECK_INT(got.accounts[0].plain_inferences, 0);
    ACCOUNT(1, 1, 200, 50, 0, 0, 0, 20, 130);
    end();
}

/* --- which inferences count ----------------------------------------------- */

static void far_out(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 1);
    for (uint64_t i = 0; i < 8; i++) {
        bool slow = i == 5;

        n = inference(1, 10000 * i, slow ? 5000 : 100 + i % 2, FLAG_SAMPLED);
        ran(n, 1, 0, 10000 * i + 10, slow ? 4000 : 30, slow ? 3900 : 20);
        (void)inference(1, 10000 * i + 6000, 90, 0); /* finds cold caches */
        (void)inference(1, 10000 * i + 7000, i == 2 ? 900 : 50, 0);
    }
    read_back();
    CHECK_INT(got.accounts[0].left_out, 1);
    CHECK_INT(got.accounts[0].inferences, 7);
    CHECK_INT(got.accounts[0].plain_inferences, 8);
    CHECK_US(got.accounts[0].plain_median_ns, 50);
    CHECK_INT(by_id(1)->count, 7);
    CHECK_US(by_id(1)->kernel_ns, 140);
    end();
}

/* Failed ones, those of no session, and operators of no inference we know. */
static void not_counted(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 2);
    operators_of(0, 3, 1);
    n = inference(1, 0, 100, FLAG_SAMPLED | FLAG_FAILED);
    ran(n, 1, 0, 10, 30, 20);
    n = inference(0, 200, 100, FLAG_SAMPLED);
    ran(n, 3, 0, 210, 30, 20);
    (void)inference(1, 300, 100, FLAG_FAILED);
    ran(0, 1, 0, 400, 30, 20);
    ran(99, 1, 0, 400, 30, 20);
    n = inference(1, 400, 100, FLAG_SAMPLED);
    ran(n, 1, 0, 410, 30, 20);
    ran(n, 77, 0, 450, 30, 20); /* which was never described */
    read_back();
    CHECK_INT(by_id(1)->count, 1);
    CHECK_INT(by_id(2)->count, 0);
    CHECK_INT(got.accounts[0].plain_inferences, 0);
    ACCOUNT(1, 1, 100, 20, 10, 0, 0, 5, 65);
    end();
}

/* The node around them was lost: nobody knows where the time went. */
static void outer_lost(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 1);
    n = inference(1, 1000, 100, FLAG_SAMPLED);
    ran(n, 1, 1, 1010, 30, 20);
    n = inference(1, 2000, 100, FLAG_SAMPLED);
    ran(n, 1, 0, 2020, 30, 20);
    read_back();
    CHECK_INT(got.accounts[0].inferences, 1);
    CHECK_US(got.accounts[0].run_ns, 100);
    CHECK_US(got.accounts[0].before_ns, 15);
    CHECK_INT(by_id(1)->count, 1);
    CHECK_US(got.accounts[0].kernels_ns, 20);
    end();
}

static void sessions_apart(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 1);
    operators_of(3, 2, 1);
    n = inference(3, 0, 500, FLAG_SAMPLED);
    ran(n, 2, 0, 30, 150, 0);
    n = inference(1, 1000, 100, FLAG_SAMPLED);
    ran(n, 1, 0, 1010, 40, 30);
    (void)inference(1, 2000, 50, 0);
    (void)inference(2, 3000, 70, 0); /* never looked into */
    (void)inference(3, 4000, 130, 0);
    read_back();
    CHECK_INT(got.account_count, 3);
    ACCOUNT(1, 1, 100, 30, 10, 0, 0, 5, 55);
    CHECK_INT(got.accounts[1].inferences, 0);
    CHECK_INT(got.accounts[1].plain_inferences, 1);
    /* What describing costs in one says nothing of the other. */
    CHECK_US(got.accounts[2].describing_each_ns, 20);
    ACCOUNT(3, 1, 500, 130, 20, 0, 500 - 30 - 320 - 150, 30, 320);
    CHECK_INT(by_id(1)->method, OPERATOR_BRACKET);
    CHECK_INT(by_id(2)->method, OPERATOR_CONSTANT);
    end();
}

int main(void)
{
    bracketed();
    close_together();
    control_flow();
    self_time();
    side_by_side();
    some_seen();
    none_seen();
    raw_figures();
    far_out();
    not_counted();
    outer_lost();
    sessions_apart();
    return test_result();
}
