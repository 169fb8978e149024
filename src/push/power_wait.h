/* power_wait.h -- samples of power that wait until the phase they were taken in
 * is known, and then go out with it.
 *
 * Of each sensor the first sample of a tenth of a second is taken, in their
 * order.  Times are nanoseconds since the run's start. */
#pragma once

#include "energy/live_phase.h"
#include "export/subject_book.h"

/* That wait at a time; more are left out and counted. */
#define POWER_WAIT_MAX 4096

struct power_wait {
    struct live_phase phase; /* to be told of work */
    struct reading items[POWER_WAIT_MAX];
    size_t count;
    struct map next; /* of each sensor, the next tenth of a second to take */
    uint64_t cut;
};

/* Starts zeroed. */
void power_wait_release(struct power_wait *w);

/* A reading of power. */
void power_wait_take(struct power_wait *w, const struct reading *x);

/* Adds the samples until now whose phase is known, with the label `phase` and
 * their own time, and forgets them.  One whose phase will never be known goes
 * without. */
void power_wait_collect(struct power_wait *w, const struct subject_book *b,
        uint64_t now_ns, struct figure_list *out);
