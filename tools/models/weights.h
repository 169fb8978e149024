/* weights.h -- tensors of numbers that look random and are the same on every
 * machine and in every year. */
#pragma once

#include "tools/models/draft.h"

/* A row of numbers; the state is its seed. */
struct weights {
    struct draft *draft; /* that the tensors go to */
    uint64_t state;
};

/* The next number, evenly spread over centre - spread to centre + spread. */
float weights_next(struct weights *w, float centre, float spread);

/* A parameter, in the draft's scope, made of them. */
const char *weights_spread(struct weights *w, const char *name,
        struct dims shape, float centre, float spread);

/* The same for a layer that sums `fan_in` inputs for each output.  What comes
 * out is about as large as what goes in, however many layers there are. */
const char *weights_layer(struct weights *w, const char *name,
        struct dims shape, int fan_in);
