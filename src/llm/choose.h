/* choose.h -- the next token, from the numbers that a model gave each.
 *
 * The order is that of transformers: penalty for repeating, temperature, the k
 * best, the fewest that together have probability p, those with at least a
 * share of the best one's. */
#pragma once

#include "llm/ids.h"

#include <stdbool.h>

struct choice_rules {
    bool greedy;        /* always the best; the rest below does not count */
    double temperature; /* 1: as the model has it */
    uint64_t top_k;     /* 0: all */
    double top_p;       /* 1: all */
    double min_p;       /* 0: all */
    double repetition_penalty; /* 1: none; also when greedy */
};

struct choice_state {
    uint64_t random; /* starts with the seed */
    float *spare;    /* a vocabulary's; and the order of the tokens */
    uint32_t *order;
    size_t cap;
};

struct choice {
    uint32_t id;
    double probability; /* as the model has it, before the rules */
};

/* `logits` has `count` numbers, `seen` the tokens before.  False: one of them
 * is not a number. */
bool choose_token(struct choice *out, struct choice_state *s,
        const struct choice_rules *rules, const float *logits, size_t count,
        const struct ids *seen);

void choice_state_release(struct choice_state *s);
