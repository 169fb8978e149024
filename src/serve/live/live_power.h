/* live_power.h -- the power of a machine as its sensors tell it: what /ws/
 * profiling says of a run that goes on.
 *
 * Sensors that overlap are added once (energy/zones.h).  Those that count
 * joules are asked how many in a tenth of a second.  Times are nanoseconds
 * since the run's start. */
#pragma once

#include "base/json.h"
#include "energy/zones.h"
#include "export/subject_book.h"

#define LIVE_POWER_SENSORS  64 /* more are left out, and so is their sum */
#define LIVE_POWER_STEP_NS  UINT64_C(100000000)
#define LIVE_POWER_WAIT_NS  UINT64_C(1000000000) /* for a counter to move */
#define LIVE_POWER_STALE_NS UINT64_C(5000000000)

/* Starts zeroed. */
struct live_power {
    struct power_sensor {
        uint32_t subject;
        bool counts; /* joules, the last of which were: */
        double joules;
        uint64_t joules_ns, first_ns;
        bool known;
        double watts;
        uint64_t time_ns;
        uint8_t method;
    } sensors[LIVE_POWER_SENSORS];
    size_t count;
    bool too_many;
    uint64_t newest_ns, told_ns;
};

/* A reading; what is not of energy is passed over. */
void live_power_take(struct live_power *p, const struct reading *r);

/* Adds the members of a power_sample, and says when it was.  False: none is
 * due, or the sum is not known. */
bool live_power_next(struct live_power *p, const struct subject_book *b,
        struct json *j, uint64_t *time_ns);
