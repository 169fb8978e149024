/* prometheus.h -- metrics as Prometheus reads them: its text format 0.0.4. */
#pragma once

#include "export/metrics/run_metrics.h"

#define PROMETHEUS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Adds all figures of a sorted list.  Each has the label `run`. */
void prometheus_text(struct buf *out, const struct run_metrics_about *about,
        const struct figure_list *list);

/* The same of several runs: all figures of a metric stand together. */
void prometheus_runs(struct buf *out,
        const struct run_metrics_about *const *about,
        const struct figure_list *lists, size_t count);

/* A counter or gauge of no run, without labels. */
void prometheus_own(struct buf *out, enum metric_id metric, double value);
