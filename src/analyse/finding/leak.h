/* leak.h -- whether memory grows without end.
 *
 * A process fills its memory at first, and then fills and frees it again and
 * again; what counts is whether the lowest points rise.  So the first fifth is
 * left out, the least of each of thirty stretches is taken, one step is
 * forgiven (an arena that grew once), and a straight line is laid through the
 * rest in a way that a few outliers do not move (Theil and Sen; Kendall's
 * test). */
#pragma once

#include <stddef.h>

enum leak_verdict {
    LEAK_CANNOT_TELL,
    LEAK_NONE,
    LEAK_ENDED, /* it grew, and does no more */
    LEAK_FOUND,
};

struct leak_point {
    double at; /* inferences done so far: what is kept is kept of each */
    double bytes;
};

struct leak {
    enum leak_verdict verdict;
    double bytes_each; /* kept of an inference; with 99 % it lies between: */
    double low, high;
    double grown_bytes; /* over the inferences that were looked at, */
    double inferences;  /* so many; 0: too few to look at */
};

/* Fewer points tell nothing: more than one for each stretch. */
#define LEAK_LEAST 40

/* `points` in the order of time; some may be at the same inference. */
void leak_judge(struct leak *out, const struct leak_point *points,
        size_t count);

/* "none", "ended", "leak", "cannot_tell". */
const char *leak_verdict_name(enum leak_verdict v);
