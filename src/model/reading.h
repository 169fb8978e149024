/* reading.h -- a number that was read, with what it is about and how it was
 * had.  Only data.
 *
 * What could not be read has no reading; why not is an absence, said once.
 * Whole numbers (bytes, microjoules) are exact up to 2^53. */
#pragma once

#include "model/metric.h"

#include <stddef.h>
#include <stdint.h>

/* What a figure is about: the machine, a part of it, or something on it. */
enum subject_kind {
    SUBJECT_HOST,    /* number 0, name: the host's */
    SUBJECT_CORE,    /* number: of the logical CPU */
    SUBJECT_DEVICE,  /* name: "gpu0", "npu0" */
    SUBJECT_ZONE,    /* a part with a sensor of its own: "package-0", "edge" */
    SUBJECT_PROCESS, /* number: its pid */
    SUBJECT_THREAD,  /* number: its tid */
    SUBJECT_SESSION, /* number: its id, name: the path of its model */
    SUBJECT_KINDS
};

struct subject {
    enum subject_kind kind;
    uint32_t parent;    /* a thread's process, a zone's device, or the zone that
                         * includes a zone or device; 0: the host */
    uint64_t number;    /* pid, tid, CPU or index */
    uint64_t start_ns;  /* a process's or thread's, of mono_ns(); 0: not told.
                         * With the number it tells it from a later namesake */
    const char *name;   /* for people: "node", "NVIDIA GeForce RTX 4090" */
    const char *detail; /* command line, driver, PCI address; NULL: none */
    const char *source; /* the sampler that made it known */
};

/* How a value was had. */
enum reading_method {
    READING_MEASURED,    /* read from whoever counts it */
    READING_APPORTIONED, /* a measured whole, shared out by a stated key */
    READING_MODELLED,    /* computed from other things: an estimate */
    READING_METHODS
};

struct reading {
    uint64_t time_ns; /* of mono_ns(): when it was read */
    double value;     /* in the metric's unit */
    uint32_t subject; /* as subjects_add() numbered it */
    uint16_t metric;  /* enum metric_id */
    uint8_t method;   /* enum reading_method */
};

struct reading_list {
    const struct reading *items;
    size_t count;
};

/* A second of readings of one metric, for those who look at hours. */
struct rollup {
    uint64_t second; /* since the run's start; from there to the next */
    uint32_t subject;
    uint16_t metric; /* enum metric_id */
    uint64_t count;  /* of the readings */
    double min, mean, max;
};

/* A figure of a whole run. */
struct run_figure {
    enum metric_id metric;
    double value;
};

/* A subject as it is kept: with its number, and when it was gone. */
struct subject_entry {
    uint32_t id;
    uint64_t end_ns; /* 0: it goes on, or went on to the end */
    struct subject subject;
};

/* A metric that cannot be had of a subject, in a sentence that says why. */
struct absence_note {
    enum metric_id metric;
    uint32_t subject;
    const char *reason;
};

/* "process", "measured": for exports and for people. */
const char *subject_kind_name(enum subject_kind kind);
const char *reading_method_name(enum reading_method method);
