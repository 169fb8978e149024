/* otlp_names.h -- what OpenTelemetry calls our metrics, units and labels.
 *
 * Where its conventions have a name for a metric, it is used; any other metric
 * is called ortmeter.<name>, without the unit, since OpenTelemetry's names have
 * none, unless it is a count of things.  Units are UCUM's: s, By, {token}. */
#pragma once

#include "base/buf.h"
#include "export/metrics/figure_list.h"

enum otlp_convention {
    OTLP_OWN,     /* none: labels are ortmeter.<label> */
    OTLP_GEN_AI,  /* an operation of a model is the subject */
    OTLP_HW,      /* a piece of hardware */
    OTLP_PROCESS, /* a process */
};

enum otlp_convention otlp_convention_of(enum metric_id metric);

/* Metrics of ours may be one metric there, told apart by an attribute: fills in
 * the first of those that are the same, for each. */
void otlp_metric_groups(enum metric_id first[METRIC_IDS]);

void otlp_metric_name(struct buf *out, enum metric_id metric);
void otlp_metric_unit(struct buf *out, enum metric_id metric);

/* What an attribute is called that is made from a label of the metric. */
void otlp_label_name(struct buf *out, enum metric_id metric, const char *label);

/* Attributes that the convention wants beside the labels: `add` is called for
 * each. */
void otlp_convention_attributes(const struct figure *f,
        void (*add)(void *context, const char *key, const char *value),
        void *context);
