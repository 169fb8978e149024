/* idle.h -- the idle watts of every sensor at once: baseline.h for each, fed
 * from readings.  Time is that of the readings. */
#pragma once

#include "energy/baseline.h"
#include "model/reading.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idle_meter;

struct idle_meter *idle_new(const struct baseline_rules *rules,
        uint64_t now_ns);
void idle_free(struct idle_meter *m);

/* Readings that do not bear on it are passed over. */
void idle_take(struct idle_meter *m, const struct reading *r);

/* About once a second: judges what came since the last time.  Busy or unsteady
 * as soon as one sensor is; done when all are.  Without a sensor there is
 * nothing to wait for, and it is unsteady in the end. */
enum baseline_state idle_tick(struct idle_meter *m, uint64_t now_ns);

struct idle_sensor {
    uint32_t subject;
    double watts, error_watts;
    uint64_t settled_ns;
};

size_t idle_count(const struct idle_meter *m);
struct idle_sensor idle_at(const struct idle_meter *m, size_t i);
/* Whether any of them told of energy: virtual machines have counters that stand
 * still. */
bool idle_tells(const struct idle_meter *m);
/* Share of the CPU time that was in use, in the mean. */
double idle_busy(const struct idle_meter *m);
