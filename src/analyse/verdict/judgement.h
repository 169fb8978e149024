/* judgement.h -- did it get slower or hungrier?  Runs of before and of after,
 * with all that speaks for the answer. */
#pragma once

#include "analyse/verdict/difference.h"
#include "analyse/verdict/judged_read.h"
#include "analyse/verdict/judging.h"

/* Runs of one side.  `store` may be the same for both; a store of its own for
 * each is read in half the time. */
struct judgement_runs {
    struct store *store;
    const int64_t *rows;
    size_t count;
};

/* More are not looked at: the newest are. */
#define JUDGEMENT_RUNS_MAX 100

struct judgement_want {
    double least;      /* the smallest change that matters; 0: the usual */
    bool anyway;       /* judge runs of two hosts, or two models, too */
    const char *model; /* part of its path; NULL: what took most time */
};

struct judgement_side {
    struct judged_input *inputs; /* in the order of their start */
    struct judged_run *runs;     /* the same */
    size_t count;
};

/* A percentile's change, and its interval; NAN: none. */
struct judgement_shift {
    double share;
    double change_ns, low_ns, high_ns;
};

struct judgement {
    enum verdict verdict; /* of the headline */
    struct buf because;   /* why it is not judged; or empty */
    struct buf advice;    /* what would help; or empty */
    double least;         /* of the headline */
    struct judgement_side side[2];
    struct judgement_side history;
    bool in_turns;
    size_t first; /* so many inferences of each run are warm-up, and left out */
    struct judged_change figures[JUDGED_FIGURES];
    struct difference differences[DIFFERENCES]; /* of the first runs */
    double conditions[2][CONDITIONS]; /* means of the runs; NAN: not known */
    struct operator_changes operators;
    const char *no_operators; /* why they are not compared; or NULL */
    struct judgement_shift shifts[JUDGED_SHIFTS];
};

/* The figures are those of the runs, whatever the verdict. */
int judgement_make(struct judgement *out, const struct judgement_runs *before,
        const struct judgement_runs *after, const struct judgement_want *want,
        struct error *e);
void judgement_release(struct judgement *j);
