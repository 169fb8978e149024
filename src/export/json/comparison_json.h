/* comparison_json.h -- two runs beside each other, as one JSON document. */
#pragma once

#include "analyse/comparison.h"
#include "analyse/judgement.h"
#include "base/buf.h"

/* What is not known is left out; the verdict and its evidence come from the
 * judgement of the same two. */
void comparison_json(struct buf *out, const struct comparison *c,
        const struct summary *before, const struct summary *after,
        const struct judgement *judgement);
