/* sweep.h -- goes through intervals of energy and pieces of work together, and
 * says of each interval which work it held, for how long. */
#pragma once

#include "energy/series.h"
#include "energy/spans.h"

/* Where several threads work at once, each has its part of the time: the
 * seconds of all parts of an interval add up to its length.  Parts are in the
 * order of time; time without work is of class 0 and owner 0. */
struct sweep_part {
    uint32_t work_class;
    uint32_t owner;
    double seconds;
};

typedef void sweep_row(void *context, const struct series_interval *interval,
        const struct sweep_part *parts, size_t count);

/* Calls `row` for each interval that has no fault. */
void sweep(const struct series *series, const struct work_pieces *pieces,
        sweep_row *row, void *context);
