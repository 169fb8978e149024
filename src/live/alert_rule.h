/* alert_rule.h -- when to raise an alert, in words:
 *
 *     rss_bytes > 2GB
 *     rss_bytes > 2GB for 10s
 *     host_memory_available_bytes < 500MB for 5s until 1GB
 *     inference_duration_seconds > 200ms trouble
 *
 * A metric, by its name in the table or by that of watch's JSON; `>` or `<`; a
 * number in the metric's unit, or with one behind it: kB MB GB TB (powers of
 * 1000), us ms s min h, kHz MHz GHz, %.  `for`: it has to hold for so long.
 * `until`: an alert is over when the figure has come back to this, which keeps
 * one that swings about the threshold from raising it again and again.  The
 * last word is the severity: note, look (if not given) or trouble. */
#pragma once

#include "base/error.h"
#include "base/str.h"
#include "model/metric.h"

#include <stdbool.h>
#include <stdint.h>

struct alert_rule {
    const char *text; /* borrowed */
    enum metric_id metric;
    bool below; /* `<`, else `>` */
    double threshold, until;
    uint64_t for_ns;
    const char *severity; /* "note", "look", "trouble" */
};

/* -EINVAL with a sentence that quotes the rule. */
int alert_rule_read(struct alert_rule *out, const char *text, struct error *e);

/* Whether it looks at inferences, and not at what is sampled. */
bool alert_rule_is_of_inferences(const struct alert_rule *r);
