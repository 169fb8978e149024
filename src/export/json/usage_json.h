/* usage_json.h -- "memory", "cpu" and "io" of a summary. */
#pragma once

#include "analyse/summary.h"
#include "base/json.h"

/* What the system told at the program's end, and what was sampled while it
 * ran.  Absent is absent. */
void usage_json(struct json *j, const struct summary *s);
