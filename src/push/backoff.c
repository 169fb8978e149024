#include "push/backoff.h"

uint64_t backoff_ms(unsigned failures, uint64_t asked_ms, double chance)
{
    uint64_t wait_ms = BACKOFF_LEAST_MS;

    while (--failures && wait_ms < BACKOFF_MOST_MS)
        wait_ms *= 2;
    if (wait_ms > BACKOFF_MOST_MS)
        wait_ms = BACKOFF_MOST_MS;
    wait_ms -= (uint64_t)(chance * (double)wait_ms / 2);
    if (asked_ms > BACKOFF_ASKED_MS)
        asked_ms = BACKOFF_ASKED_MS;
    return asked_ms > wait_ms ? asked_ms : wait_ms;
}
