/* warmup.h -- where the slow first inferences end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fewer tell nothing. */
#define WARMUP_LEAST 16

/* How many of the first `count` durations come before the session runs at its
 * steady pace: the level and spread of the later half say what that is, and
 * three values in a row within it end the warm-up.  False: there are too few,
 * or it never settles in the first half. */
bool warmup_length(const uint64_t *durations_ns, size_t count, size_t *length);
