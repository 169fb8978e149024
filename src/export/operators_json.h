/* operators_json.h -- operators, and where the rest of the time went. */
#pragma once

#include "analyse/operators.h"
#include "energy/run_energy.h"

struct json;

/* The members `ops` and `gaps`; nothing where no inference was looked into.
 * `energy` may be NULL. */
void operators_json(struct json *j, const struct operators *o,
        const struct run_energy *energy);
