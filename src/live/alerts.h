/* alerts.h -- looks at readings and inferences as they come, and tells when a
 * rule (alert_rule.h) begins to hold, and when that is over.
 *
 * Of each subject once: an alert that goes on is not told again.  One whose
 * subject ends is over; one that goes on at the run's end stays open. */
#pragma once

#include "live/alert_rule.h"
#include "model/subscriber.h"

struct alerts;

/* Tells `to`, which has both functions, `alert` and `alert_end`.  The rules
 * live as long. */
struct alerts *alerts_new(const struct alert_rule *rules, size_t count,
        const struct subscriber *to);
/* NULL is welcome. */
void alerts_free(struct alerts *a);

/* Gets `readings`, `subject`, `subject_end` and `inference`. */
struct subscriber alerts_subscriber(struct alerts *a);

/* How many there were. */
uint32_t alerts_count(const struct alerts *a);
