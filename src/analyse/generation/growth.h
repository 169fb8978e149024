/* growth.h -- how the time of a token grows with what lies before it: a line
 * through the steps that made one, by the tokens in their caches. */
#pragma once

#include "analyse/line_fit.h"
#include "model/run.h"

#define GROWTH_LEAST 8     /* steps: fewer show nothing */
#define GROWTH_MAX   65536 /* later ones are left out */

struct growth {
    struct line_point *points;
    size_t count;
};

/* Takes it if it is a step of decoding whose cache is known.  Starts zeroed. */
void growth_add(struct growth *g, const struct inference *i);

/* Nanoseconds; `size` is a token before.  False: too few, or of too few sizes.
 * Frees either way. */
bool growth_finish(struct growth *g, struct line_fit *out);
