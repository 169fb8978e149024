#include "tools/models/weights.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
 * generators", 2014. */
static uint64_t next_u64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

float weights_next(struct weights *w, float centre, float spread)
{
    /* 24 bits are what a float holds: no rounding, so no machine differs. */
    float unit = (float)(next_u64(&w->state) >> 40) / (float)(1 << 23) - 1;

    return centre + spread * unit;
}

const char *weights_spread(struct weights *w, const char *name,
        struct dims shape, float centre, float spread)
{
    size_t count = dims_elements(shape);
    float *values = alloc_zero(count, sizeof(*values));

    for (size_t i = 0; i < count; i++)
        values[i] = weights_next(w, centre, spread);

    const char *kept = draft_floats(w->draft, name, shape, values);

    free(values);
    return kept;
}

const char *weights_layer(struct weights *w, const char *name,
        struct dims shape, int fan_in)
{
    /* Evenly spread over +-a, a number's variance is a*a/3; 1/fan_in is the
     * one that keeps a sum of fan_in products in size. */
    return weights_spread(w, name, shape, 0, sqrtf(3.0f / (float)fan_in));
}
