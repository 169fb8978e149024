#include "os/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;

    (void)clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t mono_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

uint64_t own_cpu_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t thread_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
