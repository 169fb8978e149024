/* process_status.h -- what is known of a process but dear to read: faults,
 * priority, peak memory, affinity, and the context switches of a process with
 * one thread.  For samplers. */
#pragma once

#include "sample/process/targets.h"
#include "sample/sampler.h"

/* Marks it ended when it is. */
void process_status_add(struct batch *out, struct targets *targets,
        struct target *x);
