/* source.h -- where figures can come from on a machine, and whether they do.
 *
 * A source is there, or absent, or there but not for us; what is not available
 * says why, and what to do about it where something can be done.  Looking is
 * cheap and changes nothing: no device is woken, no library is started that
 * leaves something behind.  Whether this version of ortmeter reads a source is
 * a separate matter: `used`. */
#pragma once

#include "model/host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCES_MAX 32

enum source_state {
    SOURCE_AVAILABLE,
    SOURCE_ABSENT, /* the machine does not have it, or not as it is set up */
    SOURCE_DENIED, /* it is there, but we may not read it */
};

struct source {
    const char *name;  /* "rapl-powercap": stable, for scripts */
    const char *gives; /* which figures, in words */
    bool used;         /* by this version */
    enum source_state state;
    char detail[256]; /* available: where it is and what it has */
    char reason[192]; /* not available: why */
    char remedy[192]; /* what to do; "": nothing can be done */
};

/* An event as perf_event_open(2) knows it. */
struct source_event {
    uint32_t type;
    uint64_t config;
    bool switches; /* record context switches */
    bool kernel;   /* count in the kernel, too */
    int cpu;       /* -1: our own process on any CPU */
};

struct source_context {
    const char *root; /* "", or a folder with a recorded /proc and /sys */
    const char *hook; /* the library for other processes; "": not found */
    const struct host_info *host;
    /* Opens and closes an event: 0 or a negative errno value.  NULL: the
     * kernel's; tests put their own here. */
    int (*open_event)(const struct source_event *event);
};

/* "available", "absent", "denied". */
const char *source_state_name(enum source_state state);

/* Looks at all sources, in the order to show them in.  Returns how many there
 * are. */
size_t source_probe(struct source out[SOURCES_MAX],
        const struct source_context *context);
