/* quantile.h -- of a few thousand measured values, which are sorted in place.
 */
#pragma once

#include <stddef.h>

/* The nearest rank at the share `q`, 0 to 1; `count` is at least 1. */
double quantile(double *values, size_t count, double q);

double median(double *values, size_t count);
