/* usage.h -- what a run took of its machine, as it was sampled.
 *
 * All its processes together, second by second: a second counts what each of
 * them had on average in it. */
#pragma once

#include "base/error.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

/* A figure over the seconds of a run; count 0: it was not sampled. */
struct usage_range {
    uint64_t count; /* seconds */
    double min, mean, max;
    double first, last;
};

/* The sum of a counter's last values; `known` is false where no process told
 * it. */
struct usage_total {
    bool known;
    double value;
};

struct usage {
    uint64_t processes; /* that were sampled */
    uint64_t readings;  /* that the figures are made of */
    struct usage_range cpu_cores, rss_bytes;
    double most_cpu_cores; /* between two readings of one process */
    double most_rss_bytes; /* of one process */
    struct usage_total read_bytes, written_bytes, read_calls, write_calls,
            storage_read_bytes, storage_written_bytes;
    struct usage_total minor_faults, major_faults;
    struct usage_total voluntary_switches, involuntary_switches;
    struct usage_range threads;
    /* The memory of all processes early and late in the run, in means of a
     * fifth of its seconds each, without the first fifth; 0: it was too short
     * for that. */
    double early_rss_bytes, late_rss_bytes;
    struct usage_range host_busy; /* of all its cores: 1 is all of them */
};

/* Cores that the run kept busy on average: exact where the system told its CPU
 * time at the end, else as it was sampled.  False: not known. */
bool usage_mean_cores(double *out, const struct usage *u, const struct run *r);

/* The busiest second, as far as it was sampled: processes that live shorter
 * than it takes to look are not in it, but in the mean, which it is never
 * below. */
double usage_most_cores(const struct usage *u, const struct run *r);

int usage_read(struct usage *out, struct store *s, int64_t run,
        struct error *e);
