#include "analyse/generation/growth.h"

#include "base/alloc.h"
#include "model/phase.h"
#include "wire/record.h"

#include <stdlib.h>

void growth_add(struct growth *g, const struct inference *i)
{
    if (i->phase != PHASE_DECODE || !(i->flags & FLAG_PAST) ||
            !i->duration_ns || g->count == GROWTH_MAX)
        return;
    /* Room is doubled whenever the count is a power of 2. */
    if ((g->count & (g->count - 1)) == 0)
        g->points = alloc_resize(g->points,
                (g->count ? 2 * g->count : 1) * sizeof(*g->points));
    g->points[g->count++] =
            (struct line_point){ i->past, (double)i->duration_ns };
}

bool growth_finish(struct growth *g, struct line_fit *out)
{
    bool known = g->count >= GROWTH_LEAST && line_fit(out, g->points, g->count);

    free(g->points);
    *g = (struct growth){ 0 };
    return known;
}
