/* live_phase.h -- which phase a program was in, told while it still runs.
 *
 * Work is told of when it has ended, so a moment's phase is known some time
 * after it: when something ended behind it, and when it is as long ago as the
 * longest work took that ended so far (a second at least), because work around
 * it may go on.  Where that is true of all work, the answer is the one that the
 * stored samples of power get when the run has ended (run_energy.h): time goes
 * in steps of ENERGY_STEP_LEAST_NS from the run's start, and a step has the
 * phase of most of it.
 *
 * Times are nanoseconds since the run's start.  Memory is fixed. */
#pragma once

#include "model/phase.h"

#include <stdbool.h>

/* How far back is known: 409 s. */
#define LIVE_PHASE_STEPS 4096

/* Who has waited for so long will not get to know. */
#define LIVE_PHASE_WAIT_NS 30000000000ull

/* Starts zeroed. */
struct live_phase {
    struct live_phase_step {
        uint64_t number; /* from the run's start, from 1; 0: not used yet */
        uint64_t ns[PHASES];
    } steps[LIVE_PHASE_STEPS];
    uint64_t newest;     /* number of the last step that is known */
    uint64_t known_ns;   /* when the last work ended */
    uint64_t longest_ns; /* that work took */
    bool ended;
};

/* An inference, a section or the loading of a model has ended. */
void live_phase_add(struct live_phase *p, enum phase phase, uint64_t start_ns,
        uint64_t duration_ns);

/* No more comes: all is known. */
void live_phase_end(struct live_phase *p);

/* A phase or PHASE_IDLE; -EAGAIN: ask again later; -ENODATA: it will not be
 * known, as nothing ended for too long, or is forgotten. */
int live_phase_at(const struct live_phase *p, uint64_t time_ns,
        uint64_t now_ns);
