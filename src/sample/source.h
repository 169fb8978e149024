/* source.h -- where figures can come from on a machine, and whether they do:
 * the few sources that are no samplers, and every sampler.
 *
 * A source is there, or absent, or there but not for us; one that is not
 * available says why, and what to do about it where something can be done.
 * Looking changes nothing. */
#pragma once

#include "base/error.h"
#include "sample/sampling.h"

#include <stdbool.h>
#include <stddef.h>

#define SOURCES_MAX (SAMPLING_SOURCES_MAX + 8)

enum source_state {
    SOURCE_AVAILABLE,
    SOURCE_ABSENT, /* the machine does not have it, or not as it is set up */
    SOURCE_DENIED, /* it is there, but we may not read it */
};

struct source_status {
    const char *name;  /* "rapl-powercap": stable, for scripts */
    const char *gives; /* which figures, in words */
    enum source_state state;
    char detail[256];    /* available: where it is, or what it has */
    struct error why;    /* not available: why, and what to do about it */
    double hz, most_hz;  /* of a sampler: how often it is read; else 0 */
    bool measures_power; /* of a sampler: joules or watts came from it */
};

struct source_context {
    const char *root; /* "", or a folder with a recorded /proc and /sys */
    const char *hook; /* the library for other processes; "": not found */
    const struct host_info *host;
    int (*perf_open)(struct perf_event_attr *attr, int pid, int cpu);
};

/* "available", "absent", "denied". */
const char *source_state_name(enum source_state state);

/* All sources, in the order of being shown; returns how many there are.
 * `first` are the readings of everything in `s`, which may be NULL: then there
 * are no samplers. */
size_t source_list(struct source_status out[SOURCES_MAX],
        const struct source_context *context, struct sampling *s,
        const struct batch *first);

/* For source_list(): a source that is no sampler.  0 and the detail, -ENODEV or
 * -EACCES and the reason. */
struct source_probe {
    const char *name, *gives;
    int (*look)(char *detail, size_t cap, const struct source_context *c,
            struct error *e);
};

/* Of this OS; ends with NULL names. */
extern const struct source_probe source_probes[];
