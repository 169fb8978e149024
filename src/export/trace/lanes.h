/* lanes.h -- puts what took time onto tracks on which everything is either
 * within something else or beside it: viewers of timelines expect no less.
 *
 * A thread has a track, and as many more lanes as things overlap on it, which
 * they do where runs are asynchronous.  An operator goes where its inference
 * is.  What overlaps by no more than clocks are inexact is cut: a part to its
 * whole, and what follows to the end of what was before it. */
#pragma once

#include "model/run.h"

struct lanes;

struct lane_place {
    uint32_t track; /* counted from 0 in the order of first use */
    uint32_t lane;  /* of its thread: 0, 1, ... */
    bool fresh;     /* the first on this track */
    uint64_t start_ns;
    uint64_t duration_ns;
};

struct lanes *lanes_new(void);

/* In the order of store_each_span(). */
struct lane_place lanes_place(struct lanes *l, const struct span *s);

/* NULL is welcome. */
void lanes_free(struct lanes *l);
