/* zones.h -- which sensors are added up, so that nothing is counted twice.
 *
 * Sensors overlap: a package includes its cores and its built-in GPU, psys and
 * a battery include everything, and one counter may be offered by two drivers.
 * Only those that are `counted` are ever summed.
 *
 *     meter           all others are inside it: who connects one wants it
 *     package, DRAM,
 *     GPU, NPU        counted, unless inside of another or built into a package
 *     cores, uncore   inside their package
 *     psys, battery   counted only where there is nothing else: shown beside */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum zone_part {
    ZONE_CPU,
    ZONE_GPU,
    ZONE_NPU,
    ZONE_DRAM,
    ZONE_OTHER,
    ZONE_WHOLE, /* the machine: psys, battery */
    ZONE_METER, /* outside of it */
    ZONE_PARTS
};

enum zone_role {
    ZONE_COUNTED,
    ZONE_INSIDE, /* of another, which has it */
    ZONE_AGAIN,  /* the same as another, from elsewhere */
    ZONE_BESIDE, /* includes others that are counted */
};

struct energy_zone {
    uint32_t subject;
    uint32_t parent; /* subject that includes it; 0: none is known */
    enum zone_part part;
    const char *name; /* "package-0"; NULL: it has none, and is like no other */
    const char *source; /* the sampler */
    bool built_in;      /* a GPU or NPU in the package of a CPU */
    bool has_joules;    /* it counts; else it tells watts */

    /* Set by zones_plan(). */
    enum zone_role role;
    uint32_t of; /* subject that it is inside of, or again; 0: none */
};

void zones_plan(struct energy_zone *zones, size_t count);

/* What a sensor of RAPL, powermetrics or the like measures, by its name, or
 * what is behind the last '/' of it: "package-0", "package-0/dram", "psys",
 * "gpu0", "ane"; NULL is ZONE_OTHER. */
enum zone_part zone_part_of(const char *name);

/* "cpu", "gpu", "npu", "dram", "other", "machine", "meter". */
const char *zone_part_name(enum zone_part part);
const char *zone_role_name(enum zone_role role);
