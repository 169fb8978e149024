/* conditions.h -- what a run did not choose: the machine that it ran on, as it
 * was at the time.
 *
 * Two runs of one program that differ in these may differ in time for no other
 * reason, so a comparison lists them. */
#pragma once

#include "analyse/usage.h"

enum condition {
    CONDITION_OTHERS,   /* cores that others kept busy */
    CONDITION_CLOCK,    /* of the cores, in the mean */
    CONDITION_HEAT,     /* the hottest place at its hottest */
    CONDITION_DELAY,    /* of a second, that threads were ready and waited */
    CONDITION_PRESSURE, /* the same of all threads of the machine */
    CONDITION_STOLEN,   /* cores that the hypervisor gave to others */
    CONDITION_MEMORY,   /* time of a load, which others in the caches slow */
    CONDITIONS,
};

/* One line for each. */
struct condition_kind {
    const char *name; /* in documents */
    const char *unit;
    double matters; /* from so much difference on */
    bool relative;  /* of the value before: 0.02 is 2 % */
};

extern const struct condition_kind condition_kinds[CONDITIONS];

/* NAN: it was not sampled. */
int conditions_read(double out[CONDITIONS], const struct usage *u,
        struct store *s, int64_t run, struct error *e);

/* Whether they differ by as much as matters; not where one is not known. */
bool condition_differs(enum condition c, double before, double after);
