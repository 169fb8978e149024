/* placement_json.h -- where operators ran, and what became of the model's
 * nodes. */
#pragma once

#include "analyse/summary.h"

struct json;

/* The members `placement` and `fusion`, a row a session; nothing where no
 * operator is known. */
void placement_json(struct json *j, const struct summary *s);
