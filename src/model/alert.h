/* alert.h -- a figure crossed a threshold that somebody cares about.  Only
 * data. */
#pragma once

#include "model/metric.h"

#include <stdint.h>

struct alert {
    uint32_t number;       /* within the run, from 1 */
    uint64_t time_ns;      /* when it was certain */
    uint64_t end_ns;       /* 0: it goes on, or went on to the end */
    const char *rule;      /* as it was given: "rss_bytes > 2GB for 10s" */
    uint32_t subject;      /* as subjects_add() numbered it */
    enum metric_id metric; /* METRIC_IDS: one that is not known here */
    double value;          /* then, in the metric's unit, */
    double threshold;      /* as is this */
};
