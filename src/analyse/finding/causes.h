/* causes.h -- what slow inferences have in common that others have not.
 *
 * A cause is something that was there or not while an inference ran: it was
 * switched out, other programs kept the CPUs busy, pages had to be brought.
 * Whether it made inferences slow shows by how much more often it is there in
 * the slow ones than in the others around them, and how much of the time lost
 * was lost in its presence. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cause_case {
    uint64_t start_ns, duration_ns;
    double excess_ns; /* over what was expected; of a slow one */
    bool slow;
};

/* One of the things that may be a cause: whether it was there in each case. */
struct cause {
    const char *name;
    const bool *there; /* as many as there are cases */
    bool coarse;       /* read more rarely than inferences come */
};

struct cause_found {
    size_t cause;     /* its place in the list */
    size_t slow;      /* cases with it */
    double share;     /* of the time lost, less what chance gives */
    double others;    /* how often it is there in the others around: 0 to 1 */
    double effect_ns; /* lost in a case with it, in the mean */
};

/* Around a slow one: so much before its start and after its end. */
#define CAUSE_AROUND_NS 100000000ull

/* Writes the causes that the cases give evidence of, the greatest share first;
 * `out` has room for all.  Returns how many.  `cases` in the order of time. */
size_t causes_find(struct cause_found *out, const struct cause_case *cases,
        size_t count, const struct cause *causes, size_t cause_count);
