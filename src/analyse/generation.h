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

/* In the order in which they ended. */
void generations_add(struct generations *g, const struct inference *i);

/* Frees, and tells the sum of it. */
void generations_finish(struct generations *g, struct summary_tokens *out);
