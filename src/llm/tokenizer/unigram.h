/* unigram.h -- a word as the most likely row of tokens, each with a likelihood
 * of its own: SentencePiece's Unigram.  One thread at a time. */
#pragma once

#include "base/error.h"
#include "llm/ids.h"
#include "llm/tokenizer/vocab.h"

#include <stdbool.h>

struct unigram {
    const struct vocab *vocab; /* borrowed */
    double *score;             /* of each token */
    double least;
    size_t longest;   /* token, in bytes */
    uint32_t unknown; /* TOKEN_NONE: such characters vanish */
    bool byte_fallback;
    struct unigram_node {
        double score;
        uint32_t id;
        size_t from;
        bool reached;
    } * node;
    size_t node_cap;
    struct ids spare;
};

/* Reads the "model" of a tokenizer's file; fills the vocabulary, too. */
int unigram_read(struct unigram *u, struct vocab *vocab, struct str model,
        struct error *e);
void unigram_release(struct unigram *u);

/* Adds the tokens of a word. */
void unigram_encode(struct unigram *u, struct str word, struct ids *out);
