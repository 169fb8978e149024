/* process_io.h -- what a process has read and written.  For samplers. */
#pragma once

#include "sample/process/targets.h"
#include "sample/sampler.h"

/* Returns 0 or a negative errno value: whether we may is asked at each read. */
int process_io_add(struct batch *out, const struct target *x);
