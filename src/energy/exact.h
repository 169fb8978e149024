/* exact.h -- a whole, cut into whole parts that add up to it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Rounds `share[i]`, which are not negative and add up to `total` but for
 * rounding, to whole numbers that add up to it exactly: each is rounded down,
 * and what is left goes to those that lost most.  Where all shares are zero,
 * the last part gets everything. */
void exact_parts(uint64_t *part, const double *share, size_t count,
        uint64_t total);
