/* bursts.h -- operators from the profile that ONNX Runtime wrote of a session's
 * first runs, put to the inferences that they were part of.
 *
 * The profile has neither names for runs nor our clock, and lacks runs that
 * failed early; but the times between the runs are the same, and tell which is
 * which.  A node on a thread that is not its run's, while several ran, is not
 * told: nobody knows whose it was. */
#pragma once

#include "ort/samples.h"

/* Of one session.  Starts zeroed. */
struct burst_runs {
    struct burst_run {
        uint64_t inference;
        uint64_t start_ns; /* since the run's start */
        uint32_t thread;
    } * items;
    size_t count, cap;
};

/* The session's next inference in the burst. */
void bursts_add(struct burst_runs *b, const struct burst_run *run);
void bursts_release(struct burst_runs *b);

/* Reads the profile, fed in pieces.  The runs are copied. */
struct burst_reader;

struct burst_reader *burst_reader_new(const struct burst_runs *runs,
        uint32_t session, uint32_t *next_operator_id,
        const struct samples_sink *sink);
void burst_reader_feed(void *reader, const void *bytes, size_t len);
/* Reads what is left, and frees. */
void burst_reader_end(struct burst_reader *r);
