/* profile_operators.h -- the operators of a profile: a node is one, whatever
 * the shapes of its inputs were, and has its shapes with their own counts. */
#pragma once

#include "base/map.h"
#include "ort/profile.h"
#include "store/store.h"

struct profile_operators {
    struct profile_operator *items;
    size_t count, cap;
    struct map by_node; /* hash to id */
};

/* The operator of which the event tells, in that session; its id. */
uint32_t profile_operators_take(struct profile_operators *o, uint32_t session,
        const struct profile_event *e);
/* All of them, and the shapes of those that ran with several. */
void profile_operators_store(const struct profile_operators *o,
        struct store *s);
void profile_operators_release(struct profile_operators *o);
