/* network.h -- one model file of a language model, its inputs known by name:
 * tokens, mask, positions, caches.
 *
 * A step takes some tokens of each text and gives the numbers for the next one,
 * and the caches that the following step takes: these stay ONNX Runtime's own
 * values and are never copied. */
#pragma once

#include "llm/model_folder.h"
#include "llm/npy.h"
#include "ort/engine.h"

enum network_use {
    NETWORK_IDS,
    NETWORK_MASK,
    NETWORK_POSITIONS,
    NETWORK_SEGMENTS,
    NETWORK_HIDDEN, /* what the encoder put out */
    NETWORK_ENCODER_MASK,
    NETWORK_HAS_PAST, /* which branch of a merged model */
    NETWORK_PAST,
    NETWORK_GIVEN, /* by the user */
};

struct network {
    const struct engine *engine;
    struct ort_session *session;
    struct tensor_specs in, out;
    enum network_use *use; /* of each input */
    int *present;          /* of each input that is a cache: the output */
    bool has_past, has_positions;
    size_t main; /* the output that is wanted: logits, or hidden states */
};

/* An input that the user gave. */
struct network_given {
    const char *name;
    struct npy array;
};

/* -ENOTSUP: an input that nobody knows and nobody gave; the error names it. */
int network_open(struct network *out, const struct engine *g, const char *path,
        const struct engine_setup *setup, const char *main_output,
        const struct network_given *given, size_t given_count, struct error *e);
void network_close(struct network *n);

/* What a cache's input was fed by, from step to step.  Starts zeroed. */
struct network_cache {
    char *name; /* of the input */
    struct ort_value *value;
    void *zeros; /* ours, of an empty one */
};

struct network_state {
    size_t batch;
    struct network_cache *cache;
    size_t cache_count, found;  /* the last of them that was looked for */
    struct ort_value *hidden;   /* of the encoder, or NULL */
    size_t hidden_len;          /* tokens that went into it */
    const int64_t *hidden_mask; /* NULL: all of it counts */
};

void network_state_release(struct network_state *s, const struct engine *g);

/* Empty caches for a network that takes some. */
int network_state_begin(struct network_state *s, const struct network *n,
        const struct model_folder *m, struct error *e);

struct network_step {
    const int64_t *ids;       /* batch x count */
    const int64_t *positions; /* the same */
    size_t count;
    const int64_t *mask; /* batch x total */
    size_t total;
    bool has_past;  /* earlier steps are in the caches */
    bool keep_past; /* this one is to be */
};

/* Runs it; `out` is the main output, the caller's to release.  `next` is the
 * network of the following step, whose caches are filled. */
int network_run(struct ort_value **out, const struct network *n,
        struct network_state *s, const struct network_step *step,
        const struct network_given *given, size_t given_count,
        const struct network *next, struct error *e);

/* The numbers of the last token of each text as float32: batch x vocabulary. */
int network_logits(float **out, size_t *vocabulary, const struct network *n,
        struct ort_value *value, size_t batch, struct error *e);
