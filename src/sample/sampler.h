/* sampler.h -- the contract of everything that is read again and again.
 *
 * A sampler is a constant table of functions and the size of its state, which
 * whoever drives it allocates zeroed, once.  read() allocates nothing (but for
 * a subject that just appeared), waits for nothing and wakes no device.  All
 * paths begin with a root, "" or a recorded tree, so that tests can replay any
 * machine.  A sampler is driven by one thread. */
#pragma once

#include "base/error.h"
#include "model/reading.h"
#include "sample/subjects.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the reads of one tick gave.  The memory is the driver's. */
struct batch {
    struct reading *items;
    size_t count, cap;
    uint64_t dropped; /* readings that found no room: a mistake of ours */
    uint64_t time_ns; /* of mono_ns(): when the tick began */
};

/* Adds a reading of the moment `time_ns`.  What is no number is no reading. */
static inline void batch_add_at(struct batch *b, uint64_t time_ns,
        enum metric_id metric, uint32_t subject, double value)
{
    if (!isfinite(value))
        return;
    if (b->count == b->cap) {
        b->dropped++;
        return;
    }
    b->items[b->count++] = (struct reading){
        .time_ns = time_ns,
        .value = value,
        .subject = subject,
        .metric = (uint16_t)metric,
        .method = READING_MEASURED,
    };
}

static inline void batch_add(struct batch *b, enum metric_id metric,
        uint32_t subject, double value)
{
    batch_add_at(b, b->time_ns, metric, subject, value);
}

/* The same for a value that its source itself computed from others. */
static inline void batch_add_modelled(struct batch *b, enum metric_id metric,
        uint32_t subject, double value)
{
    size_t before = b->count;

    batch_add(b, metric, subject, value);
    if (b->count > before)
        b->items[before].method = READING_MODELLED;
}

struct host_info;       /* model/host.h: the machine */
struct perf_event_attr; /* Linux: perf/perf_open_linux.h */
struct targets; /* sample/process/targets.h: the processes that are looked at */

struct sample_context {
    const char *root; /* "" or a folder with a recorded /proc, /sys */
    const struct host_info *host; /* while it is opened; NULL: read it */
    struct subjects *subjects;    /* for what is found, and what is not */
    struct targets *targets;      /* NULL: no process is looked at */
    bool costly; /* also what costs much: PSS, sockets, threads */
    /* Of a test: stands for perf_event_open(2).  NULL: the kernel's own. */
    int (*perf_open)(struct perf_event_attr *attr, int pid, int cpu);
};

/* "; this is a virtual machine", which explains much, or "". */
const char *sampler_where(const struct sample_context *c);

struct sampler {
    const char *name;  /* "nvml": on the command line and in the store */
    const char *about; /* one line for `doctor` */
    size_t state_size; /* of the zeroed state that every call is given */
    double default_hz; /* how often it is read unless told otherwise, */
    double most_hz;    /* and the rate above which nothing new is seen */

    /* Finds the source, adds its subjects, and says which metrics are missing.
     * -ENODEV: this machine has none, which is no fault.  -EACCES: we may not.
     * `e` says why, in a sentence, and what to do about it; `doctor` prints
     * it. */
    int (*open)(void *state, const struct sample_context *c, struct error *e);
    /* Adds what can be read now; what cannot be read is not added. */
    void (*read)(void *state, struct batch *out);
    /* Called once, also after a failed open(). */
    void (*close)(void *state);
};

/* Ends with NULL; in the order of being read. */
extern const struct sampler *const sampler_table[];
