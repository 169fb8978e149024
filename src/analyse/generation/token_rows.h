/* token_rows.h -- the tokens that a run's inferences made, as rows. */
#pragma once

#include "base/error.h"
#include "store/store.h"

#define TOKEN_ID_UNKNOWN \
    (-1) /* `id` of a token that the program did not tell */

/* Adds them to the run that is being written, in the order of time; not where
 * the program told its tokens itself. */
int token_rows_keep(struct store *s, int64_t run, struct error *e);
