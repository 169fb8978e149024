/* operator_changes.h -- which operators explain a difference.
 *
 * Every operator's time is its median over the same inferences, all that were
 * traced, and so is the whole's; what is in no operator is the rest.  So the
 * changes of the operators, and of the rest, add up to the change of the whole,
 * to the nanosecond.
 *
 * An operator is judged over runs, never within one, and all of them together,
 * so that among hundreds none is named by chance alone. */
#pragma once

#include "analyse/verdict/verdict.h"

#include <stdint.h>

/* Runs of a side: of fewer, differences are shown and none is judged. */
#define OPERATOR_CHANGES_RUNS 3

/* An operator in an inference of one run; texts are borrowed. */
struct operator_time {
    const char *name, *op_type, *provider;
    double ns; /* without the operators in it */
};

/* One run's. */
struct operator_times_of {
    struct operator_time *items;
    size_t count;
    double whole_ns; /* of an inference, the rest included */
};

enum operator_change_kind {
    OPERATOR_CHANGE_TIME,      /* it takes longer, or shorter */
    OPERATOR_CHANGE_PLACEMENT, /* it runs elsewhere */
    OPERATOR_CHANGE_FUSION,    /* it is on one side only: fused, or split */
    OPERATOR_CHANGE_REST,      /* what is in no operator */
    OPERATOR_CHANGE_KINDS,
};

/* "operators", "placement", "fusion", "rest". */
const char *operator_change_kind_name(enum operator_change_kind kind);

struct operator_change {
    const char *name, *op_type; /* the runs' texts */
    const char *provider[2];    /* before, after; NULL: not told */
    bool there[2];              /* it ran on that side */
    int64_t ns[2];              /* the mean of the runs; 0: not there */
    enum operator_change_kind kind;
    bool has_interval;
    double low_ns, high_ns; /* of the change, with 95 % */
    enum verdict verdict;
    double chance; /* of such a difference where there is none */
};

struct operator_changes {
    struct operator_change *items; /* the greatest change first */
    size_t count;
    int64_t whole_ns[2];
    int64_t part_ns[OPERATOR_CHANGE_KINDS]; /* of the change; they add up */
    bool judged;
};

/* The texts are borrowed from the runs. */
void operator_changes_find(struct operator_changes *out,
        const struct operator_times_of *before, size_t before_count,
        const struct operator_times_of *after, size_t after_count);
void operator_changes_release(struct operator_changes *c);

/* How much of the whole's change it explains: 1 is all of it.  NAN: the whole
 * did not change. */
double operator_change_explains(const struct operator_changes *c,
        const struct operator_change *x);
