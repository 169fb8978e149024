/* attached.h -- what a sampler keeps for each target: zeroed memory that
 * follows the target's slot.  Starts with `size` and `release` set. */
#pragma once

#include "sample/process/targets.h"

struct attached {
    size_t size;                 /* of one item */
    void (*release)(void *item); /* before it is zeroed; NULL: nothing to do */

    char *items;
    uint32_t *subject; /* whose it is; 0: nobody's */
    size_t count;
};

/* The item of a target, zeroed when it is asked for first.  Valid until it is
 * asked for a new target. */
void *attached_to(struct attached *a, const struct targets *t,
        const struct target *x);

void attached_release(struct attached *a);
