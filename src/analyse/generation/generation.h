/* generation.h -- texts being generated, seen from the inferences alone.
 *
 * A generation begins with a prefill, goes on with further parts of the prompt,
 * and then decodes.  The last prefill makes the first token, every decode one
 * more, or as many as the cache has grown by at the next one.  Which inference
 * is of which is recorded (model/follow.h); any number may be under way. */
#pragma once

#include "analyse/summary.h"

struct generations;

/* Which tokens count in their times is asked of `c`, and told to it; it is the
 * caller's.  NULL: all of them do. */
struct generations *generations_new(struct counting *c);
void generations_count_by(struct generations *g, struct counting *c);

/* A text, or several at once, when no more of it comes. */
struct generation_told {
    uint64_t key; /* as generations_add() returned it */
    uint32_t session, process, thread;
    uint64_t texts;
    uint64_t start_ns;       /* of the prefill, or of the encoder */
    uint64_t first_token_ns; /* when it was there */
    uint64_t last_token_ns;
    uint64_t prompt_tokens; /* of each text; 0: not known */
    uint64_t made_tokens;   /* of each text */
};

/* Who wants to know of every token and text.  `texts` are generated at once;
 * not `counts`: tracing slowed it, and its time is left out of all figures.
 * What is NULL is not told. */
struct generation_listener {
    void *context;
    /* The first was there so long after the prefill began. */
    void (*first)(void *context, uint32_t session, uint64_t texts,
            uint64_t after_ns, bool counts);
    /* One more, so long after the one before it. */
    void (*next)(void *context, uint32_t session, uint64_t texts,
            uint64_t after_ns, bool counts);
    /* Either: its index, when it was there, and how long it took. */
    void (*token)(void *context, const struct token *t);
    void (*ended)(void *context, const struct generation_told *t);
    bool waits; /* it cannot wait for the end: after a minute without a token,
                 * a text is over */
};

/* The listener's memory is the caller's.  A first token is told when the next
 * one comes, or nothing more does: until then, the prompt may go on. */
void generations_listen(struct generations *g,
        const struct generation_listener *l);

/* In the order in which they ended.  Returns which text it is of; 0: none. */
uint64_t generations_add(struct generations *g, const struct inference *i);

/* Frees, and tells the sum of it. */
void generations_finish(struct generations *g, struct summary_tokens *out);
