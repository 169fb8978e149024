/* generation.h -- texts being generated, seen from the inferences alone.
 *
 * A generation begins with a prefill that has no past, goes on with further
 * parts of the prompt, and then decodes token by token.  The last prefill
 * makes the first token, every decode one more.  Those of one session on one
 * thread follow each other; others run beside them. */
#pragma once

#include "analyse/summary.h"

struct generations;

struct generations *generations_new(void);

/* A text, or several at once, when no more of it comes. */
struct generation_told {
    uint32_t session, process, thread;
    uint64_t texts;
    uint64_t start_ns;       /* of the prefill */
    uint64_t first_token_ns; /* when it was there */
    uint64_t last_token_ns;
    uint64_t prompt_tokens; /* of each text; 0: not known */
    uint64_t made_tokens;   /* of each text */
};

/* Who wants to know of every token and text.  `texts` are generated at once.
 * What is NULL is not told. */
struct generation_listener {
    void *context;
    /* The first was there so long after the prefill began. */
    void (*first)(void *context, uint32_t session, uint64_t texts,
            uint64_t after_ns);
    /* One more, so long after the one before it. */
    void (*next)(void *context, uint32_t session, uint64_t texts,
            uint64_t after_ns);
    void (*ended)(void *context, const struct generation_told *t);
};

/* The listener's memory is the caller's.  A first token is told when the next
 * one comes, or nothing more does: until then, the prompt may go on. */
void generations_listen(struct generations *g,
        const struct generation_listener *l);

/* In the order in which they ended. */
void generations_add(struct generations *g, const struct inference *i);

/* Frees, and tells the sum of it. */
void generations_finish(struct generations *g, struct summary_tokens *out);
