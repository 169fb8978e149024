/* timeline_pieces.h -- the time of an inference, cut wherever another operator
 * goes on.
 *
 *     operators        If                       lm_head
 *                        MatMul   Add
 *     pieces     |  |If|MatMul|If|Add|If|       |lm_head|  |
 *                 runtime                 runtime        runtime
 *
 * Each piece is that of the innermost operator, so all of them together are the
 * inference, to the nanosecond. */
#pragma once

#include "model/run.h"

#include <stddef.h>

struct timeline_piece {
    uint64_t start_ns, end_ns;
    uint32_t operator_id; /* 0: none, the runtime's own work */
};

struct timeline_pieces {
    struct timeline_piece *items; /* none is empty */
    size_t count, cap;
};

/* Cuts [start_ns, end_ns).  The runs are put in order.  False: some ran side by
 * side, or not within: then there are no such pieces. */
bool timeline_cut(struct timeline_pieces *out, struct operator_run *runs,
        size_t count, uint64_t start_ns, uint64_t end_ns);
void timeline_pieces_release(struct timeline_pieces *p);
