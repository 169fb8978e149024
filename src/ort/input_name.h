/* input_name.h -- what an input is for, by the names that people give it. */
#pragma once

#include <stdbool.h>

enum input_use {
    INPUT_PLAIN, /* nothing is known: pixels, features */
    INPUT_IDS,   /* of tokens */
    INPUT_MASK,
    INPUT_SEGMENTS, /* token types */
    INPUT_POSITIONS,
    INPUT_CACHE,     /* keys and values of the past */
    INPUT_STATE,     /* of a recurrent network */
    INPUT_SOUND,     /* samples of it */
    INPUT_RATE,      /* samples a second */
    INPUT_LENGTH,    /* how long the sequence is */
    INPUT_PAST,      /* how long the past is */
    INPUT_TOTAL,     /* how long both are */
    INPUT_LAST,      /* total - 1: GroupQueryAttention's seqlens_k */
    INPUT_HAS_CACHE, /* whether there is a past */
};

enum input_use input_use_of(const char *name);

/* Whether `text` has `part` in it, of which all letters are small; the case of
 * `text` does not matter. */
bool name_has(const char *text, const char *part);

/* Whether it is that, but for its case. */
bool name_is(const char *text, const char *word);
