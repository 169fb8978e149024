/* recorded.h -- how a run was recorded, and its latencies in stretches of time.
 * Only data.
 *
 * Texts are borrowed; NULL is "not known". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Widths of the stretches, in seconds: each is kept, so that nobody who looks
 * at a day has to add up seconds, or inferences. */
#define LATENCY_WIDTHS \
    {                  \
        1, 60, 3600    \
    }

/* The inferences of a session that ended within a stretch.  Those of a phase
 * that were traced, and those that were not, are apart: which of them count is
 * known at the end (analyse/counting.h), and is the same for all of either. */
struct latency_sum {
    uint32_t width_s;
    uint64_t place; /* it begins at place * width_s after the run's start */
    uint32_t session;
    uint8_t phase; /* enum phase */
    bool traced;
    uint64_t count;     /* that ended well, and are in what follows */
    uint64_t failed;    /* beside them */
    uint64_t looked_at; /* the same: --stats slowed them */
    uint64_t sum_ns, min_ns, max_ns;
    const char *spread; /* hist_part_write() (base/hist.h); NULL: no `count` */
};

/* What was asked of the meter: "ops" "auto", "rate_hz" "100". */
struct setting {
    const char *name, *value;
};

/* How often a sampler was read. */
struct sampler_rate {
    const char *name;
    double wanted_hz;    /* 0: it was switched off */
    double hz;           /* as it was set at the end */
    double effective_hz; /* as it was; NAN: not known, or not yet */
    uint64_t reads;
    uint64_t missed;    /* times that it was due, and was not read */
    const char *reason; /* why it was not read at all; NULL: it was */
};
