/* test_operators_fit.c -- kernels against the inference that was not looked
 * into. */
#include "base/compiler.h"
#include "operator_runs.h"

/* Nodes of those lengths, all seen, in an inference that takes `plain_us`
 * otherwise. */
static void seen_against(uint64_t plain_us, const uint64_t *kernel_us,
        uint32_t count, uint64_t describing_us)
{
    uint64_t n, at = 0;

    begin();
    operators_of(1, 1, count);
    n = inference(1, 0, 1000000, FLAG_SAMPLED);
    for (uint32_t i = 0; i < count; i++) {
        ran(n, i + 1, 0, at += 10000, kernel_us[i] + describing_us,
                describing_us ? 0 : kernel_us[i]);
    }
    (void)inference(1, 2000000, plain_us, 0);
    read_back();
}

/* Kernels that seem a little too long stay as they were seen.  Far too long
 * cannot be: they are made to fit, and that is said. */
static void slowed(void)
{
    static const uint64_t two[] = { 1000, 2000 };
    static const uint64_t seven[] = { 1, 10, 100, 1000, 333, 77, 7 };

    for (uint64_t plain_us = 2950; plain_us <= 4500; plain_us += 300) {
        seen_against(plain_us, two, 2, 0);
        CHECK_US(got.accounts[0].plain_median_ns, (int64_t)plain_us);
        CHECK_US(got.accounts[0].typical_kernels_ns, 3000);
        CHECK_US(got.accounts[0].kernels_ns, 3000);
        CHECK_US(by_id(2)->kernel_ns, 2000);
        CHECK_INT(got.accounts[0].method, OPERATOR_BRACKET);
        end();
    }

    seen_against(2000, two, 2, 0);
    CHECK_US(got.accounts[0].seen_ns, 3000);
    CHECK_US(got.accounts[0].typical_kernels_ns, 2000);
    CHECK_US(got.accounts[0].kernels_ns, 2000);
    CHECK_US(got.accounts[0].describing_ns, 1000);
    CHECK_US(by_id(1)->kernel_ns, 500);
    CHECK_US(by_id(2)->kernel_ns, 1500);
    CHECK_INT(by_id(1)->method, OPERATOR_FITTED);
    CHECK_INT(got.accounts[0].method, OPERATOR_FITTED);
    end();

    /* No kernel gives more than half of what it took, */
    seen_against(1200, seven, 7, 0);
    CHECK_US(got.accounts[0].kernels_ns, 1200);
    CHECK_INT(llround(by_id(1)->kernel_ns), 500);
    CHECK_INT(llround(by_id(7)->kernel_ns), 3500);
    CHECK_US(by_id(4)->kernel_ns - by_id(5)->kernel_ns, 667);
    end();

    /* unless all of them do. */
    seen_against(300, two, 2, 0);
    CHECK_US(by_id(1)->kernel_ns, 100);
    CHECK_US(by_id(2)->kernel_ns, 200);
    end();

    /* Where none was seen, describing is what makes them fit. */
    for (uint64_t plain_us = 1528; plain_us < 1570; plain_us += 6) {
        seen_against(plain_us, seven, 7, 70);
        CHECK_US(got.accounts[0].kernels_ns, (int64_t)plain_us);
        CHECK_US(got.accounts[0].typical_kernels_ns, (int64_t)plain_us);
        end();
    }
}

/* The kernels that are compared with the median are those of the median
 * inference; those of one that was left out count nowhere, but are known. */
static void typical(void)
{
    static const uint64_t took_us[] = { 10, 11, 12, 12, 13, 40, 41, 900 };
    uint64_t n;

    begin();
    operators_of(1, 1, 2);
    for (size_t i = 0; i < LEN(took_us); i++) {
        n = inference(1, 1000 * i, i == 7 ? 1000 : 60, FLAG_SAMPLED);
        ran(n, i == 7 ? 2 : 1, 0, 1000 * i + 1, took_us[i] + 2, took_us[i]);
    }
    (void)inference(1, 100000, 14, 0);
    (void)inference(1, 101000, 14, 0);
    read_back();
    CHECK_US(got.accounts[0].typical_kernels_ns, 12);
    CHECK_US(got.accounts[0].kernels_ns, 139);
    CHECK_INT(got.accounts[0].left_out, 1);
    CHECK_INT(by_id(1)->count, 7);
    CHECK_INT(by_id(1)->left_out, 0);
    CHECK_INT(by_id(2)->count, 0);
    CHECK_INT(by_id(2)->left_out, 1);
    end();
}

/* A machine that becomes half as fast: each is compared with its neighbours. */
static void changing_speed(void)
{
    uint64_t at = 0;

    begin();
    operators_of(1, 1, 1);
    for (int i = 0; i < 90; i++) {
        uint64_t slow = i < 44 ? 1 : 2;

        at += 1000;
        if (i % 44 == 20) {
            uint64_t n = inference(1, at, 300, FLAG_SAMPLED);

            ran(n, 1, 0, at + 1, 50 * slow + 9, 50 * slow);
        } else {
            (void)inference(1, at, 60 * slow, 0);
        }
    }
    read_back();
    CHECK_US(got.accounts[0].plain_median_ns, 120);
    CHECK_US(got.accounts[0].typical_kernels_ns, 100);
    CHECK_US(by_id(1)->kernel_ns, 150);
    CHECK_INT(got.accounts[0].method, OPERATOR_BRACKET);
    end();
}

int main(void)
{
    slowed();
    typical();
    changing_speed();
    return test_result();
}
