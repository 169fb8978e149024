#include "analyse/schedule.h"

#include <math.h>

/* Whole numbers up to here are exact in a double. */
#define EXACT 9007199254740992.0

uint64_t schedule_moment(const struct request_schedule *s, uint64_t n)
{
    double after_ns = (double)n * 1e9 / s->per_s;

    /* Beyond a hundred days nobody waits for it. */
    return s->start_ns + (uint64_t)(after_ns < EXACT ? after_ns + 0.5 : EXACT);
}

uint64_t schedule_count(const struct request_schedule *s, uint64_t duration_ns)
{
    double count = ceil((double)duration_ns * s->per_s / 1e9);

    return count < EXACT ? (uint64_t)count : (uint64_t)EXACT;
}
