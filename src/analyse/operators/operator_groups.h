/* operator_groups.h -- the operators of a run put together: by type, by layer,
 * by component.  What people ask first. */
#pragma once

#include "analyse/operators/operators.h"

enum operator_grouping {
    OPERATORS_BY_TYPE,
    OPERATORS_BY_LAYER,     /* those that are in one */
    OPERATORS_BY_COMPONENT, /* those that are one */
};

struct operator_group {
    uint32_t table;       /* session whose table it is */
    const char *op_type;  /* by type; belongs to the operators */
    struct arch_place at; /* by layer, or by component */
    uint64_t operators;   /* nodes */
    uint64_t runs;        /* operator runs */
    double self_ns;       /* of all of them */
    /* Of the self time of one operator run; the median is NAN where nobody
     * kept how they spread. */
    double median_ns, stddev_ns, min_ns, max_ns;
    uint64_t cycles; /* of a device that tells no time; else 0 */
    double flops;    /* of those of which they are known, */
    double flops_ns; /* and the self time of these */
};

struct operator_groups {
    struct operator_group
            *items; /* by time, greatest first; layers by number */
    size_t count;
};

/* What operators that are in none of the first `shown` groups took. */
double operator_groups_rest_ns(const struct operator_groups *g, size_t shown,
        double all_ns);

/* Of one table, or of all with 0; of a phase, or of all with PHASES. */
void operator_groups_find(struct operator_groups *out,
        const struct operators *o, uint32_t table, unsigned phase,
        enum operator_grouping by);
void operator_groups_release(struct operator_groups *g);

/* The operators of a table that ran in inferences of a phase, or in any with
 * PHASES: by their own time, greatest first.  For free(). */
const struct operator_figures **operators_sorted(const struct operators *o,
        uint32_t table, unsigned phase, size_t *count);
