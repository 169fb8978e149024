/* test_live_phase.c -- the phase of a moment: known when it can be, and the one
 * that most of its tenth of a second was spent in. */
#include "energy/live_phase.h"

#include "energy/account.h"
#include "test.h"

#include <errno.h>

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

static struct live_phase p;

static void start(void)
{
    p = (struct live_phase){ 0 };
}

static void work(enum phase phase, uint64_t start_ms, uint64_t end_ms)
{
    live_phase_add(&p, phase, start_ms * MS, (end_ms - start_ms) * MS);
}

static int at(uint64_t time_ms, uint64_t now_ms)
{
    return live_phase_at(&p, time_ms * MS, now_ms * MS);
}

static void most_of_a_step(void)
{
    start();
    work(PHASE_PRE, 90, 105);
    work(PHASE_PREFILL, 105, 160);
    work(PHASE_DECODE, 160, 201);
    work(PHASE_DECODE, 410, 420);
    work(PHASE_OTHER, 420, 430);
    work(PHASE_POST, 799, 800);
    live_phase_end(&p);
    CHECK_INT(at(0, 900), PHASE_PRE);
    CHECK_INT(at(99, 900), PHASE_PRE);
    CHECK_INT(at(100, 900), PHASE_PREFILL);
    CHECK_INT(at(199, 900), PHASE_PREFILL);
    CHECK_INT(at(200, 900), PHASE_DECODE);
    CHECK_INT(at(300, 900), PHASE_IDLE);
    /* Of equals the first, as with the stored ones. */
    CHECK_INT(at(400, 900), PHASE_OTHER);
    CHECK_INT(at(700, 900), PHASE_POST);
    /* It ended right there. */
    CHECK_INT(at(800, 900), PHASE_IDLE);
}

/* A long inference beside short ones counts, though it is told of last. */
static void when_it_is_known(void)
{
    start();
    CHECK_INT(at(0, 50), -EAGAIN);
    CHECK_INT(at(0, 30099), -EAGAIN);
    CHECK_INT(at(0, 30100), -ENODATA);
    work(PHASE_DECODE, 10, 310);
    /* Something ended behind it; and others get a second to end. */
    CHECK_INT(at(200, 1299), -EAGAIN);
    CHECK_INT(at(200, 1300), PHASE_DECODE);
    CHECK_INT(at(299, 1300), PHASE_DECODE);
    CHECK_INT(at(300, 5000), -EAGAIN);
    CHECK_INT(at(300, 30400), -ENODATA);
    /* Or as long as the longest took so far. */
    work(PHASE_PREFILL, 300, 4300);
    CHECK_INT(at(350, 4399), -EAGAIN);
    CHECK_INT(at(350, 4400), PHASE_PREFILL);
    CHECK_INT(at(4350, 9000), -EAGAIN);
    live_phase_end(&p);
    CHECK_INT(at(4350, 4351), PHASE_IDLE);
    CHECK_INT(at(4250, 4351), PHASE_PREFILL);
}

static void memory_is_fixed(void)
{
    const uint64_t step_ms = ENERGY_STEP_LEAST_NS / MS;
    const uint64_t far = 3 * LIVE_PHASE_STEPS * step_ms;

    start();
    work(PHASE_PREFILL, 0, 1000);
    work(PHASE_DECODE, far, far + step_ms);
    CHECK_INT(at(500, far + 10000), -ENODATA);
    /* The places of those before it are used again, empty. */
    CHECK_INT(at(far - 1, far + 10000), PHASE_IDLE);
    CHECK_INT(at(far, far + 10000), PHASE_DECODE);
    /* What began before all that is remembered, and ends now. */
    work(PHASE_OTHER, 1, far + step_ms);
    CHECK_INT(at(far - (LIVE_PHASE_STEPS - 1) * step_ms, 2 * far), PHASE_OTHER);
    CHECK_INT(at(far - LIVE_PHASE_STEPS * step_ms, 2 * far), -ENODATA);
    /* Nonsense is not counted. */
    live_phase_add(&p, PHASE_POST, UINT64_MAX - 5, 10);
    live_phase_add(&p, (enum phase)77, far * MS, 10 * S);
    CHECK_INT(at(far, 2 * far), PHASE_OTHER);
    live_phase_add(&p, PHASE_POST, UINT64_MAX - 5, 5);
    CHECK_INT(at(far, 2 * far), -ENODATA);
}

int main(void)
{
    most_of_a_step();
    when_it_is_known();
    memory_is_fixed();
    return test_result();
}
