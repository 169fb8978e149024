/* label.h -- how a sampled metric is called where its subject is plain from
 * around it: "rss_bytes" of a process, not "process_resident_bytes".
 *
 * A few have the names that everybody knows; all others are their metric's name
 * without the subject's kind before it: "read_bytes_total". */
#pragma once

#include "base/buf.h"
#include "model/metric.h"

const char *metric_label(enum metric_id metric);

/* Of the value as it is shown: shares of a core or a machine are percent. */
double metric_shown(enum metric_id metric, double value);

/* By its name in the table or by its label; where several have the label, the
 * one of processes, else of the machine, of devices, of CPUs.  METRIC_IDS:
 * there is none.  `by_label`: its values are as they are shown. */
enum metric_id metric_called(struct str name, bool *by_label);

/* "6.04 kB", "25.1 GB": in powers of 1000. */
void label_add_bytes(struct buf *out, double bytes);

/* A value with its unit, for people: "2.13 GB", "0.93 ratio". */
void label_add_value(struct buf *out, enum metric_id metric, double value);
