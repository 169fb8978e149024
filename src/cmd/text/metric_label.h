/* metric_label.h -- how a sampled metric is called and written where its
 * subject is plain from around it: "rss_bytes" of a process, not
 * "process_resident_bytes".
 *
 * A few have the names that everybody knows; all others are their metric's name
 * without the subject's kind before it: "read_bytes_total". */
#pragma once

#include "base/json.h"
#include "live/board.h"
#include "model/metric.h"

const char *metric_label(enum metric_id metric);

/* Of the value as it is shown: shares of a core or a machine are percent. */
double metric_shown(enum metric_id metric, double value);

/* Writes it as a member. */
void metric_json(struct json *j, enum metric_id metric, double value);

/* Whether one of the globs fits its name or that of its metric. */
bool metric_matches(enum metric_id metric, const char *const *globs, int count);
