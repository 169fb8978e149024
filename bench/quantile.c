#include "bench/quantile.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double quantile(double *values, size_t count, double q)
{
    qsort(values, count, sizeof(*values), by_value);
    return values[(size_t)(q * (double)(count - 1) + 0.5)];
}

double median(double *values, size_t count)
{
    return quantile(values, count, 0.5);
}
