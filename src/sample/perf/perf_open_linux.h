/* perf_open_linux.h -- the one way to a counter of the kernel's. */
#pragma once

#include "base/error.h"
#include "sample/sampler.h"

#include <linux/perf_event.h>

/* As perf_event_open(2): a file, or a negative errno value.  `c` may be NULL;
 * a test's context brings a kernel of its own. */
int perf_open(const struct sample_context *c, struct perf_event_attr *attr,
        int pid, int cpu);

/* Why the kernel refused with `rc`: returns -ENODEV or -EACCES.  `level` is the
 * highest kernel.perf_event_paranoid that allows it. */
int perf_refused(struct error *e, const struct sample_context *c, int rc,
        int level);
