/* metric_label.h -- a sampled metric as a member of JSON, by its label
 * (model/label.h). */
#pragma once

#include "base/json.h"
#include "live/board.h"
#include "model/label.h"

/* Writes it as a member. */
void metric_json(struct json *j, enum metric_id metric, double value);

/* Whether one of the globs fits its label or its name. */
bool metric_matches(enum metric_id metric, const char *const *globs, int count);
