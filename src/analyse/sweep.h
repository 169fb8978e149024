/* sweep.h -- the points of a benchmark that tries several: batch sizes, or
 * levels of graph optimisation.
 *
 * They are measured in rounds, one point after the other in each, so that what
 * the machine does meanwhile meets all of them.  How far a figure can be relied
 * on shows in its rounds: `low_ns` and `high_ns` are the least and the greatest
 * of their medians, and of six rounds the true median lies between them in 97
 * of 100 cases, whatever the times look like. */
#pragma once

#include "analyse/spread.h"

#define SWEEP_NO_LEVEL (-1)

struct sweep_point {
    uint32_t batch; /* 0: not known */
    int level;      /* ONNX Runtime's number, or SWEEP_NO_LEVEL */
    struct spread_figures latency; /* of those that count */
    uint64_t done; /* that did not fail, those that tracing slowed included */
    uint64_t left_out, marked; /* that it did: see counting.h */
    size_t rounds;
    double low_ns, high_ns;
    double wall_ns; /* of its rounds together, in which all of `done` ran */
};

/* Fewer than two points are no sweep, and `count` is 0. */
struct sweep {
    struct sweep_point *points; /* in the order of coming */
    size_t count;
    bool levels; /* they differ by level; else by batch */
};

/* What a point is compared by: a sample's time, or an inference's. */
double sweep_unit_ns(const struct sweep *s, const struct sweep_point *p,
        double ns);

double sweep_samples_per_s(const struct sweep_point *p);

/* Whether the rounds of a point and of the one before it overlap, so that their
 * difference is less than what the machine did meanwhile. */
bool sweep_overlaps(const struct sweep *s, size_t point);

/* The point of another sweep that tried the same; NULL: none did. */
const struct sweep_point *sweep_find(const struct sweep *s,
        const struct sweep_point *like);

/* "disabled", "basic", "extended", "all". */
const char *sweep_level_name(int level);
