/* generate_request.h -- the body of POST /api/profiling/generate: what text is
 * to be made, by which model, and how it is looked at. */
#pragma once

#include "base/buf.h"

#define GENERATE_PROMPT_MAX 262144
#define GENERATE_STOPS_MAX  16

struct generate_request {
    struct buf prompt, model, depth, tags, experiment, system;
    struct buf stop[GENERATE_STOPS_MAX];
    size_t stop_count;
    double temperature, top_p, min_p, repetition_penalty;
    double top_k, max_new_tokens, seed; /* whole */
    bool has_seed, greedy, chat, require_energy;
};

/* NULL, or what is wrong with it.  generate_request_release() in any case. */
const char *generate_request_read(struct generate_request *out,
        struct str body);
void generate_request_release(struct generate_request *r);

/* The options of `ortmeter generate` for it, a line each that a zero ends; the
 * prompt and what the model is told before are not among them: others may read
 * a process's options. */
void generate_request_options(struct buf *out,
        const struct generate_request *r);
