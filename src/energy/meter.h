/* meter.h -- an external power meter: lines of text, one for each reading.
 *
 *     1700000000.250 41.7
 *
 * Seconds since 1970 (UTC) by the meter's clock, at most nine digits behind the
 * point, blanks, and watts.  More words on a line are ignored; empty lines and
 * those that begin with '#' are skipped.  What else comes is counted as bad and
 * skipped.  The text may come in pieces of any size. */
#pragma once

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METER_LINE_MAX 256 /* characters; longer lines are bad */

struct meter_sample {
    uint64_t wall_ns; /* by the meter's clock */
    double watts;
};

/* 1: a sample.  0: nothing to read.  -EINVAL: neither. */
int meter_line(struct meter_sample *out, struct str line);

typedef void meter_take(void *context, const struct meter_sample *s);

/* Starts zeroed, but for the function. */
struct meter_reader {
    meter_take *take;
    void *context;
    struct buf rest; /* a line that has not ended */
    uint64_t samples, bad;
    bool skipping; /* a line that is too long */
};

void meter_feed(struct meter_reader *r, const void *bytes, size_t len);
/* The last line may lack its end.  Frees what is left. */
void meter_end(struct meter_reader *r);
