/* judging.h -- runs of before and of after, figure by figure. */
#pragma once

#include "analyse/verdict/judged_run.h"
#include "analyse/verdict/verdict.h"

/* Runs of one side, or of the host's history; borrowed. */
struct judged_side {
    const struct judged_run *runs;
    size_t count;
};

/* From so many runs a side on, they are judged by themselves: fewer, and
 * single ones, only against the host's history. */
#define JUDGING_RUNS    5
#define JUDGING_APART   7  /* the same, where they were not made in turns */
#define JUDGING_ADVISED 12 /* runs of each, with one thread */

/* A single run that took less time tells too little. */
#define JUDGING_SPAN_S 0.3

struct judged_change {
    enum judged_figure figure;
    double before, after;     /* medians of the runs; NAN: not known */
    struct interval interval; /* of the logarithm of after / before; NAN */
    double least;             /* the smallest change that matters */
    enum verdict verdict;
    const char *because;            /* it cannot be told; NULL: it can */
    size_t before_runs, after_runs; /* that know the figure */
};

/* `history`: other runs of this program on this host.  `least`: of the
 * headline; figures that vary more by themselves keep their own.  0: the
 * usual. */
void judge_change(struct judged_change *out, enum judged_figure figure,
        const struct judged_side *before, const struct judged_side *after,
        const struct judged_side *history, double least);

/* Whether runs of the two sides were made in turns, so that what else changed
 * in that time is no difference of the sides. */
bool judged_in_turns(const struct judged_side *before,
        const struct judged_side *after);

/* The smallest change of a figure that matters. */
double judged_least(enum judged_figure figure, double least);

/* "slower by 1.2 %, less than matters": what else an interval says of a change
 * that is the same; false: nothing. */
bool judged_is_small_change(const struct judged_change *c);
