#include "os/process/pause.h"

#include "os/clock.h"

#include <errno.h>
#include <sys/prctl.h>
#include <time.h>

/* The kernel's timer slack is 50 us; waking up takes some more. */
#define AWAKE_NS 150000

bool sleep_until(uint64_t mono_moment_ns)
{
    struct timespec t = {
        .tv_sec = (time_t)(mono_moment_ns / 1000000000),
        .tv_nsec = (long)(mono_moment_ns % 1000000000),
    };

    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != EINTR;
}

/* The slack is 50 us otherwise, so that wake-ups can be put together. */
void sleep_sharply(void)
{
    (void)prctl(PR_SET_TIMERSLACK, 1UL);
}

void pause_until(uint64_t mono_moment_ns)
{
    uint64_t now_ns = mono_ns();

    if (now_ns + AWAKE_NS < mono_moment_ns) {
        while (!sleep_until(mono_moment_ns - AWAKE_NS))
            ;
    }
    while (mono_ns() < mono_moment_ns)
        ;
}
