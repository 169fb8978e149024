/* advise_try.h -- what other session options would do for a recorded model,
 * measured now: by `check`, in pairs, with inputs made for it. */
#pragma once

#include "analyse/summary.h"

struct tried {
    const char *what; /* "graph optimisation" */
    char from[24], to[24];
    char verdict[16]; /* as check says: "better", "worse", "same", ... */
    double change;    /* of the time when undisturbed: -0.1 is 10 % less */
    double low, high; /* it lies between; NAN: not told */
    double before_us;
};

#define TRIED_MAX 3

struct trials {
    struct tried items[TRIED_MAX];
    size_t count;
};

/* Of the session that most time was spent in.  Takes up to half a minute each.
 * -ENOENT and others: its model cannot be run, with a sentence that says why.
 */
int advise_try(struct trials *out, const struct summary *s, struct error *e);
