/* operators_json.h -- operators of a run, for summary_json.c. */
#pragma once

#include "analyse/summary.h"
#include "base/json.h"

/* Adds members: ops, by type, layer and component; gaps; activations; and why
 * some are missing. */
void operators_json(struct json *j, const struct summary *s);
