/* follow.h -- which generation an inference belongs to.
 *
 * A generation begins with an inference that has no past, and goes on with
 * those that are handed its cache.  Which that is shows, in this order: by the
 * newest rows of the cache, by where it lies, and by its length, then first in
 * the thread that ran the last step.  A step never begins before the one that
 * it follows has ended.
 *
 * Several tokens with a past are a further part of the prompt, until there was
 * a step of one token, or a cache was cut back; from then on they are drafts
 * that are checked, and the phase is decode.  More than FOLLOW_DRAFT_MAX are
 * a new question with the same past: a generation of its own. */
#pragma once

#include "model/run.h"

#define FOLLOW_DRAFT_MAX 32

/* What the hook saw of the cache (wire/record.h, RECORD_PASSED). */
struct passed {
    uint16_t flags;
    uint32_t in_at, out_at, in;
    uint32_t out[PASSED_ROWS];
};

struct follower;

struct follower *follower_new(void);
void follower_free(struct follower *f);

/* In the order in which they ended.  Sets `generation`, `lead_ns` and `phase`.
 * `p` NULL: nothing is known of the cache but its length. */
void follower_take(struct follower *f, struct inference *i,
        const struct passed *p);
