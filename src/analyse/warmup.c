#include "analyse/warmup.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define IN_A_ROW 3

/* Of the normal distribution: the standard deviation is 1.4826 times the
 * median distance from the median. */
#define DEVIATIONS 4.0
#define MAD_TO_SD  1.4826
#define LEAST_BAND 0.10 /* of the level, where the values hardly differ */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static uint64_t median_of(uint64_t *values, size_t count)
{
    qsort(values, count, sizeof(*values), by_value);
    return values[count / 2];
}

/* The most that a steady inference takes. */
static double ceiling(const uint64_t *later, size_t count)
{
    uint64_t *copy = alloc_zero(count, sizeof(*copy));

    memcpy(copy, later, count * sizeof(*copy));

    uint64_t level = median_of(copy, count);

    for (size_t i = 0; i < count; i++)
        copy[i] = later[i] > level ? later[i] - level : level - later[i];

    double band = DEVIATIONS * MAD_TO_SD * (double)median_of(copy, count);

    free(copy);
    if (band < LEAST_BAND * (double)level)
        band = LEAST_BAND * (double)level;
    return (double)level + band;
}

bool warmup_length(const uint64_t *durations_ns, size_t count, size_t *length)
{
    size_t half = count / 2;
    size_t steady = 0;

    if (count < WARMUP_LEAST)
        return false;

    double most = ceiling(durations_ns + half, count - half);

    for (size_t i = 0; i < half; i++) {
        steady = (double)durations_ns[i] <= most ? steady + 1 : 0;
        if (steady == IN_A_ROW) {
            *length = i + 1 - IN_A_ROW;
            return true;
        }
    }
    return false;
}
