/* slow.h -- inferences that took longer than those around them.
 *
 * Each is compared with the median of the hundred around it, so that a drift
 * or a new level is no outlier; how much is much depends on how far the others
 * of its thousand lie from theirs.  A spread alone would call every inference
 * of a program with two speeds slow: hence the ninth tenth, too. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct slow_one {
    size_t index;
    double expected_ns; /* the median around it */
};

struct slow {
    struct slow_one *items; /* in order; for free() */
    size_t count;
    double least_ratio; /* of those that are slow: how much more, at least */
};

/* Fewer inferences tell nothing. */
#define SLOW_LEAST 200

/* `ns`: durations in order, none of them 0. */
void slow_find(struct slow *out, const uint64_t *ns, size_t count);
