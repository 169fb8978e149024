/* push.h -- a run's metrics and spans, sent on while it runs.
 *
 * A subscriber that looks at each `tick` whether it is time.  Until `end` it
 * never waits for a receiver; sending is done by threads of its own
 * (sender.h). */
#pragma once

#include "export/metrics/readings.h"
#include "export/metrics/run_metrics.h"
#include "model/subscriber.h"

struct push_plan {
    const char *otlp; /* where to, or NULL */
    bool otlp_json;   /* instead of protobuf */
    /* a=b,c=d: of every request to `otlp`; or NULL */
    const char *otlp_headers;
    const char *service;      /* service.name, or NULL: the program's name */
    const char *remote_write; /* where to, or NULL */
    uint64_t interval_ns;     /* so often */
    /* Only readings come, all of them and not only changes; nobody looks at
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

/* Events in, requests out.  Threads are started at `begin`.  At `end` the last
 * figures are sent, the receivers are waited for for some seconds at most, and
 * each that did not get all gets a sentence in the notes. */
struct subscriber push_subscriber(struct push *p);

/* How long that took, at `end`. */
uint64_t push_last_ns(const struct push *p);
