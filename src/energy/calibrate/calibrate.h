/* calibrate.h -- measures what every sensor of a machine says while nothing is
 * done, and keeps it for the runs to come: idle.h, fed by the samplers.
 *
 * What was kept is found by calibration.h. */
#pragma once

#include "base/error.h"
#include "energy/calibrate/idle.h"
#include "sample/sampling.h"
#include "store/store.h"

struct calibrate_plan {
    const struct sampler *const *table; /* NULL: all of this machine */
    const char *root;                   /* "" or a recorded tree */
    struct baseline_rules rules;
    uint64_t (*now_ns)(void);
    void (*until)(uint64_t moment_ns);       /* waits, or not so long */
    bool (*stopped)(void);                   /* somebody wants it to end */
    void (*tell)(enum baseline_state state); /* about once a second */
};

struct calibrate;

/* -ENODEV: there is no sensor of energy; calibrate_sampling() tells of each
 * why. `out` is set then, too.  calibrate_close() in any case. */
int calibrate_open(struct calibrate **out, const struct calibrate_plan *plan,
        struct error *e);
void calibrate_close(struct calibrate *c); /* NULL is welcome */

/* Until it is done, the machine is found busy, or time is up.  -ENODEV: the
 * sensors that there are told neither joules nor watts, busy or not. */
int calibrate_measure(struct calibrate *c, enum baseline_state *state);

/* Writes a run with the tag "calibration", in which each sensor has its idle
 * watts. */
int calibrate_keep(const struct calibrate *c, struct store *s, struct error *e);

/* What was measured, and of what. */
const struct idle_meter *calibrate_idle(const struct calibrate *c);
const struct sampling *calibrate_sampling(const struct calibrate *c);
const struct subject *calibrate_subject(const struct calibrate *c, uint32_t id);
