/* etl_processes.h -- what the processes of a trace did, as subjects and
 * readings of a run.
 *
 * Each is a process of the run, and a subject whose counters are read ten times
 * a second of the trace, where they changed.  Only of those that are concerned
 * are seconds summed up, so that the run's figures are theirs. */
#pragma once

#include "base/map.h"
#include "etw/activity.h"
#include "store/store.h"

struct etl_processes;

/* `concerned` has the pids of the run's program, and is borrowed; none: all. */
struct etl_processes *etl_processes_new(struct store *s,
        const struct etw_info *info, const struct map *concerned);

/* In the order of their times. */
void etl_processes_take(struct etl_processes *x, const struct etw_record *r);

/* The run's number of the process that has this pid now. */
uint32_t etl_process_of(struct etl_processes *x, uint32_t pid);

/* Adds what is left, and says what the trace does not tell.  `last` is the time
 * of the last record. */
void etl_processes_end(struct etl_processes *x, int64_t last);

const struct etw_activity *etl_processes_activity(
        const struct etl_processes *x);

/* NULL is welcome. */
void etl_processes_free(struct etl_processes *x);
