/* samples.h -- inferences that were looked into: a process's operators, and
 * their runs until it is known which inference they belong to. */
#pragma once

#include "hook/record.h"
#include "model/run.h"
#include "ort/texts.h"

#include <stddef.h>

/* Who is told.  What is pointed to is gone after the call. */
struct samples_sink {
    void *context;
    void (*found)(void *context, const struct operator* o);
    void (*ran)(void *context, const struct operator_run *r);
};

/* Of one process.  Starts zeroed. */
struct samples {
    struct map described;   /* the hook's id to struct described */
    struct map numbered;    /* session and the hook's id to our id */
    struct record *waiting; /* RECORD_OPERATOR_RUN */
    size_t count, cap;
};

/* RECORD_OPERATOR, _SIZES or _RUN.  False: too many, or it makes no sense. */
bool samples_take(struct samples *s, const struct record *r);

/* The sample is over: its operators ran in that inference of that session.
 * `next_id` counts the operators of the whole run. */
struct sample_place {
    uint32_t sample;
    uint32_t session;
    uint64_t inference;
    uint64_t start_ns; /* the run's, of mono_ns(): times count from it */
};

void samples_close(struct samples *s, const struct sample_place *place,
        const struct texts *texts, uint32_t *next_id,
        const struct samples_sink *sink);

void samples_release(struct samples *s);
