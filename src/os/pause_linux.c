#include "os/pause.h"

#include "os/clock.h"

#include <errno.h>
#include <time.h>

/* The kernel's timer slack is 50 us; waking up takes some more. */
#define AWAKE_NS 150000

void pause_until(uint64_t mono_moment_ns)
{
    uint64_t now_ns = mono_ns();

    if (now_ns + AWAKE_NS < mono_moment_ns) {
        uint64_t wake_ns = mono_moment_ns - AWAKE_NS;
        struct timespec t = {
            .tv_sec = (time_t)(wake_ns / 1000000000),
            .tv_nsec = (long)(wake_ns % 1000000000),
        };

        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) ==
                EINTR)
            ;
    }
    while (mono_ns() < mono_moment_ns)
        ;
}
