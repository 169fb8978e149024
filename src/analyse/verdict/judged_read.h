/* judged_read.h -- what is judged of a stored run. */
#pragma once

#include "analyse/summary.h"
#include "analyse/verdict/conditions.h"
#include "analyse/verdict/judged_run.h"
#include "analyse/verdict/operator_changes.h"

/* A run as it was read.  Of several models, one is judged. */
struct judged_input {
    struct summary summary;
    const char *model; /* path, or "": the summary's */
    unsigned phase;    /* of the inferences that are judged; PHASES: all */
    uint64_t *ns;      /* durations of those that count, in order */
    size_t count;
    bool marked; /* the program said what is warm-up and what is measured */
    size_t warmup;
    struct judged_run run;              /* judged_input_measure() fills it */
    struct operator_times_of operators; /* whole_ns 0: not known */
    double conditions[CONDITIONS];      /* NAN: not known */
};

/* `model`: part of a path; NULL: the one that most time was spent in.  In the
 * phase that it spent most of it in.  -ENOENT: it ran no such model. */
int judged_input_read(struct judged_input *out, struct store *s, int64_t row,
        const char *model, struct error *e);
void judged_input_release(struct judged_input *in);

/* From which inference on, and how many: the same for all runs that are
 * compared. */
void judged_input_measure(struct judged_input *in, size_t from, size_t count);
