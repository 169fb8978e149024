/* process_status.h -- /proc/PID/status, which is costly to make: peak memory,
 * affinity, context switches of a process with one thread.  For samplers. */
#pragma once

#include "sample/sampler.h"
#include "sample/targets.h"

void process_status_add(struct batch *out, const struct target *x);
