/* energy_json.h -- the energy of a run as a member of a JSON document. */
#pragma once

#include "base/json.h"
#include "energy/figures.h"

/* What is not known is left out; where nothing is, the reasons are told.  With
 * `all`, also every sensor and the watts over time. */
void energy_json(struct json *j, const char *key, const struct run_energy *r,
        const struct energy_counts *n, const struct energy_prices *p, bool all);
