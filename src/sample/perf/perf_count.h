/* perf_count.h -- what a counter of perf_event_open(2) says. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* As read(2) gives it. */
struct perf_count {
    uint64_t value;
    uint64_t enabled_ns; /* that it was to count, */
    uint64_t running_ns; /* and that it did: counters are few and take turns */
};

void perf_count_add(struct perf_count *sum, const struct perf_count *part);

/* The count, scaled up to the whole time.  False: it never had its turn. */
bool perf_count_whole(double *out, const struct perf_count *c);

/* From 0 to 1; 1 when there was nothing to count. */
double perf_count_share(const struct perf_count *c);

/* An event of a device as sysfs writes it, "event=0x04,umask=0x03": the two
 * terms that devices of Intel have.  -EINVAL: another term, or no number. */
int perf_terms_parse(uint64_t *config, struct str text);
