/* event_json.h -- what happened in a run, as JSON: the same in answers and in
 * messages.  Not for others. */
#pragma once

#include "analyse/finding/findings.h"
#include "base/json.h"
#include "model/alert.h"
#include "model/run.h"

struct event_of {
    const char *run_id;
    uint64_t start_wall_ns; /* of the run */
};

/* A mark; `number` counts the run's marks from 1. */
void event_mark_json(struct json *j, const struct event_of *r, uint64_t number,
        const struct note *n);

/* A session was made.  Not of one that was there before the meter: when that
 * was is not known. */
void event_load_json(struct json *j, const struct event_of *r,
        const struct session *s);

/* How much of a process was lost so far; 0: there is no such event. */
uint64_t event_lost(const struct process *p);
void event_lost_json(struct json *j, const struct event_of *r,
        const struct process *p);

/* An alert; `going`: it is not over, and the run goes on. */
void event_alert_json(struct json *j, const struct event_of *r,
        const struct alert *a, bool going);
/* The inference at `i` of the slow ones. */
void event_slow_json(struct json *j, const struct event_of *r,
        const struct findings *f, size_t i);
/* Adds to a uint64_t what changes when one is raised, and when it is over. */
void event_sum_alerts(void *sum, const struct alert *a);
