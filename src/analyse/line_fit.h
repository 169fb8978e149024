/* line_fit.h -- what costs once, and what costs for each sample.
 *
 * Fits cost = fixed + each * size.  Deviations count relative to the cost, so
 * that a batch of 1 has as much say as a batch of 1024. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct line_point {
    double size;
    double cost; /* more than 0 */
};

struct line_fit {
    double fixed; /* below 0 means: nothing fixed is to be seen */
    double each;
    double error; /* root mean square of the relative deviations */
    /* Where both lie with 95 %, if the line is the right shape. */
    double fixed_low, fixed_high, each_low, each_high;
};

/* False: fewer than three sizes, through which a line goes that proves nothing,
 * or all of one size. */
bool line_fit(struct line_fit *out, const struct line_point *points,
        size_t count);
