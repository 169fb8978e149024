/* attribute.h -- whose energy it was, so that it always adds up.
 *
 * Of each interval of a sensor, first the machine's idle energy is set apart,
 * as measured by `ortmeter calibrate`; then that of other processes, by their
 * share of the CPU time; what is left is our program's, and is shared among
 * the work that it did in the interval: by busy time, or by FLOPs or cycles
 * where those are given.  What falls outside of all work is unattributed.
 *
 * Sharing by busy time says that all work draws alike.  Where work repeats,
 * fit.h knows better, and its watts weigh the times.
 *
 * All of it is kept in whole microjoules, and every way of adding it up gives
 * the same total: attribution_adds_up(). */
#pragma once

#include "energy/series.h"
#include "energy/spans.h"

#include <stdbool.h>

/* Our program's part of the CPU time that was not idle, 0 to 1, for a while. */
struct cpu_share {
    uint64_t start_ns, end_ns;
    double own;
};

/* A part of a class's energy and time that is of another class, which has no
 * pieces of its own: an operator's of the inferences that it runs in. */
struct work_split {
    uint32_t from, to;
    double share; /* 0 to 1; all of one class together at most 1 */
};

/* One sensor, and the work that it may have fed. */
struct attribute_input {
    const struct series *series;
    const struct work_pieces *pieces;
    const struct work_split *splits;
    size_t split_count;
    const bool *here; /* of each class; a split into one for which it is false
                       * is not made.  NULL: all are */
    uint64_t start_ns, end_ns;      /* of the run */
    const double *idle_watts;       /* NULL: no baseline */
    const struct cpu_share *shares; /* in order; 0 of them: not known */
    size_t share_count;
    bool alone; /* CPU time says nothing of who used it: nobody else, then */
    const double *rate; /* of each class: FLOPs or cycles a second, NAN: not
                         * known; NULL: by busy time */
    bool sharpen;       /* let fit.h weigh the times */
};

/* Three parts, whose sum is what was drawn while this work was done. */
struct class_energy {
    uint64_t own_uj;   /* net: caused by the work */
    uint64_t idle_uj;  /* drawn anyway in its time */
    uint64_t other_uj; /* caused by other processes in its time */
    double busy_s;     /* set by attribution_time() */
    double error_j;    /* of own_uj, where it was fitted: standard error */
};

struct attribution {
    uint64_t total_uj;
    struct class_energy *classes; /* the first: outside of all work */
    uint32_t class_count;
    double *owner_own_j; /* of each owner: net, */
    double *owner_all_j; /* and gross */
    uint32_t owner_count;
    bool idle_known,
            other_known; /* of every sensor that is not `alone`.  Else those
                          * parts are 0 for want of knowledge: say so */
    bool sharpened;
};

void attribution_init(struct attribution *a, uint32_t class_count,
        uint32_t owner_count);
void attribution_release(struct attribution *a);

/* Adds the energy of one more sensor, which does not overlap the others. */
void attribution_add(struct attribution *a, const struct attribute_input *in);

/* How long each class was at work, whatever sensors say: once for all of
 * them. */
void attribution_time(struct attribution *a, const struct work_pieces *pieces,
        const struct work_split *splits, size_t split_count, uint64_t start_ns,
        uint64_t end_ns);

/* Sums over classes. */
struct attribution_lines {
    uint64_t total_uj;
    uint64_t idle_uj, other_uj, unattributed_uj, attributed_uj;
};
struct attribution_lines attribution_lines(const struct attribution *a);

/* The lines add up to the total: true, or we made a mistake. */
bool attribution_adds_up(const struct attribution *a);
