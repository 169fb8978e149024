/* share_key.h -- by what the energy of a stretch of time is shared among the
 * work in it. */
#pragma once

#include "wire/record.h"

#include <stddef.h>

enum energy_by {
    ENERGY_BY_BUSY, /* how long each was at work, weighed as fit.h finds */
    ENERGY_BY_FLOPS,
    ENERGY_BY_CYCLES, /* of the CPU, as its counters told */
    ENERGY_BYS
};

/* "busy", "flops", "cycles"; ends with NULL. */
extern const char *const energy_by_names[];

/* In inferences of each phase. */
struct phase_flops {
    double in[PHASES];
};

/* FLOPs are known elsewhere, and needed only to share by them.  NAN: not known.
 * Arrays are by id, whose first is 1; what lies behind their end is not
 * known. */
struct energy_key {
    enum energy_by by;
    const struct phase_flops *operator_flops; /* of one run of each */
    size_t operator_count;
    const double *session_flops; /* of one inference of each; used where none
                                  * of its operators are known */
    size_t session_count;
};
