/* test_backoff.c -- pauses grow, within their limits. */
#include "push/backoff.h"

#include "test.h"

int main(void)
{
    uint64_t before = 0;

    CHECK_INT(backoff_ms(1, 0, 0), BACKOFF_LEAST_MS);
    CHECK_INT(backoff_ms(2, 0, 0), 2 * BACKOFF_LEAST_MS);
    CHECK_INT(backoff_ms(1, 0, 1), BACKOFF_LEAST_MS / 2);
    for (unsigned failures = 1; failures < 1000; failures++) {
        uint64_t most = backoff_ms(failures, 0, 0);
        uint64_t least = backoff_ms(failures, 0, 1);

        CHECK(most >= before && most <= BACKOFF_MOST_MS);
        CHECK(least >= most / 2 && least <= most);
        before = most;
    }
    CHECK_INT(before, BACKOFF_MOST_MS);
    CHECK_INT(backoff_ms(UINT32_MAX, 0, 0), BACKOFF_MOST_MS);

    /* A receiver that wants a longer pause gets it, up to a limit; a shorter
     * one changes nothing. */
    CHECK_INT(backoff_ms(1, 5000, 0.5), 5000);
    CHECK_INT(backoff_ms(1, UINT64_MAX, 0), BACKOFF_ASKED_MS);
    CHECK_INT(backoff_ms(5, 1, 0), backoff_ms(5, 0, 0));
    return test_result();
}
