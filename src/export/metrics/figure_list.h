/* figure_list.h -- what a run's metrics are at a moment: values with their
 * labels, for the formats of monitoring.
 *
 * Labels are in the order of their names, which are snake_case; a name occurs
 * once and a value is never empty.  Starts zeroed. */
#pragma once

#include "export/metrics/buckets.h"
#include "model/reading.h"

#include <stdbool.h>

#define FIGURE_LABELS_MAX 10

struct figure_label {
    const char *name; /* static */
    char *value;      /* owned */
};

struct figure {
    enum metric_id metric;
    enum reading_method method;
    bool sampled;                  /* the last of many readings */
    uint64_t time_ns;              /* since the run's start; 0: as of now */
    double value;                  /* but of histograms: */
    const struct buckets *buckets; /* borrowed from who counts */
    struct figure_label label[FIGURE_LABELS_MAX];
    size_t label_count;
    size_t order; /* of being added */
};

struct figure_list {
    struct figure *items;
    size_t count, cap;
};

/* Adds a measured figure without labels.  Valid until the next is added. */
struct figure *figure_add(struct figure_list *l, enum metric_id metric,
        double value);
struct figure *figure_add_buckets(struct figure_list *l, enum metric_id metric,
        const struct buckets *b);

/* Nothing happens where the value is NULL or ""; what is no UTF-8 in it is
 * replaced. */
void figure_label(struct figure *f, const char *name, const char *value);
void figure_label_u64(struct figure *f, const char *name, uint64_t value);

/* Puts all figures of a metric together, in the order of the table.  Of those
 * that have the same labels and the same time, too, the one added last stays: a
 * process may have the number of one that is gone. */
void figure_list_sort(struct figure_list *l);

/* Whether both are of the same metric, with the same labels. */
bool figure_same_series(const struct figure *a, const struct figure *b);

void figure_list_release(struct figure_list *l);
