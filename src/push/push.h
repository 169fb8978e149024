/* push.h -- a run's metrics and spans, sent on while it runs.
 *
 * Whoever records tells what happens, and asks now and then whether it is time
 * (push_tick).  None of these calls waits for a receiver; sending is done by
 * threads of its own (sender.h).  All calls come from one thread, and all
 * accept NULL, which is nobody to push to. */
#pragma once

#include "export/figures.h"
#include "export/readings.h"

struct push_plan {
    const char *otlp; /* where to, or NULL */
    bool otlp_json;   /* instead of protobuf */
    /* a=b,c=d: of every request to `otlp`; or NULL */
    const char *otlp_headers;
    const char *service;      /* service.name, or NULL: the program's name */
    const char *remote_write; /* where to, or NULL */
    uint64_t interval_ns;     /* so often */
    /* Only readings come, all that there are before each push; nobody looks at
     * ONNX Runtime. */
    bool only_readings;
};

/* Spans between two pushes; more are left out and counted. */
#define PUSH_SPANS 2048

struct push;

/* Whether the plan makes sense: -EINVAL.  NULL where it names no receiver.  Its
 * texts live as long. */
int push_new(struct push **out, const struct push_plan *plan, struct error *e);
void push_free(struct push *p);

/* The run begins. */
void push_begin(struct push *p, const struct run *run);

/* The program is started: now threads may be. */
void push_start(struct push *p);

void push_process(struct push *p, const struct process *x);
void push_library(struct push *p, const struct library *l);
void push_session(struct push *p, const struct session *x);
/* `number` within the run. */
void push_inference(struct push *p, const struct inference *i, uint64_t number);
void push_section(struct push *p, const struct section *x);
void push_subject(struct push *p, uint32_t id, const struct subject *x);
/* Its time is since the run's start. */
void push_reading(struct push *p, const struct reading *r);

/* Whether it is time. */
bool push_is_due(const struct push *p, uint64_t now_mono_ns);

/* Sends what there is, if it is time. */
void push_tick(struct push *p, uint64_t now_mono_ns);

/* The run has ended: sends the last figures, waits for the receivers for some
 * seconds at most, and adds a sentence for each that did not get all to `told`.
 * Without any, nothing is added. */
void push_end(struct push *p, const struct run *run, struct buf *told);
