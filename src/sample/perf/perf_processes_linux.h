/* perf_processes_linux.h -- perf counters of all targets: what the samplers of
 * software and of hardware counters share. */
#pragma once

#include "sample/process/attached.h"
#include "sample/sampler.h"

struct perf_kind {
    uint32_t type; /* PERF_TYPE_... */
    uint64_t config;
    enum metric_id metric;
};

struct perf_processes {
    struct targets *targets;
    struct subjects *subjects;
    const struct perf_kind *kinds;
    size_t count;
    bool kernel;                   /* count in the kernel, too */
    struct sample_context context; /* whose kernel is asked */
    uint32_t there; /* mask of the kinds that this machine counts */
    struct attached attached;
};

/* `kinds` are at most 16, and borrowed.  Says which of them are missing and
 * why; -ENODEV: all are. */
int perf_processes_open(struct perf_processes *p,
        const struct sample_context *c, const struct perf_kind *kinds,
        size_t count, bool kernel, struct error *e);
/* Adds what was counted since a target was met; with the share of the time
 * that its scarcest counter was counting, if that is wanted. */
void perf_processes_read(struct perf_processes *p, struct batch *out,
        bool with_share);
void perf_processes_close(struct perf_processes *p);
