/* generations.h -- texts that clients of the API have made: `ortmeter generate`
 * is started for them, one at a time; four more wait. */
#pragma once

#include "serve/state.h"

struct generations;

int generations_start(struct generations **out, struct server *s,
        struct error *e);
/* Ends the one that is under way, and waits for it.  NULL is welcome. */
void generations_stop(struct generations *g);

/* The service thread: takes a request with its body.  False: it is refused, and
 * the answer is there; else it comes as those of the workers do. */
bool generations_take(struct generations *g, struct job *j);
