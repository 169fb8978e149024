/* ort.h -- what ONNX Runtime itself reports through ETW: sessions, inferences,
 * QNN's profile, warnings.
 *
 * An inference is a pair of EvaluationStart and EvaluationStop on one thread.
 * Since 1.24 both name the session; before, nothing does.  The same for events
 * that our own writer wrote. */
#pragma once

#include "base/buf.h"
#include "etw/trace.h"

/* Texts are borrowed for the call; NULL: not told.  Times are of the trace, in
 * nanoseconds. */
struct etw_ort_session {
    uint32_t pid, tid;
    uint32_t session; /* ONNX Runtime's number in that process */
    const char *model, *graph, *providers, *version, *error;
    int64_t start_ns;
    uint64_t duration_ns; /* 0: its end was not seen */
    uint64_t load_ns;     /* of it: the model was read; 0: not told */
    bool whole;           /* beginning and end were seen */
};

struct etw_ort_inference {
    uint32_t pid, tid;
    bool has_session;
    uint32_t session;
    int64_t start_ns;
    uint64_t duration_ns;
    const char *error;
};

/* QNN's: what one step or one node took. */
struct etw_ort_qnn {
    uint32_t pid, tid;
    int64_t time_ns;
    const char *message, *unit, *level, *identifier;
    uint64_t value;
};

struct etw_ort_message {
    uint32_t pid, tid;
    int64_t time_ns;
    int level; /* 1 fatal to 5 verbose */
    const char *category, *text;
};

/* Each may be NULL. */
struct etw_ort_sink {
    void *context;
    void (*session)(void *context, const struct etw_ort_session *x);
    void (*inference)(void *context, const struct etw_ort_inference *x);
    void (*qnn)(void *context, const struct etw_ort_qnn *x);
    void (*message)(void *context, const struct etw_ort_message *x);
};

struct etw_ort_tally {
    uint64_t events; /* of ONNX Runtime's providers */
    uint64_t sessions, inferences;
    uint64_t unpaired_starts; /* whose end is not in the trace */
    uint64_t unpaired_stops;  /* whose beginning is not */
    uint64_t qnn_events, messages;
    uint64_t reported_runs; /* what RuntimePerf adds up to */
};

struct etw_ort;

/* The sink is copied. */
struct etw_ort *etw_ort_new(const struct etw_info *info,
        const struct etw_ort_sink *sink);

/* In the order of their times; records of others are passed over. */
void etw_ort_take(struct etw_ort *o, const struct etw_record *r);

/* Reports the sessions whose end was not seen.  Nothing can be taken after. */
void etw_ort_end(struct etw_ort *o);

const struct etw_ort_tally *etw_ort_tally(const struct etw_ort *o);

/* NULL is welcome. */
void etw_ort_free(struct etw_ort *o);
