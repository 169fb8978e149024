/* pending.h -- readings of some ticks, to be handed on together.
 *
 * What keeps readings is spread over much memory, which has left the caches
 * between two ticks: to touch it once for ten ticks costs little more than for
 * one.  Starts zeroed. */
#pragma once

#include "sample/sampler.h"

struct pending {
    struct reading *items;
    size_t count, cap;
};

void pending_release(struct pending *p);

/* Behind those that are there. */
void pending_add(struct pending *p, const struct batch *batch);

/* Whether there are so many that they should go now. */
bool pending_is_much(const struct pending *p);
