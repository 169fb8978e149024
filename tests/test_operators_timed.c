/* test_operators_timed.c -- inferences whose kernels were timed, beside others
 * that ONNX Runtime described. */
#include "operator_runs.h"

#define TIMED (FLAG_SAMPLED | FLAG_TIMED)

static void timed(uint64_t number, uint32_t id, uint32_t depth,
        uint64_t start_us, uint64_t kernel_us)
{
    store_add_operator_run(store, &(struct operator_run){ .inference = number,
                                          .operator_id = id,
                                          .thread = 1,
                                          .depth = depth,
                                          .start_ns = start_us * 1000,
                                          .raw_unknown = true,
                                          .kernel_ns = kernel_us * 1000,
                                          .bracketed = true });
}

/* Two operators, and an inference of 100 us that was described. */
static void begin_described(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 2);
    n = inference(1, 0, 100, FLAG_SAMPLED);
    ran(n, 1, 0, 10, 30, 16);
    ran(n, 2, 0, 50, 40, 22);
}

static double parts_of(const struct operator_account *a)
{
    return a->kernels_ns + a->describing_ns + a->control_flow_ns + a->gaps_ns +
           a->before_ns + a->after_ns;
}

/* What was timed is believed; what ONNX Runtime says is known from the others,
 * and holds for all. */
static void timed_is_believed(void)
{
    uint64_t n;

    begin_described();
    for (uint64_t i = 1; i <= 3; i++) {
        n = inference(1, 1000 * i, 40, TIMED);
        timed(n, 1, 0, 1000 * i + 5, 10);
        timed(n, 2, 0, 1000 * i + 18, 20);
    }
    (void)inference(1, 5000, 36, 0);
    read_back();

    const struct operator_account *a = &got.accounts[0];

    CHECK_INT(a->inferences, 4);
    CHECK_INT(a->timed, 3);
    CHECK_INT(a->method, OPERATOR_TIMED);
    CHECK_INT(by_id(1)->count, 4);
    CHECK_INT(by_id(1)->timed, 3);
    CHECK_INT(by_id(1)->method, OPERATOR_TIMED);
    CHECK_US(by_id(1)->kernel_ns, 40);
    CHECK_US(by_id(2)->kernel_ns, 80);
    CHECK_US(by_id(1)->raw_ns, 120);
    CHECK_US(by_id(2)->raw_ns, 160);
    CHECK_US(a->typical_kernels_ns, 30);
    /* In the one that was described: 32 of it, and 8 that the kernels took
     * longer. */
    CHECK_US(a->describing_ns, 40);
    CHECK_US(a->control_flow_ns, 0);
    CHECK_US(a->run_ns, 220);
    CHECK_US(parts_of(a), 220);
    end();
}

/* They stay as they were seen, whatever that comes to. */
static void never_fitted(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 1);
    n = inference(1, 0, 100, FLAG_SAMPLED);
    ran(n, 1, 0, 10, 90, 80);
    n = inference(1, 1000, 70, TIMED);
    timed(n, 1, 0, 1010, 60);
    (void)inference(1, 2000, 50, 0);
    read_back();
    CHECK_US(got.accounts[0].typical_kernels_ns, 60);
    CHECK_US(got.accounts[0].seen_ns, 0);
    CHECK_INT(got.accounts[0].method, OPERATOR_TIMED);
    end();
}

/* An operator of which only a description is known has that. */
static void some_described(void)
{
    uint64_t n;

    begin_described();
    n = inference(1, 1000, 40, TIMED);
    timed(n, 1, 0, 1005, 10);
    read_back();
    CHECK_US(by_id(2)->kernel_ns, 22);
    CHECK_INT(by_id(2)->method, OPERATOR_BRACKET);
    CHECK_INT(got.accounts[0].method, OPERATOR_BRACKET);
    CHECK_US(parts_of(&got.accounts[0]), 140);
    end();
}

/* What an If takes itself is its kernel, less those in it. */
static void control_flow(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 4);
    n = inference(1, 0, 100, TIMED);
    timed(n, 1, 0, 2, 8);
    timed(n, 2, 1, 20, 10);
    timed(n, 3, 1, 35, 20);
    timed(n, 4, 0, 15, 50);
    (void)inference(1, 2000, 90, 0);
    read_back();
    CHECK_US(by_id(4)->self_ns, 20);
    CHECK_US(by_id(4)->kernel_ns, 50);
    CHECK_US(got.accounts[0].typical_flow_ns, 20);
    CHECK_US(got.accounts[0].typical_kernels_ns, 38);
    CHECK_US(got.accounts[0].control_flow_ns, 20);
    CHECK_US(parts_of(&got.accounts[0]), 100);
    end();
}

/* Those described are slower than those timed, but no outliers among their
 * like. */
static void outliers_apart(void)
{
    begin();
    operators_of(1, 1, 1);
    for (uint64_t i = 0; i < 24; i++) {
        bool described = i % 8 == 0;
        uint64_t at = 1000 * i, took = described ? 500 : i == 13 ? 90 : 50;
        uint64_t n = inference(1, at, took, described ? FLAG_SAMPLED : TIMED);

        if (described)
            ran(n, 1, 0, at + 10, 400, 60);
        else
            timed(n, 1, 0, at + 5, 40);
    }
    read_back();
    CHECK_INT(got.accounts[0].left_out, 1);
    CHECK_INT(got.accounts[0].inferences, 23);
    CHECK_INT(got.accounts[0].timed, 20);
    CHECK_INT(by_id(1)->left_out, 1);
    end();
}

/* An inference right after one that was described finds the caches cold; after
 * one that was timed it does not. */
static void after_timed(void)
{
    uint64_t n;

    begin();
    operators_of(1, 1, 1);
    n = inference(1, 0, 500, FLAG_SAMPLED);
    ran(n, 1, 0, 10, 400, 60);
    (void)inference(1, 1000, 80, 0);
    for (uint64_t i = 2; i < 6; i += 2) {
        n = inference(1, 1000 * i, 52, TIMED);
        timed(n, 1, 0, 1000 * i + 5, 40);
        (void)inference(1, 1000 * i + 1000, 50, 0);
    }
    read_back();
    CHECK_INT(got.accounts[0].plain_inferences, 2);
    CHECK_US(got.accounts[0].plain_median_ns, 50);
    end();
}

int main(void)
{
    timed_is_believed();
    never_fitted();
    some_described();
    control_flow();
    outliers_apart();
    after_timed();
    return test_result();
}
